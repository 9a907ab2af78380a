/** A transcript as a screen shows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChance, makeTranscript, tinyPng } from "../../../test/fakes/transcript-maker.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { check, methodSpecs } from "../protocol/index.ts";
import { buildItems } from "./build-items.ts";
import { buildTree } from "./build-tree.ts";

const idle = { isRunning: false, waitingCalls: new Set<string>() };
const timestamp = "2026-01-02T03:04:05.000Z";
const at = Date.parse(timestamp);

const toEntries = (...bodies: object[]): TranscriptEntry[] =>
  bodies.map((body, n) => ({ id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, timestamp, ...body })) as never;
const message = (role: string, more: object) => ({ type: "message", message: { role, timestamp: 1, ...more } });
const answer = (...content: object[]) => message("assistant", { content, provider: "mom", model: "big" });
const call = (id: string, args: object = {}) => ({ type: "toolCall", id, name: "bash", arguments: args });
const result = (toolCallId: string, text: string, more: object = {}) =>
  message("toolResult", { toolCallId, toolName: "bash", content: [{ type: "text", text }], isError: false, ...more });

test("what was said, thought, answered and done is shown in order", () => {
  const entries = toEntries(
    message("user", { content: "(2026-01-01 10:00)\n[ann]: hello" }),
    answer({ type: "thinking", thinking: "hm" }, { type: "text", text: "I look." }, call("c1", { command: "ls" })),
    result("c1", "a b", { details: { exitCode: 0 } }),
    answer({ type: "text", text: "Two files." }),
  );
  assert.deepEqual(buildItems(entries, idle), [
    { id: "e0", at, role: "user", sender: "ann", text: "hello" },
    { id: "e1", at, role: "assistant", text: "I look.", thinking: "hm", model: "mom/big" },
    {
      id: "e1.1",
      at,
      role: "tool",
      tool: {
        callId: "c1",
        name: "bash",
        args: { command: "ls" },
        state: "done",
        text: "a b",
        details: { exitCode: 0 },
      },
    },
    { id: "e3", at, role: "assistant", text: "Two files.", model: "mom/big" },
  ]);
});

test("a call's state says what became of it", () => {
  const states = (facts = idle) => {
    const entries = toEntries(
      answer(call("lost")),
      answer(call("failed"), call("cut"), call("asks"), call("runs")),
      result("failed", "no", { isError: true }),
      result("cut", "Interrupted", { isError: true, details: { interrupted: true } }),
      result("unknown", "of an earlier page"),
    );
    return buildItems(entries, facts).map(({ tool }) => `${tool?.callId} ${tool?.state}`);
  };
  const ended = ["failed failed", "cut interrupted"];
  assert.deepEqual(states(), ["lost interrupted", ...ended, "asks interrupted", "runs interrupted", "unknown done"]);
  assert.deepEqual(states({ isRunning: true, waitingCalls: new Set(["asks"]) }), [
    "lost interrupted",
    ...ended,
    "asks waiting",
    "runs running",
    "unknown done",
  ]);
});

test("what the house put on record are notes; what is for the model only is not shown", () => {
  const entries = toEntries(
    { type: "compaction", summary: "they met", firstKeptEntryId: "e0", tokensBefore: 9 },
    { type: "model_change", provider: "mom", modelId: "small" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "session_info", name: "Plans" },
    { type: "custom_message", customType: "note", content: "seen", display: true },
    { type: "custom_message", customType: "skill", content: "hidden", display: false },
    { type: "context_edit", targetId: "e0", replacement: null },
    { type: "custom", customType: "x", data: 1 },
  );
  assert.deepEqual(
    buildItems(entries, idle).map(({ role, text }) => [role, text]),
    [
      ["note", "Summary of what came before:\n\nthey met"],
      ["note", "Model: mom/small"],
      ["note", "Thinking: high"],
      ["note", "Name: Plans"],
      ["note", "seen"],
    ],
  );
});

test("a failure of the model is shown, also without a word of its own", () => {
  const entries = toEntries(message("assistant", { content: [], errorMessage: "overloaded" }), answer());
  assert.deepEqual(buildItems(entries, idle), [{ id: "e0", at, role: "assistant", error: "overloaded" }]);
});

test("long texts are cut in the middle, in whatever a tool took or gave", () => {
  const long = `start ${"x".repeat(60_000)} end`;
  const entries = toEntries(
    answer(call("c1", { content: long, edits: [{ text: long }, { text: long }, { text: long }, { text: long }] })),
    result("c1", long, { details: { diff: long } }),
    message("user", { content: long }),
  );
  const items = buildItems(entries, idle);
  const said = items[1]?.text ?? "";
  assert.match(said, /^start x+\n… \(40\d\d\d characters left out\) …\nx+ end$/);
  assert.equal(items[0]?.tool?.text, said);
  assert.deepEqual(items[0]?.tool?.details, { diff: said });
  assert.ok(JSON.stringify(items[0]?.tool?.args).length < 10_000, "many long texts are cut shorter");
});

test("pictures of tools are shown, if they are pictures and small enough", () => {
  const image = (mimeType: string, data: string) => ({ type: "image", mimeType, data });
  const content = [
    image("image/png", tinyPng),
    image("image/svg+xml", "PHN2Zz4="),
    image("image/png", "A".repeat(600 * 1024)),
  ];
  const entries = toEntries(answer(call("c1")), result("c1", "", { content }));
  assert.deepEqual(buildItems(entries, idle)[0]?.tool?.images, [{ data: tinyPng, mimeType: "image/png" }]);
});

test("whatever stands in a file, items and tree hold to their schemas", () => {
  const rubbish = toEntries(
    { type: "message" },
    { type: "message", message: 7 },
    message("user", { content: [{ type: "text" }, 7, null, { type: "image" }] }),
    message("assistant", { content: "a text", model: 7, errorMessage: {} }),
    message("assistant", {
      content: [call("c1", [] as never), { type: "toolCall" }, { type: "thinking", thinking: 9 }],
    }),
    message("toolResult", {}),
    message("no-such-role", { content: "x" }),
    { type: "compaction" },
    { type: "custom_message", display: true },
    { type: 7, timestamp: 7 },
    { type: "session_info", name: {}, timestamp: "never" },
  );
  // The store gives nothing that cannot be chained.
  const isChained = ({ id, parentId }: TranscriptEntry) => typeof id === "string" && typeof parentId !== "number";
  const random = Array.from({ length: 20 }, (_, seed) => makeTranscript(createChance(seed), 40).filter(isChained));
  for (const entries of [rubbish, ...random]) {
    const items = buildItems(entries, idle);
    const history = { items, isCut: false, turns: [], approvals: [], lastEventId: "x" };
    assert.deepEqual(check(methodSpecs["chat.history"].result, history), { type: "ok" });
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length, "ids are each item's own");
    const tree = { entries: buildTree(entries), leaf: null, isCut: false, lives: [] };
    assert.deepEqual(check(methodSpecs["sessions.history"].result, tree), { type: "ok" });
  }
});

test("the tree has a glimpse of every entry", () => {
  const entries = toEntries(
    message("user", { content: "(2026-01-01 10:00)\n[ann]: hello\nthere" }),
    answer({ type: "text", text: "I look." }, call("c1")),
    result("c1", "x".repeat(500)),
    { type: "compaction", summary: "they met" },
    { type: "label", targetId: "e0" },
  );
  assert.deepEqual(
    buildTree(entries).map(({ id, parentId, type, role, preview, model }) => [
      id,
      parentId,
      type,
      role,
      preview,
      model,
    ]),
    [
      ["e0", null, "message", "user", "ann: hello there", undefined],
      ["e1", "e0", "message", "assistant", "I look. · bash", "mom/big"],
      ["e2", "e1", "message", "toolResult", `bash: ${"x".repeat(193)}…`, undefined],
      ["e3", "e2", "compaction", undefined, "they met", undefined],
      ["e4", "e3", "label", undefined, "", undefined],
    ],
  );
});
