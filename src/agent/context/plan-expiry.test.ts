import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryId } from "../../contracts/ids.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import type { EntryScope, TranscriptEntry } from "../../contracts/transcript.ts";
import { buildItems } from "./build-items.ts";
import { formatMarker, planExpiry } from "./plan-expiry.ts";

const scope: EntryScope = { kind: "tool_result", name: "read", reload: 'Call read(path="a") to have it again.' };
const base = (name: string) => ({ id: name as EntryId, parentId: null, timestamp: "2026-01-02T03:04:05.000Z" });
const entry = (name: string, message: ModelMessage): TranscriptEntry => ({ ...base(name), type: "message", message });
const said = (name: string) => entry(name, { role: "user", content: name, timestamp: 0 });
const answered = (name: string, callId?: string): TranscriptEntry => ({
  ...base(name),
  type: "message",
  message: {
    role: "assistant",
    content: callId ? [{ type: "toolCall", id: callId, name: "read", arguments: {} }] : [{ type: "text", text: "ok" }],
    api: "x",
    provider: "x",
    model: "x",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: callId ? "toolUse" : "stop",
    timestamp: 0,
  },
});
const result = (name: string, callId: string, chars = 9000, its: EntryScope = scope): TranscriptEntry => ({
  ...entry(name, {
    role: "toolResult",
    toolCallId: callId,
    toolName: "read",
    content: [{ type: "text", text: "x".repeat(chars) }],
    isError: false,
    timestamp: 0,
  }),
  scope: its,
});
/** One turn with a large result, and `more` turns after it. */
const session = (more: number, its = scope, chars = 9000) => [
  said("u0"),
  answered("a0", "c"),
  result("r0", "c", chars, its),
  answered("b0"),
  ...Array.from({ length: more }, (_, n) => [said(`u${n + 1}`), answered(`b${n + 1}`)]).flat(),
];
const targets = (entries: TranscriptEntry[], afterTurns?: number) =>
  planExpiry(entries, { afterTurns, nowMs: 0 }).map((each) => each.type === "context_edit" && each.targetId);

describe("planExpiry", () => {
  test("an entry leaves when three turns have begun since, or as many as asked for", () => {
    assert.deepEqual(targets(session(2)), []);
    assert.deepEqual(targets(session(3)), ["r0"]);
    assert.deepEqual(targets(session(1), 1), ["r0"]);
    assert.deepEqual(targets(session(0), 0), []);
  });
  test("the line that stays says how to have it again, the same every time", () => {
    const [first] = planExpiry(session(3), { nowMs: 0 });
    const [second] = planExpiry(session(9), { nowMs: 99 });
    assert.ok(first?.type === "context_edit" && second?.type === "context_edit");
    assert.deepEqual(first.replacement, second.replacement);
    assert.deepEqual(first.replacement, {
      content: '(The result of read is no longer shown: its task is over. Call read(path="a") to have it again.)',
    });
    const items = buildItems([...session(3), { ...first, parentId: null }]);
    assert.match(JSON.stringify(items[2]?.message), /no longer shown/);
  });
  test("an entry leaves once", () => {
    const entries = session(3);
    const edits = planExpiry(entries, { nowMs: 0 }).map((edit) => ({ ...edit, parentId: null }));
    assert.deepEqual(targets([...entries, ...edits, said("u9")]), []);
    const trimmed: TranscriptEntry = {
      ...base("t"),
      type: "context_edit",
      targetId: "r0" as EntryId,
      replacement: { content: "x".repeat(2000) },
    };
    assert.deepEqual(targets([...entries, trimmed]), ["r0"], "one that was only trimmed still leaves");
  });
  test("pinned ones stay, and those that are shorter than the line would be", () => {
    assert.deepEqual(targets(session(5, { ...scope, pinned: true })), []);
    assert.deepEqual(targets(session(5, scope, 20)), []);
  });
  test("what was said into a running turn, and notes of the house, start no turn", () => {
    const note: TranscriptEntry = {
      ...base("n"),
      type: "custom_message",
      customType: "x",
      content: "n",
      display: false,
    };
    const steered = [said("u0"), answered("a0", "c"), result("r0", "c"), said("s1"), answered("b0"), note];
    assert.deepEqual(targets([...steered, said("u1")], 2), []);
    assert.deepEqual(targets([...steered, said("u1"), said("u2")], 2), ["r0"]);
  });
  test("a skill that a person put in leaves like others, counted from the turn that it came with", () => {
    const skill: EntryScope = { kind: "skill", name: "weather", reload: "Read /s/SKILL.md to have it again." };
    const body: TranscriptEntry = {
      ...base("body"),
      type: "custom_message",
      customType: "skill",
      content: "x".repeat(500),
      display: false,
      scope: skill,
    };
    for (const opening of [
      [body, said("u0")],
      [said("u0"), body],
    ]) {
      const entries = [answered("z"), ...opening, answered("b0"), said("u1"), answered("b1"), said("u2")];
      assert.deepEqual(targets(entries, 3), []);
      assert.deepEqual(targets([...entries, answered("b2"), said("u3")], 3), ["body"]);
    }
    assert.match(
      formatMarker(skill),
      /^\(The skill weather is no longer shown: .* Read \/s\/SKILL\.md to have it again\.\)$/,
    );
  });
  test("what a compaction has summarised needs no edit", () => {
    const compaction: TranscriptEntry = {
      ...base("k"),
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "u1" as EntryId,
      tokensBefore: 1,
    };
    assert.deepEqual(targets([...session(3), compaction, said("u9")]), []);
  });
  test("a line written by somebody else stays one line", () => {
    const marker = formatMarker({ kind: "memory", name: "a\nb", reload: `x\n${"y".repeat(9999)}` });
    assert.doesNotMatch(marker, /\n/);
    assert.ok(marker.length < 500);
  });
});
