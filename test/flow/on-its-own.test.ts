/**
 * What people ask mom to do later, again and again, from memory or by several at once, through the whole house: on the
 * offline model and on a scripted one, with a restart in the middle of each.
 */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelReply, SeenRequest } from "../fakes/model-server.ts";
import { createShiftedClock } from "../fakes/shifted-clock.ts";
import { createWorld, lastUserText, say, type World, waitFor } from "./world.ts";

const limit = { timeout: 60_000 };
const minute = 60_000;
const day = 24 * 60 * minute;

async function open(t: TestContext, options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(options);
  t.after(() => world.close());
  // A Friday morning in the zone of the machine.
  const friday = new Date(2026, 10, 20, 8, 0, 0).getTime();
  const clock = createShiftedClock(friday);
  return { ...world, clock, friday, begin: () => world.start({ clock }) };
}

const texts = ({ chat }: Pick<World, "chat">) => chat.posts.map((post) => post.text);
const answer = (text: string): ModelReply => ({ type: "answer", text });
const call = (name: string, args: Record<string, unknown>): ModelReply => ({
  type: "answer",
  toolCalls: [{ id: `call-${name}`, name, arguments: args }],
});
/** Has the newest turn called it already? */
function hasCalled(request: SeenRequest, name: string): boolean {
  const messages = request.body["messages"] as { role: string }[];
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  return JSON.stringify(turn).includes(`call-${name}`);
}
const offline = { models: { default: "mom/offline" } };

test("“remind me in 2 minutes”, and mom is restarted before they are over", limit, async (t) => {
  const world = await open(t, { config: offline });
  const first = await world.begin();
  say(world.chat, "remind me in 2 minutes to drink tea");
  await world.chat.until(() => world.chat.posts.length === 1);
  await first.stop();
  world.clock.shift(2 * minute);
  const second = await world.begin();
  await world.chat.until(() => world.chat.posts.length === 2);
  assert.match(texts(world)[1] ?? "", /drink tea/);
  await second.stop();
  world.clock.shift(day);
  const third = await world.begin();
  say(world.chat, "hello");
  await world.chat.until(() => world.chat.posts.length === 3);
  assert.doesNotMatch(texts(world)[2] ?? "", /tea/, "it is said once");
  const ledger = await third.store.due.ledger({ source: "cron", limit: 10 });
  assert.deepEqual(
    ledger.map(({ state }) => state),
    ["ran"],
  );
});

test(
  "“every weekday at nine”: on Friday and on Monday, not at the weekend, one run for what was missed",
  limit,
  async (t) => {
    const world = await open(t, { config: offline });
    const first = await world.begin();
    say(world.chat, "every weekday at nine remind me to water the plants");
    await world.chat.until(() => world.chat.posts.length === 1);
    await first.stop();
    const lives = async (when: number, posts: number) => {
      world.clock.set(when);
      const app = await world.begin();
      await world.chat.until(() => world.chat.posts.length === posts);
      await waitFor(async () => (await app.store.due.nextDueAt(world.clock.now())) !== undefined);
      await app.stop();
    };
    await lives(world.friday + 61 * minute, 2);
    await lives(world.friday + day + 61 * minute, 2);
    await lives(world.friday + 3 * day + 61 * minute, 3);
    // Down from Monday noon to Thursday morning: two are missed, the last one comes late.
    await lives(world.friday + 6 * day + 70 * minute, 4);
    assert.ok(
      texts(world)
        .slice(1)
        .every((text) => /water the plants/.test(text)),
    );
    const app = await world.begin();
    const ledger = await app.store.due.ledger({ source: "cron", limit: 10 });
    assert.deepEqual(
      ledger.map(({ state }) => state),
      ["ran", "missed", "missed", "ran", "ran"],
    );
  },
);

test("“what did we decide about the fence last month”: found in the notes, with where it stands", limit, async (t) => {
  const world = await open(t, {
    respond(request) {
      const text = lastUserText(request);
      if (!hasCalled(request, "memory_search")) return call("memory_search", { query: text });
      const messages = request.body["messages"] as { role: string; content: string }[];
      const found = String(messages.findLast(({ role }) => role === "tool")?.content);
      return answer(
        `We said: ${/green[^\n]*/.exec(found)?.[0]} (${/memory\/[\w-]+\.md#L\d+(-L\d+)?/.exec(found)?.[0]})`,
      );
    },
  });
  const notes = join(world.dataDir, "workspace/memory");
  await mkdir(notes, { recursive: true });
  await writeFile(join(notes, "2026-10-12.md"), "# Monday\n\nThe fence will be painted green, decided with Bob.\n");
  await writeFile(join(notes, "2026-10-13.md"), "# Tuesday\n\nBought two kilos of apples.\n");
  const first = await world.begin();
  say(world.chat, "what did we decide about the fence last month?");
  await world.chat.until(() => world.chat.posts.length === 1);
  await first.stop();
  await world.begin();
  say(world.chat, "and the fence again, please");
  await world.chat.until(() => world.chat.posts.length === 2);
  for (const text of texts(world)) {
    assert.match(text, /^We said: green, decided with Bob\. \(memory\/2026-10-12\.md#L\d/);
  }
});

test("“research A, B and C in parallel”: three at once, a restart in the middle, each told once", limit, async (t) => {
  let isHeld = true;
  const world = await open(t, {
    async respond(request) {
      const text = lastUserText(request);
      const topic = /^look into (\w)$/m.exec(text)?.[1];
      if (topic !== undefined) {
        if (isHeld) return { type: "silence" };
        return answer(`${topic} is fine`);
      }
      const found = /(\w) is fine/.exec(text);
      if (text.startsWith("[SUBAGENT") && found) return answer(`I hear that ${found[1]} is fine.`);
      if (hasCalled(request, "spawn")) return answer("Three are on it.");
      const spawn = (name: string) => ({
        id: `call-spawn-${name}`,
        name: "sessions_spawn",
        arguments: { task: `look into ${name}`, label: name },
      });
      return { type: "answer", toolCalls: ["A", "B", "C"].map(spawn) };
    },
  });
  const first = await world.begin();
  say(world.chat, "research A, B and C in parallel");
  await world.chat.until(() => world.chat.posts.length === 1);
  await waitFor(async () => {
    const turns = await first.store.turns.list({ states: ["running"], limit: 10 });
    return turns.filter(({ route }) => route.type === "subagent").length === 3;
  });
  await first.stop();
  isHeld = false;
  await world.begin();
  await world.chat.until(() => world.chat.posts.length === 4);
  assert.deepEqual(texts(world).toSorted(), [
    "I hear that A is fine.",
    "I hear that B is fine.",
    "I hear that C is fine.",
    "Three are on it.",
  ]);
});

test(
  "idle for a day with an empty HEARTBEAT.md no model is asked; with something in it, it is looked at",
  limit,
  async (t) => {
    const world = await open(t, {
      respond: (request) => answer(lastUserText(request).includes("the door") ? "HEARTBEAT_OK" : "Hello!"),
      config: { heartbeat: { every: "30m" } },
    });
    const first = await world.begin();
    say(world.chat, "hello");
    await world.chat.until(() => world.chat.posts.length === 1);
    await first.stop();
    for (let hour = 0; hour < 24; hour += 6) {
      world.clock.shift(6 * 60 * minute);
      const app = await world.begin();
      await waitFor(async () => ((await app.store.due.get("heartbeat", "main"))?.dueAt ?? 0) > world.clock.now());
      await app.stop();
    }
    assert.equal(world.model.requests.length, 1, "only the greeting was answered");
    await writeFile(join(world.dataDir, "workspace/HEARTBEAT.md"), "# Look\n\nIs the door shut?\n");
    world.clock.shift(60 * minute);
    const app = await world.begin();
    await world.model.waitForRequests(2);
    const beat = JSON.stringify(world.model.requests[1]?.body);
    assert.match(beat, /Is the door shut/);
    assert.ok(beat.length / 4 <= 2000, `${Math.round(beat.length / 4)} tokens`);
    await waitFor(async () => (await app.store.turns.list({ states: ["running", "queued"], limit: 1 })).length === 0);
    assert.deepEqual(texts(world), ["Hello!"], "nothing to report is not reported");
  },
);

test("an edit of the config holds at once for what mom does on her own", limit, async (t) => {
  const world = await open(t, { config: { heartbeat: { every: "7d" } } });
  const app = await world.begin();
  const beatsIn = async () => ((await app.store.due.get("heartbeat", "main"))?.dueAt ?? 0) - world.clock.now();
  await waitFor(async () => (await beatsIn()) > day);
  const path = join(world.dataDir, "config.json");
  const config = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...config, heartbeat: { every: "1m" } }));
  await waitFor(async () => (await beatsIn()) <= minute);
});
