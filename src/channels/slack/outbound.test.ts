/** Mom's posts on Slack: where they go, how they look, and what becomes of them when calls fail. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createSlackStage, startSlackStage } from "../../../test/fakes/slack/stage.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { ChannelMessage } from "../../contracts/message.ts";

const id = (text: string) => text as DeliveryId;

/** A message that somebody said, as the turn that answers it gets it. */
async function hear(
  { platform, heard, until }: Awaited<ReturnType<typeof startSlackStage>>,
  said: { channelId: string; text: string; replyTo?: string },
): Promise<ChannelMessage> {
  const count = heard.length + 1;
  platform.say({ userId: platform.people.owner, mention: true, ...said });
  await until(() => heard.length === count && platform.unacknowledged === 0);
  return heard.at(-1) ?? assert.fail();
}

test("replies go to a thread in channels and stay in place in direct chats", async (t) => {
  const stage = await startSlackStage(t);
  const { platform, adapter } = stage;
  const { owner, group } = platform.chats;
  const question = await hear(stage, { channelId: group, text: "?" });
  const inThread = await hear(stage, { channelId: group, text: "??", replyTo: question.id });
  const direct = await hear(stage, { channelId: owner, text: "?" });
  const directThread = await hear(stage, { channelId: owner, text: "??", replyTo: direct.id });
  await adapter.sendMessage(group, { deliveryId: id("a"), text: "a", cause: question });
  await adapter.sendMessage(group, { deliveryId: id("b"), text: "b", cause: inThread });
  await adapter.sendMessage(group, { deliveryId: id("c"), text: "c", cause: inThread, replyTo: inThread.id });
  await adapter.sendMessage(group, { deliveryId: id("d"), text: "d" });
  await adapter.sendMessage(group, { deliveryId: id("e"), text: "e", replyTo: inThread.id });
  await adapter.sendMessage(owner, { deliveryId: id("f"), text: "f", cause: direct });
  await adapter.sendMessage(owner, { deliveryId: id("g"), text: "g", cause: directThread });
  await adapter.sendMessage(owner, { deliveryId: id("h"), text: "h", replyTo: direct.id });
  assert.deepEqual(
    platform.posts().map(({ text, replyTo }) => [text, replyTo]),
    [
      ["a", question.id],
      ["b", question.id],
      ["c", question.id],
      ["d", undefined],
      ["e", question.id],
      ["f", undefined],
      ["g", direct.id],
      ["h", direct.id],
    ],
  );
});

test("a thread that is gone, or never was on Slack, does not cost the reply", async (t) => {
  const stage = await startSlackStage(t);
  const { platform, adapter } = stage;
  const { group } = platform.chats;
  const cause = await hear(stage, { channelId: group, text: "?" });
  platform.remove(group, cause.id);
  platform.fail({
    type: "status",
    method: "chat.postMessage",
    status: 200,
    body: { ok: false, error: "thread_not_found" },
  });
  platform.fail({ type: "cut" });
  const message = { deliveryId: id("a"), text: "a", cause };
  assert.equal((await adapter.sendMessage(group, message)).type, "unknown");
  const [post] = platform.posts();
  assert.deepEqual(await adapter.settle(group, id("a")), { type: "sent", messageId: post?.id });
  await adapter.sendMessage(group, { deliveryId: id("b"), text: "b", cause: { ...cause, id: "reminder-7" } });
  await adapter.sendMessage(group, { deliveryId: id("c"), text: "c", replyTo: "what you said" });
  assert.deepEqual(
    platform.posts().map(({ text, replyTo }) => [text, replyTo]),
    [
      ["a", undefined],
      ["b", undefined],
      ["c", undefined],
    ],
  );
});

test("replies stay in the channel where the config says so, except for what was said in a thread", async (t) => {
  const stage = await startSlackStage(t, { replies: "channel" });
  const { platform, adapter } = stage;
  const { group } = platform.chats;
  const question = await hear(stage, { channelId: group, text: "?" });
  const inThread = await hear(stage, { channelId: group, text: "??", replyTo: question.id });
  await adapter.sendMessage(group, { deliveryId: id("a"), text: "a", cause: question });
  await adapter.sendMessage(group, { deliveryId: id("b"), text: "b", cause: inThread });
  assert.deepEqual(
    platform.posts().map(({ replyTo }) => replyTo),
    [undefined, question.id],
  );
});

test("a long reply is split into posts that Slack takes", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  const words = Array.from({ length: 3_500 }, (_, n) => `word${n}`);
  const parts = adapter.render(words.join(" "));
  assert.ok(parts.length > 2);
  for (const [n, text] of parts.entries()) {
    assert.equal((await adapter.sendMessage(platform.chats.owner, { deliveryId: id(`p.${n}`), text })).type, "sent");
  }
  const shown = platform.posts().flatMap(({ text }) => text.split(" "));
  assert.deepEqual(shown, words);
  const tooLong = await adapter.sendMessage(platform.chats.owner, { deliveryId: id("x"), text: "x".repeat(12_001) });
  assert.deepEqual(tooLong, { type: "rejected", reason: "Slack: the text is too long (msg_too_long)" });
});

test("a server that takes no Markdown gets mrkdwn, mentions included, and is not asked twice", async (t) => {
  const { platform, adapter, until } = await startSlackStage(t);
  platform.settings.takesMarkdown = false;
  await until(() => adapter.getUsers().length === 3);
  const [text = ""] = adapter.render("**bold** for @bob, a < b, `<@U0OTHER>` and [a link](https://a.example/)");
  await adapter.sendMessage(platform.chats.owner, { deliveryId: id("a"), text });
  await adapter.sendMessage(platform.chats.owner, { deliveryId: id("b"), text });
  const expected = "*bold* for <@U0OTHER>, a &lt; b, `&lt;@U0OTHER&gt;` and <https://a.example/|a link>";
  assert.deepEqual(
    platform.posts().map((post) => post.text),
    [expected, expected],
  );
  assert.equal(platform.calls("chat.postMessage").filter(({ args }) => args["markdown_text"] !== undefined).length, 1);
  // Longer than Slack lets a changed text be.
  const [long = ""] = adapter.render("many words ".repeat(900));
  const sent = await adapter.sendMessage(platform.chats.owner, { deliveryId: id("c"), text: "short" });
  assert.ok(sent.type === "sent");
  assert.equal((await adapter.updateMessage(platform.chats.owner, sent.messageId, long)).type, "sent");
  assert.equal(
    platform
      .posts()
      .at(-1)
      ?.text.split(/\s+/)
      .filter((word) => word !== "").length,
    1_800,
  );
});

test("a chat that Slack limits waits, others do not", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  platform.fail({ type: "status", status: 429, retryAfterMs: 30_000 });
  const post = (channelId: string, deliveryId: string) =>
    adapter.sendMessage(channelId, { deliveryId: id(deliveryId), text: deliveryId });
  const limited = await post(platform.chats.group, "a");
  assert.ok(limited.type === "retry");
  assert.equal(limited.retryAfterMs, 30_000);
  assert.equal((await post(platform.chats.owner, "b")).type, "sent");
  const again = await post(platform.chats.group, "a");
  assert.ok(again.type === "retry" && again.retryAfterMs === 30_000, "Slack is not asked again before its time");
  assert.equal(platform.calls("chat.postMessage").length, 2);
});

for (const place of ["in a direct chat", "in a thread"]) {
  test(`a post ${place} whose answer is lost is found again, by this life and by the next`, async (t) => {
    const stage = await startSlackStage(t);
    const { platform, adapter, heard, until } = stage;
    const isThread = place === "in a thread";
    const channelId = isThread ? platform.chats.group : platform.chats.owner;
    const cause = await hear(stage, { channelId, text: "?" });
    platform.fail({ type: "cut" });
    const message = { deliveryId: id("t1.0"), text: "once", cause };
    assert.equal((await adapter.sendMessage(channelId, message)).type, "unknown");
    const [post] = platform.posts();
    assert.ok(post);
    for (let n = 0; n < 50; n++) {
      platform.say({
        channelId,
        userId: platform.people.other,
        text: `noise ${n}`,
        ...(isThread && { replyTo: cause.id }),
      });
    }
    await until(() => heard.length === 51 && platform.unacknowledged === 0);
    const found = { type: "sent", messageId: post.id };
    assert.deepEqual(await adapter.settle(channelId, message.deliveryId), found);
    assert.deepEqual(await adapter.settle(channelId, id("t1.1")), { type: "not-sent" });

    // Killed before it could ask: the same call once more, from the memory alone.
    platform.fail({ type: "cut" });
    const second = { deliveryId: id("t2.0"), text: "twice", cause };
    assert.equal((await adapter.sendMessage(channelId, second)).type, "unknown");
    const next = stage.createAdapter();
    t.after(() => next.adapter.stop());
    await next.adapter.start();
    await until(() => platform.unacknowledged === 0);
    const { id: messageId } = platform.posts().at(-1) ?? assert.fail();
    assert.deepEqual(await next.adapter.settle(channelId, second.deliveryId), { type: "sent", messageId });
  });
}

test("a lost call that did not arrive is not found, and one that cannot be asked about is left open", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  const { owner } = platform.chats;
  const message = { deliveryId: id("a"), text: "never there" };
  platform.fail({ type: "status", status: 500 });
  assert.equal((await adapter.sendMessage(owner, message)).type, "unknown");
  platform.fail({ type: "status", method: "conversations.history", status: 500 });
  assert.deepEqual(await adapter.settle(owner, message.deliveryId), { type: "unknown" });
  assert.deepEqual(await adapter.settle(owner, message.deliveryId), { type: "not-sent" });
  assert.equal((await adapter.sendMessage(owner, message)).type, "sent");
  assert.equal(platform.posts().length, 1);
});

test("refusals name the fix", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  const message = { deliveryId: id("a"), text: "x" };
  platform.workspace.addChannel({ id: "C0ELSE", name: "elsewhere", kind: "channel", isMember: false });
  const outside = await adapter.sendMessage("C0ELSE", message);
  assert.ok(outside.type === "rejected");
  assert.match(outside.reason, /invite/);
  platform.settings.scopes.delete("reactions:write");
  const refused = await adapter.act(platform.chats.owner, {
    deliveryId: id("r"),
    action: { type: "react", messageId: "1.1", emoji: "👍" },
  });
  assert.ok(refused.type === "rejected");
  assert.match(refused.reason, /lacks the right reactions:write.*OAuth & Permissions/);
});

async function startWithFile(t: TestContext) {
  const stage = await startSlackStage(t);
  const { put } = await createTempFolder(t);
  const path = await put("report.txt", "the report");
  return { ...stage, file: { deliveryId: id("f.0"), path, filename: "report.txt", caption: "**Here** it is" } };
}

test("a file is posted once, with its caption, in the thread, and its message is known", async (t) => {
  const stage = await startWithFile(t);
  const { platform, adapter, until, file } = stage;
  const { group } = platform.chats;
  const cause = await hear(stage, { channelId: group, text: "the report, please" });
  platform.settings.sharesAfter = 2;
  let result: { type: string } | undefined;
  void adapter.uploadFile(group, { ...file, cause }).then((found) => {
    result = found;
  });
  await until(() => result !== undefined, 100);
  const [post] = platform.posts();
  assert.deepEqual(result, { type: "sent", messageId: post?.id });
  assert.deepEqual(post?.files, [{ filename: "report.txt", bytes: 10 }]);
  assert.deepEqual([post?.text, post?.replyTo], ["*Here* it is", cause.id]);
});

test("an upload whose answer is lost is found by its file, also by the next life", async (t) => {
  const stage = await startWithFile(t);
  const { platform, adapter, clock, until, file } = stage;
  const { owner } = platform.chats;
  for (const fault of ["files.getUploadURLExternal", "upload"]) {
    platform.fail({ type: "cut", method: fault });
    assert.equal((await adapter.uploadFile(owner, file)).type, "retry", `${fault}: nobody has seen anything yet`);
  }
  platform.fail({ type: "status", method: "files.completeUploadExternal", status: 500 });
  assert.equal((await adapter.uploadFile(owner, file)).type, "unknown");
  assert.deepEqual(await adapter.settle(owner, file.deliveryId), { type: "unknown" }, "it may still be shared");
  await clock.advance(31_000);
  assert.deepEqual(await adapter.settle(owner, file.deliveryId), { type: "not-sent" });

  platform.fail({ type: "cut", method: "files.completeUploadExternal" });
  assert.equal((await adapter.uploadFile(owner, file)).type, "unknown");
  const next = stage.createAdapter();
  t.after(() => next.adapter.stop());
  await next.adapter.start();
  await until(() => platform.unacknowledged === 0);
  const [post, ...more] = platform.posts();
  assert.equal(more.length, 0);
  assert.deepEqual(await next.adapter.settle(owner, file.deliveryId), { type: "sent", messageId: post?.id });
});

test("reactions and pins: twice is once, with characters and names; polls are refused", async (t) => {
  const { platform, adapter, clock } = await startSlackStage(t);
  const { owner } = platform.chats;
  const messageId = platform.say({ channelId: owner, userId: platform.people.owner, text: "hi" });
  const message = platform.workspace.find(owner, messageId);
  const act = async (action: Parameters<typeof adapter.act>[1]["action"]) => {
    await clock.advance(5_000);
    return adapter.act(owner, { deliveryId: id("x"), action });
  };
  for (const emoji of ["👍🏽", ":thumbsup:", "thumbsup"]) {
    assert.deepEqual(await act({ type: "react", messageId, emoji }), { type: "sent", messageId });
  }
  assert.deepEqual([...(message?.reactions.keys() ?? [])], ["thumbsup"]);
  for (let n = 0; n < 2; n++) {
    const removed = await act({ type: "react", messageId, emoji: "👍", remove: true });
    assert.equal(removed.type, "sent");
    assert.equal((await act({ type: "pin", messageId })).type, "sent");
  }
  assert.equal(message?.reactions.get("thumbsup")?.size, 0);
  assert.deepEqual(platform.workspace.channels.get(owner)?.pins, [messageId]);
  for (let n = 0; n < 2; n++) assert.equal((await act({ type: "pin", messageId, remove: true })).type, "sent");
  const odd = await act({ type: "react", messageId, emoji: "🦤" });
  assert.ok(odd.type === "rejected" && /Known are 👍/.test(odd.reason));
  const poll = await act({ type: "poll", question: "?", options: ["a", "b"] });
  assert.ok(poll.type === "rejected" && /no polls/.test(poll.reason));
});

test("a thread is begun below a message, or with a post of its own", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  const { group } = platform.chats;
  const root = platform.say({ channelId: group, userId: platform.people.owner, text: "hi" });
  const below = { type: "thread" as const, name: "Details", text: "more", messageId: root };
  assert.deepEqual(await adapter.act(group, { deliveryId: id("a"), action: below }), { type: "sent", messageId: root });
  const own = { type: "thread" as const, name: "Plan", text: "first" };
  const begun = await adapter.act(group, { deliveryId: id("b"), action: own });
  const [reply, post] = platform.posts();
  assert.deepEqual([reply?.text, reply?.replyTo], ["more", root]);
  assert.deepEqual([post?.text, post?.replyTo], ["**Plan**\n\nfirst", undefined]);
  assert.deepEqual(begun, { type: "sent", messageId: post?.id });
  assert.deepEqual(await adapter.settle(group, id("b")), begun);
});

test("the channel's own tools react and pin, and say what Slack said", async (t) => {
  const { platform, adapter } = await startSlackStage(t);
  const { owner } = platform.chats;
  const ts = platform.say({ channelId: owner, userId: platform.people.owner, text: "hi" });
  await adapter.actions.addReaction(owner, ts, "eyes");
  await adapter.actions.pinMessage(owner, ts);
  assert.equal(platform.workspace.find(owner, ts)?.reactions.get("eyes")?.size, 1);
  await assert.rejects(adapter.actions.pinMessage(owner, "1.1"), {
    code: "CHANNEL_ACTION_FAILED",
    message: /message_not_found/,
  });
});

test("a button says what it stands for in the presser's name, and is gone when an admin has pressed", async (t) => {
  const stage = await startSlackStage(t, { admins: ["U0OWNER"] });
  const { platform, adapter, heard, until } = stage;
  const { group } = platform.chats;
  const cause = await hear(stage, { channelId: group, text: "rm -rf?" });
  const buttons = [
    { label: "Allow", says: "/approve k3 once", look: "good" as const },
    { label: "Deny", says: "/deny k3", look: "bad" as const },
  ];
  const sent = await adapter.sendMessage(group, { deliveryId: id("q"), text: "**May I?**", cause, buttons });
  assert.ok(sent.type === "sent");
  assert.deepEqual(await adapter.settle(group, id("q")), sent);
  platform.press(group, sent.messageId, "Allow", platform.people.other);
  await until(() => heard.length === 2);
  const press = heard[1];
  assert.deepEqual([press?.text, press?.sender.id, press?.isMention], ["/approve k3 once", "U0OTHER", true]);
  assert.equal(press?.replyTo, sent.messageId);
  platform.press(group, sent.messageId, "Allow", platform.people.owner);
  await until(() => heard.length === 3 && platform.posts()[0]?.edits === 1);
  assert.equal(platform.posts()[0]?.text, "**May I?**\n<@U0OWNER>: Allow");
  // What answers the press goes to the thread of the post.
  await adapter.sendMessage(group, { deliveryId: id("p"), text: "done", ...(press && { cause: press }) });
  assert.equal(platform.posts()[1]?.replyTo, cause.id);
});

test("presses on posts that are not mom's do nothing", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const { group } = platform.chats;
  const ts = platform.say({ channelId: group, userId: "U0CI", text: "", bot: { botId: "B0CI", username: "ci" } });
  const message = platform.workspace.find(group, ts);
  assert.ok(message);
  const text = { type: "plain_text", text: "Go" };
  message.blocks = [{ type: "actions", elements: [{ type: "button", action_id: "mom:0", value: "/stop", text }] }];
  platform.press(group, ts, "Go", platform.people.owner);
  await until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    heard.map(({ sender }) => sender.id),
    ["B0CI"],
  );
});

test("a login can be tried out: who, what is missing, what is wrong", async (t) => {
  const { slackChannel } = await import("./index.ts");
  const { slackConfigSchema } = await import("./config.ts");
  const { platform, clock, log } = await createSlackStage();
  t.after(() => platform.close());
  const check = (config: Record<string, unknown> = {}) =>
    slackChannel.login?.check(slackConfigSchema.parse({ ...platform.config, ...config }), { clock, log });
  assert.deepEqual(await check(), { type: "ok", account: "@mom on Acme", warnings: [] });
  platform.settings.scopes.delete("pins:write");
  const lacking = await check();
  assert.ok(lacking?.type === "ok");
  assert.match(lacking.warnings.map(({ message }) => message).join(), /^the right pins:write is missing/);
  const wrongs = [{ botToken: "xoxp-1" }, { appToken: "xoxb-1" }, { botToken: "xoxb-1" }, { appToken: "xapp-1" }];
  const messages = [/user's token/, /starts with xapp-/, /bot token \(invalid_auth\)/, /app token \(invalid_auth\)/];
  for (const [n, config] of wrongs.entries()) {
    const report = await check(config);
    assert.ok(report?.type === "failed");
    assert.match(report.message, messages[n] ?? /never/);
  }
  assert.equal(platform.opened, 0);
  assert.equal(clock.pending, 0);
});
