import assert from "node:assert/strict";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import type { ChannelCapabilities } from "../../contracts/channel.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";
import type { SessionType } from "../../contracts/session.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import type { ChatAdapter } from "../kit/chat-directory.ts";
import { createMessageTool } from "./message.ts";

const buildAdapter = (
  name: string,
  channels: ChannelInfo[],
  users: UserInfo[],
  can: Partial<ChannelCapabilities> = {},
): ChatAdapter => ({
  name,
  type: name,
  capabilities: { edit: true, delete: true, maxUploadBytes: 1000, ...can } as ChannelCapabilities,
  render: (markdown) => markdown.split("|"),
  channels,
  users,
  findClosedGate: (what) => (what === "pin" && name === "slack" ? "Slack pins are disabled" : undefined),
});

const adapters = [
  buildAdapter(
    "slack",
    [
      { id: "C1", name: "general", type: "channel" },
      { id: "C2", name: "random", type: "channel" },
      { id: "D1", name: "ann", type: "dm" },
      { id: "D2", name: "U2", type: "dm" },
    ],
    [
      { id: "U1", username: "ann", displayName: "Ann A." },
      { id: "U2", username: "bob" },
      { id: "U3", username: "carl", displayName: "bob" },
      { id: "U4", username: "sam" },
    ],
    { reactions: true, pins: true, threads: true },
  ),
  buildAdapter(
    "matrix",
    [
      { id: "!r:home.example", name: "#random", type: "group" },
      { id: "@sam:home", name: "sam", type: "dm" },
    ],
    [{ id: "@sam:home", username: "sam" }],
    { edit: false, delete: false, maxUploadBytes: 0 },
  ),
];

async function createStage(t: TestContext, type: SessionType = "main", channelId = "D1") {
  const workspace = await createToolWorkspace(t);
  const store = await openStore({
    layout: buildLayout(join(workspace.dir, "data")),
    clock: createFakeClock(),
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });
  t.after(() => store.close());
  const scope = {
    turnId: "t1" as TurnId,
    channel: { adapter: "slack", channelId },
    sender: { id: "U1", username: "ann", isBot: false },
    session: { type },
  };
  const tool = createMessageTool(workspace.operations, {
    outbox: store.outbox,
    scope,
    directory: { adapters: () => adapters },
  });
  type Params = Parameters<typeof tool.execute>[1];
  const run = (id: string, params: Params) =>
    tool.execute(id, params, new AbortController().signal, () => assert.fail("no updates"));
  const posts = async () =>
    (await store.outbox.list({ limit: 99 })).map(({ id, channel, body }) => ({
      id,
      to: `${channel.adapter}:${channel.channelId}`,
      ...body,
    }));
  /** The next post goes out. */
  const deliver = async (messageId: string) => {
    const claimed = await store.outbox.claim(["slack", "matrix"], 1000);
    assert.ok(claimed);
    await store.outbox.settle(claimed, { type: "sent", messageId });
  };
  return { ...workspace, store, tool, run, posts, deliver };
}

test("a text is posted as its channel renders it, the same posts for the same call", async (t) => {
  const { run, posts } = await createStage(t);
  const result = await run("c1", { action: "send", to: "#general", text: "one|two" });
  await run("c1", { action: "send", to: "#general", text: "one|two" });
  assert.equal(textOf(result), "On its way to #general (slack:C1) as t1.c1.0, t1.c1.1.");
  assert.deepEqual(result.details, { action: "send", to: "slack:C1", deliveries: ["t1.c1.0", "t1.c1.1"] });
  assert.deepEqual(await posts(), [
    { id: "t1.c1.0", to: "slack:C1", type: "text", text: "one", isAside: true },
    { id: "t1.c1.1", to: "slack:C1", type: "text", text: "two", isAside: true },
  ]);
});

test("whom a name means", async (t) => {
  const { run, posts } = await createStage(t);
  const targets: [string, string][] = [
    ["#general", "slack:C1"],
    ["GENERAL", "slack:C1"],
    ["slack:C2", "slack:C2"],
    ["slack:#random", "slack:C2"],
    ["matrix:!r:home.example", "matrix:!r:home.example"],
    ["!r:home.example", "matrix:!r:home.example"],
    ["@ann", "slack:D1"],
    ["@Ann A.", "slack:D1"],
    ["slack:U2", "slack:D2"],
    ["@bob", "slack:D2"],
    ["matrix:@sam", "matrix:@sam:home"],
    [" slack:D2 ", "slack:D2"],
  ];
  for (const [n, [to]] of targets.entries()) await run(`c${n}`, { action: "send", to, text: "x" });
  assert.deepEqual(
    (await posts()).map((post) => post.to),
    targets.map(([, id]) => id),
  );
});

test("a name that means several, nobody, or somebody without a chat posts nothing and says what to do", async (t) => {
  const { run, posts } = await createStage(t);
  const send = (to: string) => run("c1", { action: "send", to, text: "x" });
  await assert.rejects(send("#random"), {
    code: "MESSAGE_TARGET_AMBIGUOUS",
    message: '"#random" means several: #random (slack:C2), #random (matrix:!r:home.example)',
  });
  await assert.rejects(send("@sam"), { message: /@sam \(slack:U4\), @sam \(matrix:@sam:home\)/ });
  await assert.rejects(send("@carl"), { code: "MESSAGE_TARGET_UNKNOWN", message: /no direct chat with @carl/ });
  await assert.rejects(send("#genral"), { code: "MESSAGE_TARGET_UNKNOWN", hint: /Did you mean #general\?/ });
  for (const to of ["slack:C9", "nobody:C1", "#ann", "@general", "#", "@", ":", ""]) {
    await assert.rejects(send(to), { code: "MESSAGE_TARGET_UNKNOWN" }, to);
  }
  assert.deepEqual(await posts(), []);
});

test("only the owner's own session reaches other chats, or learns which there are", async (t) => {
  for (const type of ["dm", "group", "topic", "cron", "subagent"] as const) {
    const { run, posts, tool } = await createStage(t, type, "C1");
    for (const to of ["#random", "slack:C2", "@ann", "@sam", "#nothing"]) {
      const refused = {
        code: "MESSAGE_ELSEWHERE_REFUSED",
        message: /^This conversation may post to its own chat only$/,
      };
      await assert.rejects(run("c1", { action: "send", to, text: "x" }), refused);
      await assert.rejects(run("c1", { action: "delete", to, messageId: "P1" }), refused);
      await assert.rejects(async () => tool.approvalSubject?.({ action: "send", to, text: "x" }), refused);
    }
    for (const to of ["#general", "slack:C1", "C1"]) await run(`to ${to}`, { action: "send", to, text: "x" });
    await run("c2", { action: "send", text: "x" });
    assert.deepEqual(new Set((await posts()).map((post) => post.to)), new Set(["slack:C1"]));
  }
});

test("a chat that the platform has not described is still one's own", async (t) => {
  const { run, posts, tool } = await createStage(t, "group", "C77");
  await run("c1", { action: "send", text: "x" });
  await run("c2", { action: "send", to: "slack:C77", text: "x" });
  assert.deepEqual(
    (await posts()).map((post) => post.to),
    ["slack:C77", "slack:C77"],
  );
  assert.deepEqual(tool.recipients?.({ action: "send", text: "x" }), ["C77", "slack:C77"]);
});

test("recipients are all ids and names that an order may have, also where the name is not clear", async (t) => {
  const { tool } = await createStage(t);
  const recipients = (to?: string) => tool.recipients?.({ action: "send", text: "x", ...(to && { to }) });
  assert.deepEqual(recipients("#general"), ["C1", "slack:C1", "general"]);
  assert.deepEqual(recipients("@bob"), ["D2", "slack:D2", "U2", "slack:U2", "bob"]);
  assert.deepEqual(recipients(), ["D1", "slack:D1", "ann", "U1", "slack:U1", "Ann A."]);
  assert.deepEqual(recipients("#random"), [
    "C2",
    "slack:C2",
    "random",
    "!r:home.example",
    "matrix:!r:home.example",
    "#random",
  ]);
  assert.deepEqual(recipients("@carl"), ["U3", "slack:U3", "carl", "bob"]);
  assert.deepEqual(recipients("@stranger"), ["@stranger"]);
});

test("what goes to another chat acts on the world", async (t) => {
  const { tool } = await createStage(t);
  const isOutward = (to?: string) => tool.isOutward?.({ action: "send", text: "x", ...(to && { to }) });
  assert.deepEqual([isOutward(), isOutward("@ann"), isOutward("slack:D1")], [false, false, false]);
  assert.deepEqual([isOutward("#general"), isOutward("#random"), isOutward("nobody")], [true, true, true]);
});

test("what is approved names the chat by id, and all of the text", async (t) => {
  const { tool, dir, put } = await createStage(t);
  const text = `line 1\n${"x".repeat(9000)}`;
  const subject = await tool.approvalSubject?.({ action: "send", to: "#general", text });
  assert.deepEqual(subject?.exact, { argv: ["message", "send", "slack:C1", "text", text], cwd: dir, env: {} });
  assert.equal(subject?.text, `send in #general (slack:C1)\ntext: ${text}`);
  await put("a.txt", "1");
  const file = await tool.approvalSubject?.({ action: "media", path: "./a.txt" });
  assert.deepEqual(file?.exact.argv, ["message", "media", "slack:D1", "path", `${dir}/a.txt`]);
});

test("an answer refers to a message, a post of one's own by either id", async (t) => {
  const { run, posts, deliver } = await createStage(t);
  await run("c1", { action: "send", text: "hello" });
  await assert.rejects(run("c2", { action: "reply", messageId: "t1.c1.0", text: "x" }), { code: "MESSAGE_NOT_SENT" });
  await deliver("P1");
  await run("c3", { action: "reply", messageId: "t1.c1.0", text: "a|b" });
  await run("c4", { action: "reply", messageId: "of ann", text: "c" });
  assert.deepEqual(
    (await posts()).slice(1).map((post) => post.type === "text" && [post.text, post.replyTo]),
    [
      ["a", "P1"],
      ["b", undefined],
      ["c", "of ann"],
    ],
  );
});

test("posts of one's own are changed and deleted, by the id that sending gave or the platform's", async (t) => {
  const { run, posts, deliver } = await createStage(t);
  await run("c1", { action: "send", to: "#general", text: "helo" });
  const edit = (id: string, messageId: string, text = "hello") =>
    run(id, { action: "edit", to: "#general", messageId, text });
  await assert.rejects(edit("c2", "t1.c1.0"), { code: "MESSAGE_NOT_SENT", retryable: true });
  await deliver("P1");
  await edit("c3", "t1.c1.0");
  await edit("c4", "P1", "hello!");
  await assert.rejects(edit("c5", "P1", "too|long"), { code: "MESSAGE_TOO_LONG" });
  await run("c6", { action: "delete", to: "#general", messageId: "P1" });
  await assert.rejects(edit("c7", "P1"), { code: "MESSAGE_NOT_OWN" });
  await assert.rejects(run("c8", { action: "delete", to: "#general", messageId: "P1" }), { code: "MESSAGE_NOT_OWN" });
  assert.deepEqual((await posts()).slice(1), [
    { id: "t1.c3.0", to: "slack:C1", type: "edit", messageId: "P1", text: "hello" },
    { id: "t1.c4.0", to: "slack:C1", type: "edit", messageId: "P1", text: "hello!" },
    { id: "t1.c6.0", to: "slack:C1", type: "delete", messageId: "P1" },
  ]);
});

test("nobody else's messages, no other chat's, no files and nothing that was never posted", async (t) => {
  const { run, deliver, put, store } = await createStage(t);
  await store.inbox.accept({
    adapter: "slack",
    message: {
      id: "of ann",
      channelId: "D1",
      timestamp: "2026-01-01T00:00:00.000Z",
      sender: { id: "U1", username: "ann", isBot: false },
      text: "hi",
      attachments: [],
      isMention: true,
    },
    verdict: { type: "heard" },
  });
  await run("c1", { action: "send", to: "#general", text: "there" });
  await deliver("P1");
  for (const messageId of ["of ann", "P1", "t1.c1.0", "P9"]) {
    await assert.rejects(run("c2", { action: "edit", messageId, text: "x" }), { code: "MESSAGE_NOT_OWN" });
    await assert.rejects(run("c2", { action: "delete", messageId }), { code: "MESSAGE_NOT_OWN" });
  }
  await put("a.txt", "1");
  await run("c3", { action: "media", path: "a.txt" });
  await deliver("P2");
  await assert.rejects(run("c4", { action: "edit", messageId: "P2", text: "x" }), { code: "CHAT_CANNOT" });
  await run("c5", { action: "send", text: "lost" });
  const claimed = await store.outbox.claim(["slack"], 1000);
  assert.ok(claimed);
  await store.outbox.settle(claimed, { type: "failed", error: "channel is archived" });
  await assert.rejects(run("c6", { action: "edit", messageId: "t1.c5.0", text: "x" }), {
    code: "MESSAGE_NOT_SENT",
    message: /never posted: channel is archived/,
  });
});

test("a file goes to a chat that takes it", async (t) => {
  const { run, posts, put, dir } = await createStage(t);
  await put("out/a.txt", "12345");
  const sent = await run("c1", { action: "media", to: "#general", path: "out/a.txt", caption: "Here" });
  assert.match(textOf(sent), /a\.txt \(5 B\) is on its way to #general \(slack:C1\) as t1\.c1\.0/);
  await put("big", "");
  await truncate(join(dir, "big"), 1001);
  await assert.rejects(run("c2", { action: "media", path: "big" }), { code: "FILE_TOO_BIG", message: /up to 1000 B/ });
  await assert.rejects(run("c3", { action: "media", path: "state/auth.json" }), { code: "PATH_REFUSED" });
  await assert.rejects(run("c4", { action: "media", path: "none" }), { code: "FILE_NOT_FOUND" });
  assert.deepEqual(await posts(), [
    {
      id: "t1.c1.0",
      to: "slack:C1",
      type: "file",
      path: `${dir}/out/a.txt`,
      filename: "a.txt",
      isReal: true,
      caption: "Here",
    },
  ]);
});

test("a platform that cannot do it gives a clear answer", async (t) => {
  const { run, posts, put } = await createStage(t);
  const to = "matrix:!r:home.example";
  await put("a.txt", "1");
  const cannot = (message: RegExp) => ({ code: "CHAT_CANNOT", message });
  await assert.rejects(run("c1", { action: "edit", to, messageId: "P1", text: "x" }), cannot(/cannot be changed/));
  await assert.rejects(run("c1", { action: "delete", to, messageId: "P1" }), cannot(/cannot be deleted/));
  await assert.rejects(run("c1", { action: "media", to, path: "a.txt" }), cannot(/takes no files/));
  assert.deepEqual(await posts(), []);
});

test("what an action needs is asked for, and a flood is refused", async (t) => {
  const { run, posts } = await createStage(t);
  const missing = { code: "MESSAGE_PARAMETER_MISSING" };
  await assert.rejects(run("c1", { action: "send" }), missing);
  await assert.rejects(run("c1", { action: "send", text: " \n" }), missing);
  await assert.rejects(run("c1", { action: "reply", text: "x" }), missing);
  await assert.rejects(run("c1", { action: "media" }), missing);
  await assert.rejects(run("c1", { action: "edit", text: "x" }), missing);
  await assert.rejects(run("c1", { action: "delete" }), missing);
  await assert.rejects(run("c1", { action: "send", text: "x|".repeat(10) }), { code: "MESSAGE_TOO_LONG" });
  assert.deepEqual(await posts(), []);
});

test("its declaration is short, shortest where chats can do little, and a call is described in one line", async (t) => {
  const { tool, operations, store } = await createStage(t);
  const sender = { id: "U1", username: "ann", isBot: false };
  const { name, description, parameters } = tool;
  assert.ok(JSON.stringify({ name, description, parameters }).length <= 900);
  const terminal = { ...buildAdapter("cli", [], [], { edit: false, delete: false }) };
  const { description: short, parameters: few } = createMessageTool(operations, {
    outbox: store.outbox,
    scope: { turnId: "t1" as TurnId, channel: { adapter: "cli", channelId: "t" }, sender, session: { type: "main" } },
    directory: { adapters: () => [terminal] },
  });
  assert.ok(JSON.stringify({ name, description: short, parameters: few }).length <= 600);
  assert.equal(tool.describe({ action: "send", to: "#general", text: "hi" }), "message send to #general hi");
});

test("reactions, threads and polls are letters where the platform has them, and clear answers where not", async (t) => {
  const { run, posts, deliver } = await createStage(t);
  await run("c0", { action: "send", text: "vote!" });
  await deliver("P1");
  await run("c1", { action: "react", messageId: "of ann", emoji: "👍" });
  await run("c2", { action: "react", messageId: "t1.c0.0", emoji: "tada", remove: true });
  await run("c3", { action: "thread", messageId: "of ann", text: "more\nhere" });
  await run("c4", { action: "thread", caption: "Plans", text: "which" });
  const actions = (await posts()).flatMap((post) => (post.type === "action" ? [post.action] : []));
  assert.deepEqual(actions, [
    { type: "react", emoji: "👍", messageId: "of ann" },
    { type: "react", emoji: "tada", messageId: "P1", remove: true },
    { type: "thread", name: "more", text: "more\nhere", messageId: "of ann" },
    { type: "thread", name: "Plans", text: "which" },
  ]);
  await assert.rejects(run("c5", { action: "poll", text: "Lunch?", options: ["yes", "no"] }), {
    code: "CHAT_CANNOT",
    message: /no polls in @ann/,
  });
  await assert.rejects(run("c6", { action: "react", to: "matrix:@sam", messageId: "x", emoji: "👍" }), {
    code: "CHAT_CANNOT",
    message: /no reactions in @sam/,
  });
  await assert.rejects(run("c7", { action: "pin", messageId: "of ann" }), {
    code: "CHANNEL_ACTION_DISABLED",
    message: "Slack pins are disabled",
  });
  await assert.rejects(run("c8", { action: "react", messageId: "of ann" }), { code: "MESSAGE_PARAMETER_MISSING" });
  await assert.rejects(run("c9", { action: "thread", text: "too|long" }), { code: "MESSAGE_TOO_LONG" });
});

test("what no chat here can do is not declared", async (t) => {
  const { tool } = await createStage(t);
  const { action, emoji, options } = tool.parameters.properties;
  assert.deepEqual(JSON.parse(JSON.stringify(action)).enum, [
    ...["send", "reply", "media", "edit", "delete", "react", "pin", "thread"],
  ]);
  assert.notEqual(emoji, undefined);
  assert.equal(options, undefined);
  assert.doesNotMatch(tool.description, /poll/);
});
