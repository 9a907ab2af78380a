/** Web chat's own: which chats there are, what a window must be, whose turn it is, and what goes to the screens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { ChannelInfo, ChannelMessage, SessionWindow } from "../../contracts/message.ts";
import { channelCatalog } from "../catalog.ts";
import { openChannel } from "../open-channel.ts";
import { createWebchatAdapter } from "./adapter.ts";

const key = "agent:main:group:slack-acme:C1" as SessionKey;
const groupWindow: SessionWindow = { sessionKey: key, type: "group", agentId: "main" };
const toWindow = (id: string, window?: SessionWindow): ChannelInfo => ({
  id,
  name: id,
  type: "dm",
  ...(window && { window }),
});

const buildMessage = (id: string, channelId: string): ChannelMessage => ({
  id,
  channelId,
  timestamp: "2026-01-01T00:00:00.000Z",
  sender: { id: "owner", username: "ann", isBot: false },
  text: id,
  attachments: [],
  isMention: true,
});

async function open(handle?: (message: ChannelMessage) => Promise<void>) {
  const heard: string[] = [];
  const edits: unknown[][] = [];
  const screen = { edited: (...edit: unknown[]) => void edits.push(edit) };
  const adapter = createWebchatAdapter({ name: "webchat", clock: createFakeClock(), screen });
  adapter.onMessage(async (message) => {
    await handle?.(message);
    heard.push(message.id);
  });
  await adapter.start();
  return { adapter, heard, edits };
}

test("without a gateway there is no web chat, and it says what to do", async () => {
  const deps = { clock: createFakeClock(), log: silentLog, memory: {}, saveAttachment: {}, commands: () => [] };
  await assert.rejects(openChannel("web", { type: "webchat" }, deps as never), {
    code: "WEBCHAT_NEEDS_GATEWAY",
    hint: /gateway\.enabled/,
  });
});

test("the owner is admin, operators and programs are let in and are not; there is nothing to set", () => {
  const { configSchema, rulesOf } = channelCatalog.webchat;
  assert.deepEqual(rulesOf(), { admins: ["owner"], dm: ["operator", "api"], windows: ["operator"] });
  assert.deepEqual(configSchema.parse({ type: "webchat" }), { type: "webchat" });
  assert.equal(configSchema.safeParse({ type: "webchat", admins: ["eve"] }).success, false);
});

test("main is always there; windows come as they are opened", async () => {
  const { adapter } = await open();
  assert.deepEqual(adapter.getChannels(), [{ id: "main", name: "main", type: "dm" }]);
  const chat = toWindow(`session/${key}`, groupWindow);
  adapter.openWindow(chat);
  adapter.openWindow(chat);
  adapter.openWindow({ id: "main", name: "another", type: "dm" });
  assert.deepEqual(adapter.getChannels(), [{ id: "main", name: "main", type: "dm" }, chat]);
  assert.deepEqual(adapter.getChannelInfo(chat.id)?.window, groupWindow);
});

test("a chat is a window only on what it is named after, and programs get no more than a direct chat", async () => {
  const { adapter } = await open();
  const main: SessionWindow = { sessionKey: "agent:main:main" as SessionKey, type: "main", agentId: "main" };
  const wrong: ChannelInfo[] = [
    toWindow("main", main),
    toWindow(`session/${key}`),
    toWindow(`session/${key}`, main),
    toWindow("api/main/x", main),
    toWindow("api/main/", { ...groupWindow, type: "dm" }),
    toWindow("api/main", { ...groupWindow, type: "dm" }),
    toWindow("elsewhere"),
    toWindow(`api/main/${"x".repeat(5_000)}`),
    { ...toWindow(`session/${key}`, groupWindow), type: "group" },
  ];
  for (const info of wrong) {
    assert.throws(() => adapter.openWindow(info), { code: "WEBCHAT_CHAT_UNKNOWN" }, info.id.slice(0, 50));
  }
  adapter.openWindow(toWindow("api/main/a/b\nc"));
  adapter.openWindow(toWindow("api/other/x", { ...groupWindow, type: "dm", agentId: "other" }));
  assert.equal(adapter.getChannels().length, 3);
});

test("only so many windows are known; one that is spoken in stays", async () => {
  const { adapter } = await open();
  for (let n = 0; n < 2_000; n++) adapter.openWindow(toWindow(`api/main/${n}`));
  await adapter.submit(buildMessage("m1", "api/main/0"));
  adapter.openWindow(toWindow("api/main/new"));
  assert.equal(adapter.getChannels().length, 2_001);
  assert.ok(adapter.getChannelInfo("api/main/0"));
  assert.equal(adapter.getChannelInfo("api/main/1"), undefined);
});

test("what is said in a chat that is not open is not taken: it would end up in another session", async () => {
  const { adapter, heard } = await open();
  await assert.rejects(adapter.submit(buildMessage("m1", `session/${key}`)), { code: "WEBCHAT_CHAT_UNKNOWN" });
  assert.deepEqual(heard, []);
});

test("why a message was not taken goes to whoever brought it; the next one is not held up", async () => {
  const refusals = [new Error("the disk is full")];
  const { adapter, heard } = await open(async () => {
    const error = refusals.pop();
    if (error) throw error;
  });
  await assert.rejects(adapter.submit(buildMessage("m1", "main")), /the disk is full/);
  assert.equal(adapter.health().lastInboundAt, undefined);
  await adapter.submit(buildMessage("m1", "main"));
  assert.deepEqual(heard, ["m1"]);
});

test("a chat keeps its order, and chats do not wait for each other", async () => {
  const slow = Promise.withResolvers<void>();
  const { adapter, heard } = await open(({ id }) => (id === "a1" ? slow.promise : Promise.resolve()));
  adapter.openWindow(toWindow("api/main/b"));
  const [first, second] = ["a1", "a2"].map((id) => adapter.submit(buildMessage(id, "main")));
  await adapter.submit(buildMessage("b1", "api/main/b"));
  assert.deepEqual(heard, ["b1"]);
  slow.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(heard, ["b1", "a1", "a2"]);
});

test("who is stopped takes nothing, not even what was waiting", async () => {
  const slow = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { adapter, heard } = await open(() => {
    begun.resolve();
    return slow.promise;
  });
  const first = adapter.submit(buildMessage("m1", "main"));
  const second = adapter.submit(buildMessage("m2", "main"));
  await begun.promise;
  await adapter.stop();
  slow.resolve();
  await first;
  await assert.rejects(second, { code: "CHANNEL_NOT_WIRED", retryable: true });
  assert.deepEqual(heard, ["m1"]);
});

test("a post for a chat that nobody has opened since the start is delivered all the same", async () => {
  const { adapter } = await open();
  const message = { deliveryId: "d.1" as DeliveryId, text: "late" };
  assert.deepEqual(await adapter.sendMessage(`session/${key}`, message), { type: "sent", messageId: "d.1" });
  assert.equal((await adapter.sendMessage("session/", message)).type, "rejected");
});

test("changes go to the screens under the id of the delivery, harmless", async () => {
  const { adapter, edits } = await open();
  await adapter.updateMessage("main", "d.1", "new\x1b[2J \u202etext");
  await adapter.deleteMessage("main", "d.1");
  assert.deepEqual(edits, [
    ["main", "d.1", "new text"],
    ["main", "d.1"],
  ]);
  assert.equal((await adapter.updateMessage("nowhere", "d.1", "x")).type, "rejected");
  assert.equal(edits.length, 2);
});

test("replies stay Markdown; what is nothing but control characters is still something", async () => {
  const { adapter } = await open();
  assert.deepEqual(adapter.render("# A\n\n<b>*x*</b>\u2066"), ["# A\n\n<b>*x*</b>"]);
  assert.deepEqual(adapter.render("\x07"), ["(empty)"]);
  assert.equal(adapter.render("word ".repeat(100_000)).length, 2);
});
