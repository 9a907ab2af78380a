/** Running turns: drafts in direct chats, live posts that become the reply elsewhere, also over a restart. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createMemory, openStage, type StageOptions } from "../../../test/fakes/telegram/rig.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";

async function open(context: TestContext, options?: StageOptions) {
  const stage = await openStage(context, options);
  await stage.adapter.start();
  const { chats } = stage.platform;
  const turnId = "t1" as TurnId;
  const write = (channelId: string, delta: string) =>
    stage.adapter.showEvent(channelId, turnId, { type: "text_delta", delta });
  const reply = (channelId: string, text: string, more: object = {}) =>
    stage.adapter.sendMessage(channelId, { deliveryId: "t1.0" as DeliveryId, text, turnId, ...more });
  const visible = (channelId: string) => stage.platform.posts(channelId).filter(({ isDeleted }) => !isDeleted);
  return { ...stage, chats, turnId, write, reply, visible };
}

test("in a direct chat a draft grows and gives way to the reply", async (context) => {
  const { platform, chats, write, reply, visible, until } = await open(context);
  await write(chats.owner, "The answer");
  await until(() => platform.drafts(chats.owner).length === 1, 200);
  await write(chats.owner, " is **42**");
  await until(() => platform.drafts(chats.owner)[0]?.text === "The answer is 42", 200);
  assert.equal(visible(chats.owner).length, 0);
  assert.equal((await reply(chats.owner, "The answer is **42**.")).type, "sent");
  assert.deepEqual(
    visible(chats.owner).map(({ text, edits }) => [text, edits]),
    [["The answer is 42.", 0]],
  );
  assert.deepEqual(platform.drafts(chats.owner), []);
});

test("a quick answer has no draft", async (context) => {
  const { platform, chats, write, reply, clock } = await open(context);
  await write(chats.owner, "42");
  await clock.advance(1_000);
  await reply(chats.owner, "42");
  await clock.advance(5_000);
  assert.ok(!platform.calls.some(({ method, params }) => /Draft$/.test(method) && params["chat_id"] !== 0));
});

test("a draft is sent again before it vanishes", async (context) => {
  const { platform, chats, write, until } = await open(context);
  const drafts = () =>
    platform.calls.filter(({ method, params }) => method === "sendRichMessageDraft" && params["chat_id"] !== 0);
  await write(chats.owner, "this takes long");
  await until(() => drafts().length === 1, 200);
  await until(() => drafts().length === 2, 500);
  assert.deepEqual(drafts()[0]?.params, drafts()[1]?.params);
  assert.ok(platform.state.actions.length >= 4);
});

test("a reply in a direct chat whose answer was lost stays in doubt, whatever was drafted, also after a restart", async (context) => {
  const memory = createMemory();
  const { platform, adapter, clock, chats, write, reply, until } = await open(context, { memory });
  await write(chats.owner, "long");
  await until(() => platform.drafts(chats.owner).length === 1, 200);
  platform.fail({ type: "cut" });
  assert.equal((await reply(chats.owner, "long answer")).type, "unknown");
  assert.deepEqual(await adapter.settle(chats.owner, "t1.0" as DeliveryId), { type: "unknown" });
  await adapter.stop();
  const later = await open(context, { memory, platform, clock });
  assert.deepEqual(await later.adapter.settle(chats.owner, "t1.0" as DeliveryId), { type: "unknown" });
});

test("in a group a live post tells what goes on and becomes the reply", async (context) => {
  const { platform, adapter, chats, turnId, write, reply, visible, until } = await open(context);
  const tool = { toolCallId: "c1", toolName: "bash", label: "bash: ls", args: {} };
  await adapter.showEvent(chats.group, turnId, { type: "tool_execution_start", ...tool });
  await until(() => visible(chats.group).length === 1, 200);
  assert.match(visible(chats.group)[0]?.text ?? "", /→ bash: ls/);
  await write(chats.group, "Two files");
  await until(() => visible(chats.group)[0]?.text === "Two files", 200);
  assert.equal((await reply(chats.group, "Two files.")).type, "sent");
  const [only, ...more] = visible(chats.group);
  assert.deepEqual([only?.text, more], ["Two files.", []]);
  // Nothing is edited after that.
  const edits = only?.edits;
  await until(() => true);
  await adapter.showEvent(chats.group, turnId, { type: "agent_end", stopReason: "stop" });
  assert.equal(visible(chats.group)[0]?.edits, edits);
  assert.equal(platform.posts(chats.group).length, 1);
});

test("a live post is taken over by the same delivery after a restart, and seen once", async (context) => {
  const memory = createMemory();
  const first = await open(context, { memory });
  const { platform, chats, clock } = first;
  await first.write(chats.group, "half of it");
  await first.until(() => first.visible(chats.group).length === 1, 200);
  platform.fail({ type: "cut", method: "editMessageText" });
  assert.equal((await first.reply(chats.group, "all of it")).type, "unknown");
  await first.adapter.stop();

  const second = await open(context, { memory, platform, clock });
  assert.deepEqual(await second.adapter.settle(chats.group, "t1.0" as DeliveryId), { type: "not-sent" });
  assert.equal((await second.reply(chats.group, "all of it")).type, "sent");
  assert.deepEqual(
    second.visible(chats.group).map(({ text }) => text),
    ["all of it"],
  );
});

test("killed before the reply: the turn goes on with the post that is there", async (context) => {
  const memory = createMemory();
  const first = await open(context, { memory });
  const { platform, chats, clock } = first;
  await first.write(chats.group, "half of it");
  await first.until(() => first.visible(chats.group).length === 1, 200);
  await first.adapter.stop();
  const second = await open(context, { memory, platform, clock });
  assert.equal((await second.reply(chats.group, "all of it")).type, "sent");
  assert.deepEqual(
    second.visible(chats.group).map(({ text }) => text),
    ["all of it"],
  );
});

test("a live post that somebody deleted is posted anew", async (context) => {
  const { platform, chats, write, reply, visible, until } = await open(context);
  await write(chats.group, "here it");
  await until(() => visible(chats.group).length === 1, 200);
  platform.message(chats.group, visible(chats.group)[0]?.id ?? "").isDeleted = true;
  assert.equal((await reply(chats.group, "here it is")).type, "sent");
  assert.deepEqual(
    visible(chats.group).map(({ text }) => text),
    ["here it is"],
  );
});

test("a native reply cannot be made of a live post: that one goes", async (context) => {
  const { platform, chats, write, reply, visible, until, next } = await open(context);
  const id = platform.say({ channelId: chats.group, userId: platform.people.owner, text: "why?" });
  await next();
  await write(chats.group, "because");
  await until(() => visible(chats.group).length === 1, 200);
  assert.equal((await reply(chats.group, "because so", { replyTo: id })).type, "sent");
  assert.deepEqual(
    visible(chats.group).map(({ text, replyTo }) => [text, replyTo]),
    [["because so", id]],
  );
});

test("a live post in doubt is not made a second time", async (context) => {
  const { platform, chats, write, reply, visible, until, clock } = await open(context);
  platform.fail({ type: "cut" });
  await write(chats.group, "may be");
  await until(() => visible(chats.group).length === 1, 200);
  await write(chats.group, " there");
  await clock.advance(30_000);
  assert.equal((await reply(chats.group, "the reply")).type, "sent");
  assert.deepEqual(
    visible(chats.group).map(({ text }) => text),
    ["may be", "the reply"],
  );
});

test("a turn that ends without a reply leaves no post behind", async (context) => {
  const { adapter, chats, turnId, write, visible, until } = await open(context);
  await write(chats.group, "never mind");
  await until(() => visible(chats.group).length === 1, 200);
  await adapter.showEvent(chats.group, turnId, { type: "agent_end", stopReason: "aborted" });
  await until(() => visible(chats.group).length === 0, 1_000);
});

test("on an old server a direct chat has a live post too", async (context) => {
  const { platform, chats, write, reply, visible, until } = await open(context, {
    platform: { hasRichMessages: false },
  });
  await write(chats.owner, "slowly");
  await until(() => visible(chats.owner).length === 1, 200);
  assert.equal((await reply(chats.owner, "slowly done")).type, "sent");
  assert.deepEqual(
    visible(chats.owner).map(({ text }) => text),
    ["slowly done"],
  );
  assert.deepEqual(platform.drafts(chats.owner), []);
});

test("mom's emoji is on the message while she works", async (context) => {
  const { platform, adapter, chats, turnId, reply, next, until } = await open(context, {
    config: { ackReaction: "👀" },
  });
  const id = platform.say({ channelId: chats.group, userId: platform.people.owner, text: "do it", mention: true });
  const cause = await next();
  await adapter.showEvent(chats.group, turnId, { type: "turn_start" }, cause);
  await until(() => platform.message(chats.group, id).reactions[0] === "👀");
  await adapter.showEvent(chats.group, turnId, { type: "agent_end", stopReason: "stop" }, cause);
  await reply(chats.group, "done");
  await until(() => platform.message(chats.group, id).reactions.length === 0);
});

test("after a file the live post comes again below it", async (context) => {
  const { platform, adapter, chats, turnId, write, visible, until } = await open(context);
  await write(chats.group, "working");
  await until(() => visible(chats.group).length === 1, 200);
  const file = { deliveryId: "f" as DeliveryId, path: import.meta.filename, filename: "self.ts", turnId };
  assert.equal((await adapter.uploadFile(chats.group, file)).type, "sent");
  await write(chats.group, " on");
  await until(() => visible(chats.group).at(-1)?.text === "working on", 500);
  assert.deepEqual(
    visible(chats.group).map(({ files }) => files.length),
    [1, 0],
  );
  assert.equal(platform.posts(chats.group).length, 3);
});
