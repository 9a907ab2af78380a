/** History and events become what the chat shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalSummary, Result } from "../../src/gateway/protocol/index.ts";
import { applyEvents, type ChatEvent } from "./apply-event.ts";
import { addSending, markFailed, markSent } from "./sending.ts";
import {
  emptyTimeline,
  fromHistory,
  type Item,
  type Timeline,
  withImages,
  withoutSent,
  withSending,
} from "./timeline.ts";

const key = "agent:main:main";
const channel = { adapter: "webchat", channelId: "main" };

/** Builds events with ids that grow, as the server gives them. */
function createScript(start = 1) {
  let next = start;
  const frame = () => ({ id: `life-${next++}`, at: 1_000 + next });
  return {
    agent: (event: Record<string, unknown>, turnId = "t1"): ChatEvent => ({
      ...frame(),
      event: "agent",
      payload: { turnId, event },
    }),
    message: (text: string, messageId: string, turnId = "t1", adapter = "webchat"): ChatEvent => ({
      ...frame(),
      event: "chat.message",
      payload: {
        turnId,
        messageId,
        channel: { adapter, channelId: "x" },
        item: { id: messageId, at: 5, role: "user", text, sender: adapter === "webchat" ? "owner" : "Ann" },
      },
    }),
    post: (
      text: string,
      deliveryId: string,
      rest: { turnId?: string; isAside?: boolean } = { turnId: "t1" },
    ): ChatEvent => ({
      ...frame(),
      event: "chat.post",
      payload: { deliveryId, channel, text, ...rest },
    }),
    file: (filename: string, deliveryId: string): ChatEvent => ({
      ...frame(),
      event: "chat.post",
      payload: { turnId: "t1", deliveryId, channel, file: { filename } },
    }),
    edit: (deliveryId: string, text?: string): ChatEvent => ({
      ...frame(),
      event: "chat.edit",
      payload: { channel, deliveryId, ...(text !== undefined && { text }) },
    }),
    end: (
      state: "done" | "failed" | "stopped" = "done",
      rest: { error?: string; mergedInto?: string } = {},
      turnId = "t1",
    ): ChatEvent => ({
      ...frame(),
      event: "chat.end",
      payload: { turnId, state, ...rest },
    }),
    requested: (approval: ApprovalSummary): ChatEvent => ({
      ...frame(),
      event: "approval.requested",
      payload: { approval },
    }),
    resolved: (id: string): ChatEvent => ({ ...frame(), event: "approval.resolved", payload: { id, sessionKey: key } }),
  };
}

const run = (events: ChatEvent[], from: Timeline = emptyTimeline) => applyEvents(from, events, key);
const textsOf = (items: readonly Item[]) =>
  items.map((item) => (item.type === "tool" ? `[${item.tool.name} ${item.tool.state}]` : item.text));

const usage = {};

test("a streamed reply is shown once, though it is posted, too", () => {
  const script = createScript();
  const timeline = run([
    script.message("hello", "m1"),
    script.agent({ type: "agent_start", model: "x/y" }),
    script.agent({ type: "message_start" }),
    script.agent({ type: "thinking_delta", delta: "hm" }),
    script.agent({ type: "text_delta", delta: "Good " }),
    script.agent({ type: "text_delta", delta: "morning" }),
    script.agent({ type: "message_end", text: "Good morning!", hasToolCalls: false, usage }),
    script.post("Good morning!", "d1"),
    script.end(),
  ]);
  assert.deepEqual(textsOf(timeline.items), ["hello", "Good morning!"]);
  const [, reply] = timeline.items;
  assert.ok(reply?.type === "said" && reply.thinking === "hm" && reply.deliveryId === "d1" && !reply.isStreaming);
  assert.deepEqual(timeline.turns, []);
});

test("the message that grows is marked, and keeps its id from the first piece to the last", () => {
  const script = createScript();
  const first = run([script.agent({ type: "message_start" }), script.agent({ type: "text_delta", delta: "a" })]);
  const second = run([script.agent({ type: "text_delta", delta: "b" })], first);
  const third = run([script.agent({ type: "message_end", text: "ab", hasToolCalls: false })], second);
  assert.deepEqual(
    [first, second, third].map(({ items }) => items[0]?.id),
    Array(3).fill(first.items[0]?.id),
  );
  assert.ok(second.items[0]?.type === "said" && second.items[0].isStreaming && second.items[0].text === "ab");
});

test("pieces whose beginning was missed become the whole message at its end", () => {
  const script = createScript();
  const midway = run([script.agent({ type: "text_delta", delta: "world" })]);
  assert.ok(midway.items[0]?.type === "said" && midway.items[0].isPartial);
  const done = run([script.agent({ type: "message_end", text: "Hello world", hasToolCalls: false })], midway);
  assert.deepEqual(textsOf(done.items), ["Hello world"]);
  assert.ok(done.items[0]?.type === "said" && !done.items[0].isPartial);
});

test("a tool goes from running over waiting to done, with its live output", () => {
  const script = createScript();
  const call = { toolCallId: "c1", toolName: "bash", label: "bash ls" };
  const started = run([script.agent({ type: "tool_execution_start", ...call, args: { command: "ls" } })]);
  const waiting = run([script.agent({ type: "approval_request", toolCallId: "c1", approval: {} })], started);
  assert.deepEqual(textsOf(waiting.items), ["[bash waiting]"]);
  const live = run(
    [
      script.agent({ type: "approval_end", approvalId: "a", toolCallId: "c1" }),
      script.agent({ type: "tool_execution_update", toolCallId: "c1", toolName: "bash", text: "a.txt" }),
    ],
    waiting,
  );
  assert.ok(
    live.items[0]?.type === "tool" && live.items[0].tool.text === "a.txt" && live.items[0].tool.state === "running",
  );
  const end = { ...call, text: "a.txt\nb.txt", details: { exitCode: 0 }, durationMs: 12, isError: false };
  const done = run([script.agent({ type: "tool_execution_end", ...end })], live);
  assert.ok(done.items[0]?.type === "tool" && done.items[0].tool.durationMs === 12);
  assert.deepEqual(textsOf(done.items), ["[bash done]"]);
});

test("a tool that the history shows as running is ended in its place", () => {
  const history = buildHistory([
    { id: "e1", at: 1, role: "tool", tool: { callId: "c1", name: "bash", args: {}, state: "running" } },
  ]);
  const script = createScript(11);
  const end = {
    toolCallId: "c1",
    toolName: "bash",
    label: "bash",
    text: "no",
    details: {},
    durationMs: 1,
    isError: true,
  };
  const timeline = run([script.agent({ type: "tool_execution_end", ...end })], fromHistory(history));
  assert.deepEqual(textsOf(timeline.items), ["[bash failed]"]);
});

test("what is left running when a turn ends is shown as interrupted", () => {
  const script = createScript();
  const timeline = run([
    script.agent({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", label: "", args: {} }),
    script.end("stopped"),
  ]);
  assert.deepEqual(textsOf(timeline.items), ["[bash interrupted]", "Stopped."]);
});

test("events that the history holds already are left out", () => {
  const history = buildHistory([{ id: "e1", at: 1, role: "assistant", text: "done" }], "life-10");
  const script = createScript(9);
  const timeline = run(
    [script.post("nine", "d9", {}), script.post("ten", "d10", {}), script.post("eleven", "d11", {})],
    fromHistory(history),
  );
  assert.deepEqual(textsOf(timeline.items), ["done", "eleven"]);
});

test("what the page sends is shown at once and becomes the real message, whichever comes first", () => {
  const sending = addSending(emptyTimeline, { key: "k1", text: "hi", at: 1, attachments: [] });
  const answer = { messageId: "m1", turnId: "t1", isRepeat: false };
  const eventLast = run([createScript().message("hi", "m1")], markSent(sending, "k1", answer));
  const eventFirst = markSent(run([createScript().message("hi", "m1")], sending), "k1", answer);
  for (const { items } of [eventLast, eventFirst]) {
    assert.deepEqual(
      items.map(({ id }) => id),
      ["m1"],
    );
    assert.ok(items[0]?.type === "said" && items[0].sending === undefined);
  }
});

test("the same words said twice are two messages", () => {
  const script = createScript();
  const first = markSent(addSending(emptyTimeline, { key: "k1", text: "hi", at: 1, attachments: [] }), "k1", {
    messageId: "m1",
    turnId: "t1",
    isRepeat: false,
  });
  const second = addSending(first, { key: "k2", text: "hi", at: 2, attachments: [] });
  const both = markSent(run([script.message("hi", "m1"), script.message("hi", "m2", "t2")], second), "k2", {
    messageId: "m2",
    turnId: "t2",
    isRepeat: false,
  });
  assert.deepEqual(
    both.items.map(({ id }) => id),
    ["m1", "m2"],
  );
});

test("a failed send stays, also when the history is loaded anew", () => {
  const failed = markFailed(addSending(emptyTimeline, { key: "k1", text: "hi", at: 1, attachments: [] }), "k1", "gone");
  const fresh = withSending(fromHistory(buildHistory([])), failed, 2);
  assert.ok(fresh.items[0]?.type === "said" && fresh.items[0].sending?.error === "gone");
});

test("a message that was sent twice over a dropped connection is there once", () => {
  const sending = addSending(emptyTimeline, { key: "k1", text: "hi", at: 100, attachments: [] });
  const reloaded = withSending(
    fromHistory(buildHistory([{ id: "e1", at: 150, role: "user", text: "hi" }])),
    sending,
    200,
  );
  const sent = markSent(reloaded, "k1", { messageId: "m1", turnId: "t1", isRepeat: true });
  assert.deepEqual(
    sent.items.map(({ id }) => id),
    ["e1"],
  );
});

test("what mom has just taken stays until the history has it", () => {
  const now = 1_000_000;
  const sending = addSending(emptyTimeline, { key: "k1", text: "hi", at: now - 5_000, attachments: [] });
  const sent = markSent(sending, "k1", { messageId: "m1", turnId: "t1", isRepeat: false });
  const ids = ({ items }: Timeline) => items.map(({ id }) => id);
  const older = withSending(fromHistory(buildHistory([])), sent, now);
  assert.deepEqual(ids(older), ["m1"]);
  assert.deepEqual(ids(run([createScript().message("hi", "m1")], older)), ["m1"]);
  const history = buildHistory([{ id: "e1", at: now, role: "user", text: "hi" }]);
  assert.deepEqual(ids(withSending(fromHistory(history), older, now)), ["e1"]);
  assert.deepEqual(ids(withSending(fromHistory(buildHistory([])), sent, now + 120_000)), []);
  const turn = { turnId: "t1", state: "running", text: "hi", sender: "", createdAt: now } as const;
  assert.deepEqual(ids(withSending({ ...emptyTimeline, turns: [turn] }, sent, now + 120_000)), ["m1"]);
  assert.deepEqual(ids(withSending(emptyTimeline, withoutSent(sent), now)), []);
});

test("the same words said twice: the history's one stands for one of them", () => {
  const now = 1_000_000;
  const first = withSending(
    fromHistory(buildHistory([{ id: "e1", at: now, role: "user", text: "ok" }])),
    emptyTimeline,
    now,
  );
  const sending = addSending(first, { key: "k2", text: "ok", at: now, attachments: [] });
  const sent = markSent(sending, "k2", { messageId: "m2", turnId: "t2", isRepeat: false });
  assert.deepEqual(
    withSending(first, sent, now).items.map(({ id }) => id),
    ["e1", "m2"],
  );
});

test("no model is named where mom herself has spoken", () => {
  const history = buildHistory([{ id: "e1", at: 1, role: "assistant", text: "Stopped.", model: "mom/none" }]);
  const [item] = fromHistory(history).items;
  assert.ok(item?.type === "said" && item.model === undefined);
});

test("what was said elsewhere comes with who and where", () => {
  const timeline = run([createScript().message("hello from slack", "m1", "t1", "slack")]);
  assert.ok(timeline.items[0]?.type === "said");
  assert.deepEqual([timeline.items[0].place, timeline.items[0].sender], ["slack", "Ann"]);
});

test("turns wait behind the one that runs, and a turn taken into another is no end to speak of", () => {
  const script = createScript();
  const two = run([script.message("one", "m1", "t1"), script.message("two", "m2", "t2")]);
  assert.deepEqual(
    two.turns.map(({ state }) => state),
    ["running", "waiting"],
  );
  const merged = run([script.end("done", { mergedInto: "t1" }, "t2")], two);
  assert.deepEqual(
    merged.turns.map(({ turnId }) => turnId),
    ["t1"],
  );
  assert.deepEqual(textsOf(merged.items), ["one", "two"]);
});

test("asides, files and answers of commands are items of their own; an approval's question is not", () => {
  const script = createScript();
  const timeline = run([
    script.agent({ type: "message_start" }),
    script.agent({ type: "message_end", text: "I said ok, then I went on", hasToolCalls: true }),
    script.post("ok", "d1", { turnId: "t1", isAside: true }),
    script.post("**Approval a1**: …", "approval-a1.0", {}),
    script.post("This needs the word of an admin", "approval-a1-word.0", {}),
    script.file("plan.pdf", "d2"),
  ]);
  assert.deepEqual(textsOf(timeline.items), ["I said ok, then I went on", "ok", "This needs the word of an admin", ""]);
  const last = timeline.items.at(-1);
  assert.ok(last?.type === "said");
  assert.deepEqual(last.files, [{ filename: "plan.pdf", deliveryId: "d2" }]);
});

test("a post is changed and taken back", () => {
  const script = createScript();
  const changed = run([script.post("one", "d1", {}), script.edit("d1", "two")]);
  assert.deepEqual(textsOf(changed.items), ["two"]);
  assert.deepEqual(run([script.edit("d1")], changed).items, []);
});

test("a failure is told once", () => {
  const script = createScript();
  const silent = run([script.agent({ type: "agent_start", model: "" }), script.end("failed", { error: "no key" })]);
  assert.deepEqual(textsOf(silent.items), ["no key"]);
  const told = run([script.post("Sorry: no key", "d1"), script.end("failed", { error: "no key" })]);
  assert.deepEqual(textsOf(told.items), ["Sorry: no key"]);
});

test("questions of this session wait until they are answered", () => {
  const script = createScript();
  const asked = run([
    script.requested(buildApproval("a1")),
    script.requested({ ...buildApproval("a2"), sessionKey: "other" }),
  ]);
  assert.deepEqual(
    asked.approvals.map(({ id }) => id),
    ["a1"],
  );
  assert.deepEqual(run([script.resolved("a1")], asked).approvals, []);
});

test("pictures are taken over from the history", () => {
  const script = createScript();
  const end = {
    toolCallId: "c1",
    toolName: "read",
    label: "",
    text: "",
    details: { image: {} },
    durationMs: 1,
    isError: false,
  };
  const timeline = run([script.agent({ type: "tool_execution_end", ...end })]);
  assert.equal(timeline.hasUnseenImages, true);
  const images = [{ data: "aGk=", mimeType: "image/png" }];
  const item = {
    id: "e1",
    at: 1,
    role: "tool" as const,
    tool: { callId: "c1", name: "read", args: {}, state: "done" as const, images },
  };
  const seen = withImages(timeline, [item]);
  assert.ok(seen.items[0]?.type === "tool" && seen.items[0].tool.images === images && !seen.hasUnseenImages);
});

test("what did not change stays the same object, so that it is not drawn again", () => {
  const script = createScript();
  const before = run([script.message("hello", "m1"), script.agent({ type: "text_delta", delta: "a" })]);
  const after = run([script.agent({ type: "text_delta", delta: "b" })], before);
  assert.equal(after.items[0], before.items[0]);
  assert.notEqual(after.items[1], before.items[1]);
});

test("a megabyte in small pieces and ten thousand items take no time to speak of", () => {
  const script = createScript();
  const pieces = Array.from({ length: 100_000 }, () => script.agent({ type: "text_delta", delta: "0123456789" }));
  const posts = Array.from({ length: 10_000 }, (_, n) => script.post(`post ${n}`, `d${n}`, {}));
  const started = performance.now();
  const timeline = run([...pieces, ...posts]);
  assert.ok(performance.now() - started < 4_000);
  assert.equal(timeline.items.length, 5_000);
  assert.equal(timeline.isCut, true);
});

function buildHistory(items: Result<"chat.history">["items"], lastEventId = "life-10"): Result<"chat.history"> {
  return { items, isCut: false, turns: [], approvals: [], lastEventId };
}

function buildApproval(id: string): ApprovalSummary {
  return {
    id,
    turnId: "t1",
    sessionKey: key,
    agentId: "main",
    channel,
    sender: "webchat:owner",
    tool: "bash",
    text: "rm -rf build",
    cwd: "/work",
    reason: "it deletes",
    rules: [],
    state: "pending",
    createdAt: 1,
    expiresAt: 2,
  };
}
