/**
 * A day in a minute: 500 messages over 20 chats on three platforms at once, with faults from a seeded list all along. At the
 * end every message that was meant for mom has its one reply, in order per chat, and the log of every chat equals what the
 * platform saw.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakePlatform, Fault } from "../fakes/platform.ts";
import { createRandom } from "../fakes/random-history.ts";
import { createPlatformWorld, type PlatformName, type PlatformWorld } from "./platform-world.ts";
import { waitFor } from "./world.ts";

const messageCount = 500;
const seed = 20_261_117;
const cutsApart = 60;

interface Chat {
  adapter: PlatformName;
  platform: FakePlatform;
  channelId: string;
  userIds: string[];
  isGroup: boolean;
  /** Ids and texts of what was meant for mom, in the order in which it was said. */
  said: { id: string; text: string }[];
  /** Ids of what was said beside her. */
  beside: string[];
}

const faultsOf: Record<PlatformName, Fault[]> = {
  slack: [{ type: "platform", name: "disconnect" }],
  discord: [
    { type: "platform", name: "opcode-7" },
    { type: "platform", name: "opcode-9" },
  ],
  telegram: [
    { type: "platform", name: "second-poller" },
    { type: "platform", name: "second-poller-gone" },
  ],
};
const commonFaults: Fault[] = [
  { type: "status", status: 429, retryAfterMs: 1000 },
  { type: "status", status: 500 },
  { type: "status", status: 503 },
  { type: "cut" },
  { type: "slow", ms: 300 },
  { type: "drop-socket" },
  { type: "duplicate" },
  { type: "reorder" },
  { type: "late" },
];

/** Twenty chats: two direct ones and a group each, and further direct ones. */
function listChats({ platforms }: PlatformWorld): Chat[] {
  return [...platforms].flatMap(([adapter, platform], index) => {
    const { chats, people } = platform;
    const chat = (channelId: string, userIds: string[], isGroup = false): Chat => ({
      ...{ adapter, platform, channelId, userIds, isGroup },
      ...{ said: [], beside: [] },
    });
    const more = Array.from({ length: index === 0 ? 3 : 4 }, (_, n) => platform.addDirectChat(`person-${n}`));
    return [
      chat(chats.owner, [people.owner]),
      chat(chats.other, [people.other]),
      chat(chats.group, [people.owner, people.other], true),
      ...more.map(({ channelId, userId }) => chat(channelId, [userId])),
    ];
  });
}

/** Returns how many posts stand there once more than they should. */
async function assertChat(world: PlatformWorld, chat: Chat): Promise<number> {
  const where = `${chat.adapter} ${chat.channelId}`;
  const lines = await world.readChatLog(chat.adapter, chat.channelId);
  const posts = chat.platform.posts(chat.channelId).filter((post) => !post.isDeleted);
  const heard = lines.filter(({ sender }) => sender.id !== "bot");
  const spoken = lines.filter(({ sender }) => sender.id === "bot");
  const known = [...chat.said.map(({ id }) => id), ...chat.beside];
  assert.deepEqual(heard.map(({ id }) => id).toSorted(), known.toSorted(), `${where}: every message once`);
  // The order that counts is that of arrival: a platform may bring an event late.
  const order = heard.filter(({ id }) => chat.said.some((said) => said.id === id)).map(({ text }) => `echo ${text}`);
  assert.deepEqual(
    spoken.map(({ text }) => text),
    order,
    `${where}: one reply each, in order`,
  );
  // A post whose answer was lost and that nobody can look up may stand there once more, and then says so.
  const seen = new Set(spoken.map(({ id }) => id));
  const repeats = posts.filter(({ id }) => !seen.has(id));
  assert.deepEqual(
    posts.filter(({ id }) => seen.has(id)).map(({ id, text }) => [id, stripNote(text)]),
    spoken.map(({ id, text }) => [id, text]),
    `${where}: the log is what the platform saw`,
  );
  if (chat.adapter !== "telegram") assert.deepEqual(repeats, [], `${where}: nothing twice`);
  for (const { text } of repeats) assert.ok(order.includes(text), `${where}: "${text}" is no reply`);
  return repeats.length;
}

/** A repeat is marked for whoever reads the chat. */
const stripNote = (text: string) => text.replace(/\s*\(?sent again[^)]*\)?\s*/, "");

test("a day in a minute: faults everywhere, one reply each, in order", { timeout: 240_000 }, async (t) => {
  const { next: random } = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const world = await createPlatformWorld({
    platforms: ["slack", "discord", "telegram"],
    adapter: ({ chats }) => ({ dm: "everyone", groups: { allow: [chats.group] } }),
  });
  t.after(() => world.close());
  const app = await world.start();
  const chats = listChats(world);
  /** Where nobody can look a post up, a second doubt about the same one is its end: that story is told elsewhere. */
  let lastCut = -cutsApart;
  const isFair = ({ type }: Fault, adapter: PlatformName, n: number) => {
    if ((type !== "cut" && type !== "drop-socket") || adapter !== "telegram") return true;
    if (n - lastCut < cutsApart) return false;
    lastCut = n;
    return true;
  };
  assert.equal(chats.length, 20);
  for (let n = 0; n < messageCount; n++) {
    const chat = pick(chats);
    const { adapter, platform, channelId, isGroup } = chat;
    const fault = random() < 0.15 ? pick([...commonFaults, ...faultsOf[adapter]]) : undefined;
    if (fault && isFair(fault, adapter, n)) platform.fail(fault);
    const isBeside = isGroup && random() < 0.3;
    const text = `message ${n}`;
    const mention = isGroup && !isBeside ? { mention: true } : {};
    const id = platform.say({ channelId, userId: pick(chat.userIds), text, ...mention });
    if (isBeside) chat.beside.push(id);
    else chat.said.push({ id, text });
    if (n % 50 === 49) world.on("telegram").fail({ type: "platform", name: "second-poller-gone" });
    // Now and then everybody takes a breath, so that faults meet a quiet mom too.
    if (n % 50 === 49) await waitFor(() => [...world.platforms.values()].every((each) => each.unacknowledged === 0));
  }
  world.on("telegram").fail({ type: "platform", name: "second-poller-gone" });
  for (const { platform, channelId, said } of chats) {
    await platform.until(() => platform.posts(channelId).length >= said.length);
  }
  await world.whenQuiet(app);
  await app.stop();
  let repeats = 0;
  for (const chat of chats) repeats += await assertChat(world, chat);
  const noted = (await world.readLog()).split("may have arrived before; it is sent once more").length - 1;
  assert.ok(repeats <= noted, `${repeats} repeats, ${noted} of them noted`);
});
