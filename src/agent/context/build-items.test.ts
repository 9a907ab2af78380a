import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryId } from "../../contracts/ids.ts";
import type { ToolResultMessage, UserMessage } from "../../contracts/model.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { buildItems } from "./build-items.ts";
import { createContextCache } from "./context-cache.ts";

const id = (text: string) => text as EntryId;
const base = (name: string) => ({ id: id(name), parentId: null, timestamp: "2026-01-02T03:04:05.000Z" });
const said = (name: string, content = name): TranscriptEntry => {
  const message: UserMessage = { role: "user", content, timestamp: 1 };
  return { ...base(name), type: "message", message };
};
const result = (name: string): TranscriptEntry => {
  const content: ToolResultMessage["content"] = [{ type: "text", text: "long" }];
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: "c",
    toolName: "read",
    content,
    isError: false,
    timestamp: 1,
  };
  return { ...base(name), type: "message", message };
};
const compaction = (name: string, firstKeptEntryId: string, summary = "so far"): TranscriptEntry => ({
  ...base(name),
  type: "compaction",
  summary,
  firstKeptEntryId: id(firstKeptEntryId),
  tokensBefore: 9,
});
const edit = (targetId: string, replacement: null | { content: string }): TranscriptEntry => ({
  ...base(`edit-${targetId}`),
  type: "context_edit",
  targetId: id(targetId),
  replacement,
});
const parsed = (line: unknown) => JSON.parse(JSON.stringify(line)) as TranscriptEntry;
const idsOf = (entries: TranscriptEntry[]) => buildItems(entries).map((item) => item.id);

describe("buildItems", () => {
  test("the latest compaction stands first, for all that it does not keep", () => {
    const entries = [said("a"), compaction("old", "a"), said("b"), said("c"), compaction("new", "b"), said("d")];
    assert.deepEqual(idsOf(entries), ["new", "b", "c", "d"]);
    assert.deepEqual(idsOf([said("a"), compaction("old", "a"), said("b"), compaction("new", "a")]), ["new", "a", "b"]);
    const [summary] = buildItems(entries);
    assert.equal(summary?.isSummary, true);
    assert.match(String(summary?.message.content), /summary of the conversation before/);
    assert.match(String(summary?.message.content), /so far$/);
  });
  test("a compaction that keeps from an unknown entry on, or from itself, keeps what is after it", () => {
    assert.deepEqual(idsOf([said("a"), compaction("k", "gone"), said("b")]), ["k", "b"]);
    assert.deepEqual(idsOf([said("a"), compaction("k", "k"), said("b")]), ["k", "b"]);
    assert.deepEqual(idsOf([said("a"), compaction("k", "b"), said("b")]), ["k", "b"]);
  });
  test("records of the house say nothing; notes and left branches are user text", () => {
    const entries: TranscriptEntry[] = [
      { ...base("1"), type: "model_change", provider: "p", modelId: "m" },
      { ...base("2"), type: "thinking_level_change", thinkingLevel: "low" },
      { ...base("3"), type: "custom", customType: "x" },
      { ...base("4"), type: "label", targetId: id("1"), label: "l" },
      { ...base("5"), type: "session_info", name: "n" },
      { ...base("6"), type: "custom_message", customType: "skill", content: "body", display: false },
      { ...base("7"), type: "branch_summary", fromId: "1", summary: "tried it" },
    ];
    assert.deepEqual(
      buildItems(entries).map(({ message }) => [message.role, message.content]),
      [
        ["user", "body"],
        ["user", "(summary of a branch that was left)\n\ntried it"],
      ],
    );
  });
  test("a hidden entry is gone; a hidden result leaves a line, because its call needs one", () => {
    const items = buildItems([said("a"), result("r"), edit("a", null), edit("r", null)]);
    assert.deepEqual(
      items.map(({ id, isEdited, message }) => [id, isEdited, message.content]),
      [["r", true, [{ type: "text", text: "(no longer shown)" }]]],
    );
  });
  test("a replaced entry has the new content, and the last edit counts", () => {
    const items = buildItems([
      said("a"),
      result("r"),
      edit("a", null),
      edit("a", { content: "A" }),
      edit("r", { content: "R" }),
    ]);
    assert.deepEqual(
      items.map(({ message }) => message.content),
      ["A", [{ type: "text", text: "R" }]],
    );
  });
  test("an edit cannot rewrite a summary, but hide it", () => {
    const entries = [said("a"), compaction("k", "k"), said("b")];
    assert.deepEqual(buildItems([...entries, edit("k", { content: "!" })]), buildItems(entries));
    assert.deepEqual(idsOf([...entries, edit("k", null)]), ["b"]);
  });
  test("an edit that makes no sense changes nothing", () => {
    for (const replacement of [undefined, 5, {}, { content: 5 }]) {
      const broken = parsed({ ...base("e"), type: "context_edit", targetId: "a", replacement });
      assert.deepEqual(buildItems([said("a"), broken]), buildItems([said("a")]));
    }
  });
  test("the scope of an entry is its item's; one without sense is not", () => {
    const scope = { kind: "skill", name: "s", reload: "Read it.", pinned: true } as const;
    assert.deepEqual(buildItems([{ ...said("a"), scope }])[0]?.scope, scope);
    assert.equal(buildItems([parsed({ ...said("a"), scope: { kind: "spell", name: 1 } })])[0]?.scope, undefined);
  });
  test("system messages, unknown roles and types, and broken lines are passed over", () => {
    const lines = [
      null,
      7,
      [],
      { type: "message" },
      { ...base("1"), type: "message" },
      { ...base("2"), type: "message", message: { role: "system", content: "obey" } },
      { ...base("3"), type: "message", message: { role: "wizard", content: "x" } },
      { ...base("4"), type: "from_the_future", content: "x" },
      { ...base("5"), type: "message", message: { role: "bashExecution", command: "ls", excludeFromContext: true } },
      { ...base("6"), type: "branch_summary", summary: "" },
    ].map(parsed);
    assert.deepEqual(buildItems(lines), []);
  });
  test("a command that somebody ran in another program is user text", () => {
    const message = { role: "bashExecution", command: "ls", output: "a.txt\n", exitCode: 2, timestamp: 5 };
    const [item] = buildItems([parsed({ ...base("1"), type: "message", message })]);
    assert.deepEqual(item?.message, {
      role: "user",
      content: "(a command was run: ls (exit code 2))\na.txt",
      timestamp: 5,
    });
  });
  test("an answer with fields missing is mended, and one in order is handed on as it is", () => {
    const mended = buildItems([
      parsed({ ...base("1"), type: "message", message: { role: "assistant", content: "hi" } }),
    ]);
    assert.partialDeepStrictEqual(mended[0]?.message, {
      content: [{ type: "text", text: "hi" }],
      provider: "unknown",
      stopReason: "stop",
      timestamp: Date.parse("2026-01-02T03:04:05.000Z"),
    });
    const whole = said("a");
    assert.equal(buildItems([whole])[0]?.message, whole.type === "message" && whole.message);
  });
  test("with a memory, the same entries give the same items", () => {
    const cache = createContextCache();
    const entries = [said("a"), result("r"), edit("r", { content: "R" })];
    const first = buildItems(entries, cache);
    for (const [n, item] of buildItems(entries, cache).entries()) assert.equal(item, first[n]);
  });
});
