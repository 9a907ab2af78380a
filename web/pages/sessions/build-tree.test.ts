import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeEntry } from "../../../src/gateway/protocol/index.ts";
import { buildTree, kindOf, nameKind, type TreeChain, withoutRecords } from "./build-tree.ts";

const entry = (id: string, parentId: string | null, given: Partial<TreeEntry> = {}): TreeEntry => ({
  id,
  parentId,
  at: 1,
  type: "message",
  role: "user",
  preview: id,
  ...given,
});

/** `a b(c d) e`: branches in brackets behind the entry that they left the trunk at. */
const draw = ({ nodes }: TreeChain): string =>
  nodes.map(({ entry: { id }, branches }) => id + branches.map((branch) => `(${draw(branch)})`).join("")).join(" ");

test("a conversation without branches is one trunk", () => {
  const { trunk, others } = buildTree([entry("a", null), entry("b", "a"), entry("c", "b")], "c");
  assert.equal(draw(trunk), "a b c");
  assert.equal(trunk.size, 3);
  assert.deepEqual(others, []);
});

test("the present path is the trunk; what was left hangs where it left it", () => {
  const entries = [
    entry("a", null),
    entry("b", "a"),
    entry("c", "b"),
    entry("x", "b"),
    entry("y", "x"),
    entry("z", "x"),
  ];
  const { trunk } = buildTree(entries, "c");
  assert.equal(draw(trunk), "a b(x(y) z) c");
  assert.equal(trunk.size, 6);
  assert.deepEqual(
    trunk.nodes.map(({ isPresent }) => isPresent),
    [true, true, true],
  );
  assert.equal(trunk.nodes[1]?.branches[0]?.nodes[0]?.isPresent, false);
});

test("where the present end is nowhere, the newest way is the trunk", () => {
  assert.equal(draw(buildTree([entry("a", null), entry("b", "a"), entry("c", "a")], null).trunk), "a(b) c");
});

test("a transcript whose start is cut off, or that has several, loses nothing", () => {
  const { trunk, others } = buildTree([entry("a", "gone"), entry("b", "gone"), entry("c", "b")], "c");
  assert.equal(draw(trunk), "b c");
  assert.deepEqual(others.map(draw), ["a"]);
});

test("entries that name each other as parent do not hang the page", () => {
  const { trunk } = buildTree([entry("a", "b"), entry("b", "a"), entry("c", null)], "a");
  assert.equal(draw(trunk), "c");
});

test("five thousand entries in a row are no recursion", () => {
  const entries = Array.from({ length: 5000 }, (_, index) =>
    entry(String(index), index === 0 ? null : String(index - 1)),
  );
  assert.equal(buildTree(entries, "4999").trunk.size, 5000);
});

test("bookkeeping can be left out, but not from under a branch", () => {
  const record = { type: "custom" };
  const entries = [
    entry("a", null),
    entry("r", "a", record),
    entry("s", "r", record),
    entry("b", "s"),
    entry("x", "r"),
  ];
  const { trunk } = buildTree(entries, "b");
  const shown = withoutRecords(trunk);
  assert.equal(draw(shown), "a r(x) b");
  assert.equal(shown.size, 4);
});

test("kinds and their names", () => {
  assert.equal(kindOf({ type: "message", role: "toolResult" }), "tool");
  assert.equal(kindOf({ type: "compaction" }), "summary");
  assert.equal(kindOf({ type: "model_change" }), "record");
  assert.equal(nameKind({ type: "message", role: "assistant" }), "Mom");
  assert.equal(nameKind({ type: "something-new" }), "something-new");
});
