/** What mom posts, and what becomes of it when Discord stumbles. */
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createDiscordStage } from "../../../test/fakes/discord/stage.ts";
import { deliveryIdOf, newTurnId } from "../../base/ids.ts";
import type { ChannelAction } from "../../contracts/channel.ts";
import type { DeliveryId } from "../../contracts/ids.ts";

const shown = (posts: { text: string; isDeleted: boolean }[]) =>
  posts.filter(({ isDeleted }) => !isDeleted).map(({ text }) => text);

test("the answer to a post is lost: the same delivery again is the same post", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  platform.fail({ type: "cut" });
  assert.equal((await send("once", { deliveryId: "x.1" })).type, "unknown");
  const again = await send("once", { deliveryId: "x.1" });
  assert.deepEqual(again, { type: "sent", messageId: platform.posts()[0]?.id });
  assert.equal(platform.posts().length, 1);
  const [call] = platform.calls.filter(({ name }) => name === "createMessage");
  assert.equal(call?.body["enforce_nonce"], true);
  assert.ok(String(call?.body["nonce"]).length <= 25);
});

test("also in the next life, where only the nonce knows", async (t) => {
  const { platform, open, killNow } = await createDiscordStage(t);
  const first = open();
  await first.adapter.start();
  platform.fail({ type: "cut" });
  await first.send("once", { deliveryId: "x.1" });
  killNow();
  await first.adapter.stop();
  const second = open();
  await second.adapter.start();
  assert.equal((await second.send("once", { deliveryId: "x.1" })).type, "sent");
  assert.equal(platform.posts().length, 1);
});

test("a delivery from long ago is looked for first, because its nonce is forgotten", async (t) => {
  const { platform, open, clock, memory } = await createDiscordStage(t);
  const delivery = { deliveryId: "q.1", createdAt: clock.now() };
  const first = open();
  await first.adapter.start();
  platform.fail({ type: "cut" });
  await first.send("the answer", delivery);
  await first.adapter.stop();
  await clock.advance(3_600_000);
  platform.forgetNonces();
  // The session is gone too, so nothing tells of mom's own post.
  await memory.delete("session");

  const second = open();
  await second.adapter.start();
  const found = await second.send("the answer", { ...delivery, isUncertain: true });
  assert.deepEqual(found, { type: "sent", messageId: platform.posts()[0]?.id });
  // One that was never tried is no doubt, even if mom has said the same before.
  assert.equal((await second.send("the answer", { ...delivery, deliveryId: "q.2" })).type, "sent");
  assert.deepEqual(shown(platform.posts()), ["the answer", "the answer"]);
});

test("a 5xx is not tried again by the library, and one that acted is not doubled", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  platform.fail({ type: "status", status: 500 });
  assert.equal((await send("hello", { deliveryId: "x.1" })).type, "unknown");
  assert.equal(platform.calls.filter(({ name }) => name === "createMessage").length, 1);
  assert.equal((await send("hello", { deliveryId: "x.1" })).type, "sent");
  assert.equal(platform.posts().length, 1);
});

test("a chat that is over its limit holds up no other", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  platform.fail({ type: "status", status: 429, retryAfterMs: 20_000 });
  const limited = await send("too fast", { deliveryId: "x.1" });
  assert.ok(limited.type === "retry" && (limited.retryAfterMs ?? 0) >= 20_000, JSON.stringify(limited));
  const still = await send("too fast", { deliveryId: "x.1" });
  assert.ok(still.type === "retry" && (still.retryAfterMs ?? 0) > 15_000);
  assert.equal((await send("elsewhere", { channelId: platform.chats.group })).type, "sent");
  assert.deepEqual(shown(platform.posts()), ["elsewhere"]);
  assert.equal(platform.calls.filter(({ name }) => name === "createMessage").length, 2);
});

test("the seventh post to a chat in a moment waits for its turn", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  const results = Array.from({ length: 7 }, (_, n) => send(`post ${n}`));
  await until(() => platform.posts().length === 5);
  await until(() => platform.posts().length === 7, 250);
  for (const result of results) assert.equal((await result).type, "sent");
});

test("refusals are final and say what to do", async (t) => {
  const { platform, open, clock } = await createDiscordStage(t);
  const { adapter, ...life } = open();
  await adapter.start();
  const send: typeof life.send = async (...sent) => {
    await clock.advance(2000);
    return life.send(...sent);
  };
  const refuse = (code: number, status = 403) =>
    platform.fail({ type: "status", status, body: { message: "No", code } });
  for (const [code, words] of [
    [50_001, /View Channel/],
    [50_013, /permission/],
    [50_007, /direct messages/],
    [10_003, /does not exist/],
    [30_007, /Discord refused it: No \(30007\)/],
  ] as const) {
    refuse(code);
    const result = await send("x");
    assert.ok(result.type === "rejected");
    assert.match(result.reason, words);
  }
  const long = await send("x".repeat(2001));
  assert.ok(long.type === "rejected" && /2000 or fewer/.test(long.reason));
  assert.equal((await send("x", { channelId: "../users/@me" })).type, "rejected");
  // A proxy's page, not Discord's word.
  platform.fail({ type: "status", status: 403, body: {} });
  assert.equal((await send("x")).type, "retry");
  const gone = await adapter.updateMessage(platform.chats.owner, "1456074443980800999", "x");
  assert.ok(gone.type === "rejected" && /any more/.test(gone.reason));
});

test("only those are called whom the adapter itself has made mentions of", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  const { group } = platform.chats;
  const markdown = `@bob look at #general, @everyone and @here, \`@ann\`, <@${platform.people.owner}>, @nobody`;
  const [text = ""] = adapter.render(markdown);
  assert.ok(text.includes(`<@${platform.people.other}>`) && text.includes(`<#${group}>`), text);
  await send(text, { channelId: group });
  const [post] = platform.posts(group);
  assert.deepEqual(post?.pings, [platform.people.other]);
  const [call] = platform.calls.filter(({ name }) => name === "createMessage");
  assert.deepEqual(call?.body["allowed_mentions"], { parse: [], users: [platform.people.other], replied_user: false });
});

test("a reply refers to its message, and to none when that is gone", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter } = open();
  await adapter.start();
  const { owner: channelId } = platform.chats;
  const id = platform.say({ channelId, userId: platform.people.owner, text: "question" });
  const answer = (deliveryId: string, replyTo: string) =>
    adapter.sendMessage(channelId, { deliveryId: deliveryId as DeliveryId, text: "answer", replyTo });
  await answer("x.1", id);
  await answer("x.2", "1456074443980800999");
  await answer("x.3", "no id at all");
  assert.deepEqual(
    platform.posts(channelId).map(({ replyTo }) => replyTo),
    [id, undefined, undefined],
  );
});

test("a long reply is split, each part within Discord's limit", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  const paragraphs = Array.from({ length: 60 }, (_, n) => `Paragraph ${n}: ${"word ".repeat(20)}`);
  const parts = adapter.render(paragraphs.join("\n\n"));
  assert.ok(parts.length > 2 && parts.every((part) => part.length <= 2000));
  const results = parts.map((part) => send(part));
  await until(() => platform.posts().length === parts.length, 1000);
  for (const result of results) assert.equal((await result).type, "sent");
  const all = shown(platform.posts()).join("\n");
  for (const [n] of paragraphs.entries()) assert.ok(all.includes(`Paragraph ${n}:`));
});

test("a live post becomes the reply, also over a restart", async (t) => {
  const { platform, open, until, clock, killNow } = await createDiscordStage(t);
  const { owner: channelId } = platform.chats;
  const turnId = newTurnId(clock.now());
  const deliveryId = deliveryIdOf(turnId, 0);
  const first = open();
  await first.adapter.start();
  await first.adapter.showEvent(channelId, turnId, { type: "agent_start", model: "m", resumed: false });
  await first.adapter.showEvent(channelId, turnId, { type: "text_delta", delta: "The ans" });
  await until(() => platform.posts(channelId).length === 1, 100);
  assert.deepEqual(shown(platform.posts(channelId)), ["The ans"]);
  const [live] = platform.calls.filter(({ name }) => name === "createMessage");
  assert.deepEqual([live?.body["flags"], live?.body["allowed_mentions"]], [4, { parse: [] }], "no preview, no ping");
  // Killed when Discord has made the change and its answer is lost.
  platform.fail({ type: "cut", method: "editMessage" });
  const reply = { deliveryId, text: "The answer.", turnId };
  assert.equal((await first.adapter.sendMessage(channelId, reply)).type, "unknown");
  killNow();
  await first.adapter.stop();

  const second = open();
  await second.adapter.start();
  const sent = await second.adapter.sendMessage(channelId, reply);
  assert.deepEqual(sent, { type: "sent", messageId: platform.posts(channelId)[0]?.id });
  assert.deepEqual(shown(platform.posts(channelId)), ["The answer."]);
  assert.equal(platform.posts(channelId).length, 1);
});

test("a live post that a killed life has not written down is found again by its nonce", async (t) => {
  const { platform, open, until, clock, killNow } = await createDiscordStage(t);
  const { owner: channelId } = platform.chats;
  const turnId = newTurnId(clock.now());
  const first = open();
  await first.adapter.start();
  killNow();
  await first.adapter.showEvent(channelId, turnId, { type: "text_delta", delta: "The ans" });
  await until(() => platform.posts(channelId).length === 1, 100);
  await first.adapter.stop();

  const second = open();
  await second.adapter.start();
  await second.adapter.showEvent(channelId, turnId, { type: "text_delta", delta: "The ans" });
  await until(() => platform.calls.filter(({ name }) => name === "createMessage").length === 2, 100);
  const reply = { deliveryId: deliveryIdOf(turnId, 0), text: "The answer.", turnId };
  assert.equal((await second.adapter.sendMessage(channelId, reply)).type, "sent");
  assert.deepEqual(shown(platform.posts(channelId)), ["The answer."]);
});

test("a live post that somebody has deleted, or that cannot become a native reply, gives way to a new post", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { owner: channelId } = platform.chats;
  const { adapter } = open();
  await adapter.start();
  const id = platform.say({ channelId, userId: platform.people.owner, text: "question" });
  for (const [n, how] of ["deleted", "reply"].entries()) {
    const turnId = newTurnId(clock.now());
    await adapter.showEvent(channelId, turnId, { type: "text_delta", delta: `live ${n}` });
    await until(() => shown(platform.posts(channelId)).includes(`live ${n}`), 100);
    const live = platform.posts(channelId).at(-1);
    if (how === "deleted") platform.remove(live?.id ?? "");
    const reply = { deliveryId: deliveryIdOf(turnId, 0), text: `reply ${n}`, turnId };
    const sent = await adapter.sendMessage(channelId, { ...reply, ...(how === "reply" && { replyTo: id }) });
    assert.equal(sent.type, "sent");
  }
  assert.deepEqual(shown(platform.posts(channelId)), ["reply 0", "reply 1"]);
  assert.equal(platform.posts(channelId).at(-1)?.replyTo, id);
});

test("mom types while she works, and her emoji is on the message", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { owner: channelId } = platform.chats;
  const { adapter, heard } = open({ ackReaction: "👀" });
  await adapter.start();
  const id = platform.say({ channelId, userId: platform.people.owner, text: "work" });
  await until(() => heard.length === 1);
  const turnId = newTurnId(clock.now());
  const count = (name: string) => platform.calls.filter((call) => call.name === name).length;
  await adapter.showEvent(channelId, turnId, { type: "turn_start" }, heard[0]);
  await until(() => count("typing") === 1 && count("addReaction") === 1);
  await until(() => count("typing") === 2, 1000);
  await adapter.showEvent(channelId, turnId, { type: "agent_end", stopReason: "stop" }, heard[0]);
  await until(() => count("removeReaction") === 1);
  assert.deepEqual(platform.calls.find(({ name }) => name === "addReaction")?.ids, [channelId, id, "👀"]);
});

test("tool details go in a thread below the reply, for who wants them in full", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { group: channelId } = platform.chats;
  const { adapter } = open({ toolOutput: "full" });
  await adapter.start();
  await until(() => adapter.getChannelInfo(channelId) !== undefined);
  const turnId = newTurnId(clock.now());
  const tool = { toolCallId: "c1", toolName: "bash", label: "look around" };
  await adapter.showEvent(channelId, turnId, { type: "tool_execution_start", ...tool, args: {} });
  const end = {
    type: "tool_execution_end",
    ...tool,
    text: "a.txt",
    details: {},
    durationMs: 40,
    isError: false,
  } as const;
  await adapter.showEvent(channelId, turnId, end);
  await adapter.showEvent(channelId, turnId, { type: "agent_end", stopReason: "stop" });
  const sent = await adapter.sendMessage(channelId, { deliveryId: deliveryIdOf(turnId, 0), text: "Done.", turnId });
  assert.ok(sent.type === "sent");
  await until(() => platform.posts(sent.messageId).length === 1, 100);
  assert.match(platform.posts(sent.messageId)[0]?.text ?? "", /look around[\s\S]*a\.txt/);
});

test("files go up with their caption, once; links and what is too large do not", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter } = open();
  await adapter.start();
  const folder = await mkdtemp(join(tmpdir(), "mom-discord-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "report.csv"), "a,b\n1,2\n");
  await symlink(join(folder, "report.csv"), join(folder, "link.csv"));
  const upload = (filename: string) =>
    adapter.uploadFile(platform.chats.owner, {
      deliveryId: `f.${filename}` as DeliveryId,
      path: join(folder, filename),
      filename,
      caption: "The **report**.",
    });
  platform.fail({ type: "cut" });
  assert.equal((await upload("report.csv")).type, "unknown");
  assert.equal((await upload("report.csv")).type, "sent");
  assert.equal((await upload("link.csv")).type, "rejected");
  assert.deepEqual(
    platform.posts().map(({ text, files }) => [text, files]),
    [["The **report**.", [{ filename: "report.csv", bytes: 8 }]]],
  );
});

test("reactions, pins, polls and threads, each the same when made twice", async (t) => {
  const { platform, open, clock } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  const { group: channelId } = platform.chats;
  const sent = await send("look", { channelId });
  assert.ok(sent.type === "sent");
  const { messageId } = sent;
  let n = 0;
  const act = async (action: ChannelAction) => {
    const deliveryId = `a.${++n}` as DeliveryId;
    await clock.advance(5000);
    const first = await adapter.act(channelId, { deliveryId, action });
    assert.deepEqual(await adapter.act(channelId, { deliveryId, action }), first);
    return first;
  };
  const post = () => platform.posts(channelId).find(({ id }) => id === messageId);
  await act({ type: "react", messageId, emoji: ":thumbsup:" });
  await act({ type: "pin", messageId });
  assert.deepEqual([post()?.reactions, post()?.isPinned], [["👍"], true]);
  await act({ type: "react", messageId, emoji: "👍", remove: true });
  await act({ type: "pin", messageId, remove: true });
  assert.deepEqual([post()?.reactions, post()?.isPinned], [[], false]);
  assert.equal((await act({ type: "react", messageId, emoji: "no such thing" })).type, "rejected");

  const poll = await act({ type: "poll", question: "Lunch?", options: ["soup", "salad"], allowsMultiple: true });
  assert.ok(poll.type === "sent");
  const asked = platform.posts(channelId).find(({ id }) => id === poll.messageId)?.poll;
  assert.deepEqual(asked, { question: "Lunch?", answers: ["soup", "salad"], isMultiple: true });
  for (const wrong of [{ isAnonymous: true }, { question: "x".repeat(301) }]) {
    const result = await act({ type: "poll", question: "Lunch?", options: ["soup", "salad"], ...wrong });
    assert.equal(result.type, "rejected");
  }
});

test("a thread hangs from the message that is named, else from its own text", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter, send } = open();
  await adapter.start();
  const { group: channelId, owner } = platform.chats;
  const sent = await send("look", { channelId });
  assert.ok(sent.type === "sent");
  const begin = (deliveryId: string, messageId?: string, chat = channelId) =>
    adapter.act(chat, {
      deliveryId: deliveryId as DeliveryId,
      action: { type: "thread", name: "Ideas", text: "first", ...(messageId !== undefined && { messageId }) },
    });
  platform.fail({ type: "cut", method: "createThread" });
  assert.equal((await begin("t.1", sent.messageId)).type, "unknown");
  assert.deepEqual(await begin("t.1", sent.messageId), { type: "sent", messageId: sent.messageId });
  assert.deepEqual(shown(platform.posts(sent.messageId)), ["first"]);
  const own = await begin("t.2");
  assert.ok(own.type === "sent");
  assert.equal(platform.posts(channelId).at(-1)?.id, own.messageId);
  assert.equal((await begin("t.3", undefined, owner)).type, "rejected", "a direct chat has no threads");
});
