import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryId } from "../contracts/ids.ts";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../contracts/model.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import { pickWindow, repair } from "./load-context.ts";

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const user = (content: string): ModelMessage => ({ role: "user", content, timestamp: 0 });
const assistant = (
  content: AssistantMessage["content"],
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage => ({
  role: "assistant",
  content,
  api: "x",
  provider: "x",
  model: "x",
  usage,
  stopReason,
  timestamp: 0,
});
const call = (id: string) => ({ type: "toolCall" as const, id, name: "read", arguments: {} });
const result = (toolCallId: string): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [],
  isError: false,
  timestamp: 0,
});
const entry = (n: number, message: ModelMessage): TranscriptEntry => ({
  type: "message",
  id: `e${n}` as EntryId,
  parentId: null,
  timestamp: "",
  message,
});
const dialogue = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    entry(n, n % 2 === 0 ? user(`u${n}`) : assistant([{ type: "text", text: "a" }])),
  );

describe("repair", () => {
  test("results come right behind their calls, in the order of the calls", () => {
    const messages = [user("x"), assistant([call("a"), call("b")], "toolUse"), result("b"), result("a"), user("y")];
    assert.deepEqual(
      repair(messages).map((m) => (m.role === "toolResult" ? m.toolCallId : m.role)),
      ["user", "assistant", "a", "b", "user"],
    );
  });
  test("a call without a result gets one that says so; a result without a call and a failed answer are left out", () => {
    const messages = [user("x"), result("ghost"), assistant([], "error"), assistant([call("a")], "toolUse"), user("y")];
    const repaired = repair(messages);
    assert.deepEqual(
      repaired.map((m) => m.role),
      ["user", "assistant", "toolResult", "user"],
    );
    assert.match(JSON.stringify(repaired[2]), /may have run/);
  });
});

describe("pickWindow", () => {
  const window = { most: 10, least: 4, maxTokens: 1_000_000 };
  const firstOf = (entries: TranscriptEntry[]) => entries[0]?.id;

  test("keeps its start while it fits and moves it seldom", () => {
    assert.equal(firstOf(pickWindow(dialogue(4), window, undefined, undefined)), "e0");
    assert.equal(firstOf(pickWindow(dialogue(8), window, "e0" as EntryId, undefined)), "e0");
    assert.equal(firstOf(pickWindow(dialogue(10), window, "e0" as EntryId, undefined)), "e6");
  });
  test("begins with a person", () => {
    assert.equal(firstOf(pickWindow(dialogue(11).slice(1), window, undefined, undefined)), "e8");
  });
  test("what is too much for the model is cut, but never the running turn", () => {
    const entries = dialogue(6).map((each, n) => (n === 0 ? entry(0, user("x".repeat(10_000))) : each));
    assert.equal(firstOf(pickWindow(entries, { ...window, maxTokens: 1000 }, "e0" as EntryId, undefined)), "e2");
    assert.equal(firstOf(pickWindow(entries, { ...window, maxTokens: 1000 }, undefined, "e0" as EntryId)), "e0");
  });
});
