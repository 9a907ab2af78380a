/** A running turn on Slack: live posts, streams, and that the reply is seen once whatever happens in between. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { FakePlatform } from "../../../test/fakes/platform.ts";
import { startSlackStage } from "../../../test/fakes/slack/stage.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { SlackAdapter } from "./adapter.ts";

const turnId = "t1" as TurnId;
const deliveryId = "t1.0" as DeliveryId;
const tool = { toolCallId: "c1", toolName: "bash", label: "bash: ls" };
const toolStart: AgentSessionEvent = { type: "tool_execution_start", ...tool, args: {} };
const toolEnd: AgentSessionEvent = {
  type: "tool_execution_end",
  ...tool,
  text: "a.txt",
  details: {},
  durationMs: 300,
  isError: false,
};
const text = (delta: string): AgentSessionEvent => ({ type: "text_delta", delta });

const visible = (platform: FakePlatform, channelId: string) =>
  platform.posts(channelId).flatMap((post) => (post.isDeleted ? [] : [post.text]));

/** A turn that answers somebody, in a direct chat or in a channel. */
async function startTurn(t: TestContext, where: "owner" | "group", config?: Record<string, unknown>) {
  const stage = await startSlackStage(t, config);
  const { platform, heard, until, adapter } = stage;
  const channelId = platform.chats[where];
  platform.say({ channelId, userId: platform.people.owner, text: "look", mention: true });
  await until(() => heard.length === 1 && platform.unacknowledged === 0);
  const cause = heard[0] ?? assert.fail();
  const show = (event: AgentSessionEvent, by: SlackAdapter = adapter) => by.showEvent(channelId, turnId, event, cause);
  const reply = (words: string, by: SlackAdapter = adapter) =>
    by.sendMessage(channelId, { deliveryId, turnId, text: words, cause });
  return { ...stage, channelId, cause, show, reply };
}

test("a quick answer is one post, without any show", async (t) => {
  const { platform, channelId, show, reply } = await startTurn(t, "owner");
  await show(text("quick"));
  assert.equal((await reply("quick")).type, "sent");
  assert.deepEqual(
    platform.posts(channelId).map(({ edits }) => edits),
    [0],
  );
});

test("a slow turn tells what it does, grows, and becomes the reply", async (t) => {
  const { platform, channelId, show, reply, until } = await startTurn(t, "owner");
  await show(toolStart);
  await until(() => platform.posts(channelId).length === 1, 200);
  assert.match(visible(platform, channelId)[0] ?? "", /^→ bash: ls/);
  await show(text("The folder holds"));
  await until(() => visible(platform, channelId)[0] === "The folder holds", 200);
  const result = await reply("The folder holds one file.");
  const [post, ...more] = platform.posts(channelId);
  assert.deepEqual(result, { type: "sent", messageId: post?.id });
  assert.equal(more.length, 0);
  assert.deepEqual(visible(platform, channelId), ["The folder holds one file."]);
});

test("the next life edits the same post into the reply, also when the answer to that was lost", async (t) => {
  const { platform, channelId, show, reply, until, createAdapter, clock } = await startTurn(t, "owner");
  await show(text("half of"));
  await until(() => platform.posts(channelId).length === 1, 200);
  await clock.advance(3_000);
  platform.fail({ type: "cut", method: "chat.update" });
  assert.equal((await reply("half of it, and the rest")).type, "unknown");

  const next = createAdapter();
  t.after(() => next.adapter.stop());
  await next.adapter.start();
  assert.deepEqual(await next.adapter.settle(channelId, deliveryId), { type: "not-sent" }, "a change is safe twice");
  const result = await reply("half of it, and the rest", next.adapter);
  assert.deepEqual(result, { type: "sent", messageId: platform.posts(channelId)[0]?.id });
  assert.deepEqual(visible(platform, channelId), ["half of it, and the rest"]);
  assert.equal(platform.posts(channelId).length, 1);
});

test("a live post that somebody has deleted is posted anew", async (t) => {
  const { platform, channelId, show, reply, until } = await startTurn(t, "owner");
  await show(text("half of"));
  await until(() => platform.posts(channelId).length === 1, 200);
  const live = platform.workspace.find(channelId, platform.posts(channelId)[0]?.id);
  assert.ok(live);
  live.isDeleted = true;
  assert.equal((await reply("whole")).type, "sent");
  assert.deepEqual(visible(platform, channelId), ["whole"]);
});

test("in a thread a growing text is streamed by Slack itself, and ends as an ordinary post", async (t) => {
  const { platform, channelId, cause, show, reply, until } = await startTurn(t, "group");
  await show(text("The first words"));
  await until(() => platform.posts(channelId).length === 1, 200);
  await show(text(", and more"));
  await until(() => visible(platform, channelId)[0] === "The first words, and more", 200);
  const [start] = platform.calls("chat.startStream");
  assert.deepEqual([start?.args["recipient_user_id"], start?.args["recipient_team_id"]], ["U0OWNER", "T0ACME"]);
  assert.equal(platform.calls("chat.appendStream").length, 1);
  const result = await reply("The first words, and more. **Done**");
  const [post, ...more] = platform.posts(channelId);
  assert.deepEqual(result, { type: "sent", messageId: post?.id });
  assert.equal(more.length, 0);
  assert.deepEqual([post?.text, post?.replyTo], ["The first words, and more. **Done**", cause.id]);
  assert.equal(platform.workspace.find(channelId, post?.id)?.isStreaming, false);
});

test("a stream that was left open by a crash is finished and becomes the reply", async (t) => {
  const { platform, channelId, show, reply, until, createAdapter, clock } = await startTurn(t, "group");
  await show(text("The first words"));
  await until(() => platform.posts(channelId).length === 1, 200);
  await clock.advance(3_000);
  const next = createAdapter();
  t.after(() => next.adapter.stop());
  await next.adapter.start();
  const result = await reply("The whole reply", next.adapter);
  const [post, ...more] = platform.posts(channelId);
  assert.deepEqual(result, { type: "sent", messageId: post?.id });
  assert.equal(more.length, 0);
  assert.deepEqual(visible(platform, channelId), ["The whole reply"]);
});

test("a text that changes goes on by edits, and a stream that Slack has closed too", async (t) => {
  const { platform, channelId, show, reply, until } = await startTurn(t, "group");
  await show(text("one"));
  await until(() => platform.posts(channelId).length === 1, 200);
  const stream = platform.workspace.find(channelId, platform.posts(channelId)[0]?.id);
  assert.ok(stream?.isStreaming);
  stream.isStreaming = false;
  await show(text(" two"));
  await until(() => visible(platform, channelId)[0] === "one two", 200);
  assert.equal(platform.calls("chat.update").length, 1);
  await show({ type: "message_end", text: "one two", hasToolCalls: true, usage: noUsage });
  await show(toolStart);
  await until(() => visible(platform, channelId)[0]?.startsWith("→") === true, 200);
  assert.equal((await reply("three")).type, "sent");
  assert.deepEqual(visible(platform, channelId), ["three"]);
});

test("where Slack does not stream, the same is done by edits", async (t) => {
  const { platform, channelId, show, reply, until } = await startTurn(t, "group");
  platform.settings.canStream = false;
  await show(text("one"));
  await until(() => platform.posts(channelId).length === 1, 200);
  assert.equal(platform.calls("chat.startStream").length, 1);
  assert.equal((await reply("one two")).type, "sent");
  assert.deepEqual(visible(platform, channelId), ["one two"]);
});

for (const [where, method] of [
  ["owner", "chat.postMessage"],
  ["group", "chat.startStream"],
] as const) {
  test(`a live post whose answer is lost (${method}) is found and used`, async (t) => {
    const { platform, channelId, show, reply, until } = await startTurn(t, where);
    platform.fail({ type: "cut", method });
    await show(text("one"));
    await until(() => platform.posts(channelId).length === 1, 200);
    await show(text(" two"));
    await until(() => visible(platform, channelId)[0] === "one two", 200);
    assert.equal((await reply("one two three")).type, "sent");
    assert.deepEqual(visible(platform, channelId), ["one two three"]);
  });

  test(`a live post that nobody knows of after a crash (${method}) is taken away`, async (t) => {
    const { platform, channelId, show, until, memory, createAdapter, reply } = await startTurn(t, where);
    await show(text("one"));
    // Killed between Slack's yes and the line that remembers it.
    await until(() => memory.has("live-calls") && platform.posts(channelId).length === 1, 200);
    memory.delete("live-posts");
    const next = createAdapter();
    t.after(() => next.adapter.stop());
    const kept = structuredClone(memory.get("live-calls"));
    await next.adapter.start();
    assert.notDeepEqual(kept, {});
    await until(() => platform.posts(channelId)[0]?.isDeleted === true);
    assert.equal((await reply("one two", next.adapter)).type, "sent");
    assert.deepEqual(visible(platform, channelId), ["one two"]);
  });
}

test("silence takes the live post away", async (t) => {
  const { platform, channelId, show, until } = await startTurn(t, "group");
  await show(toolStart);
  await until(() => platform.posts(channelId).length === 1, 200);
  await show({ type: "agent_end", stopReason: "stop" });
  await until(() => visible(platform, channelId).length === 0, 500);
});

test("details of tools and the usage line go to the thread below the reply", async (t) => {
  const { platform, channelId, cause, show, reply, until } = await startTurn(t, "group", { usageLine: true });
  await show(toolStart);
  await show(toolEnd);
  await show({
    type: "message_end",
    text: "Done",
    hasToolCalls: false,
    usage: { ...noUsage, input: 1_200, output: 30 },
  });
  const result = await reply("Done");
  assert.ok(result.type === "sent");
  await until(() => platform.posts(channelId).length === 3, 200);
  const [, tools, usage] = platform.posts(channelId);
  assert.match(tools?.text ?? "", /✓ bash: ls/);
  assert.match(usage?.text ?? "", /tokens: 1\.2k in, 30 out/i);
  assert.deepEqual([tools?.replyTo, usage?.replyTo], [cause.id, cause.id]);
});

test("mom's emoji is on the message while she works, and her status in the thread", async (t) => {
  const { platform, channelId, cause, show, reply, until } = await startTurn(t, "group", { ackReaction: "👀" });
  await show(toolStart);
  const eyes = () => platform.workspace.find(channelId, cause.id)?.reactions.get("eyes")?.size;
  await until(() => eyes() === 1 && platform.posts(channelId).length === 1, 200);
  assert.equal((await reply("Done")).type, "sent");
  const statuses = () =>
    platform.calls("assistant.threads.setStatus").map(({ args }) => [args["thread_ts"], args["status"]]);
  await until(() => eyes() === 0 && statuses().length === 2);
  assert.deepEqual(statuses(), [
    [cause.id, "is thinking…"],
    [cause.id, ""],
  ]);
});

test("an app without the assistant feature is asked for a status once", async (t) => {
  const { platform, clock, show, until } = await startTurn(t, "group");
  platform.settings.hasAssistant = false;
  await show(toolStart);
  await until(() => platform.calls("assistant.threads.setStatus").length === 1);
  await clock.advance(200_000);
  await until(() => true);
  assert.equal(platform.calls("assistant.threads.setStatus").length, 1);
});

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } } as Extract<
  AgentSessionEvent,
  { type: "message_end" }
>["usage"];
