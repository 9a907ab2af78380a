import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolSummary } from "../../../src/gateway/protocol/index.ts";
import { countLayers, groupTools } from "./group-tools.ts";

const tools: ToolSummary[] = [
  { name: "write", group: "fs", allowed: true },
  { name: "bash", group: "runtime", allowed: false, removedBy: { layer: "sandbox", rule: "none" } },
  { name: "read", group: "fs", allowed: true },
  { name: "edit", group: "fs", allowed: false, removedBy: { layer: "agent", rule: "tools.deny" } },
  { name: "exec", group: "runtime", allowed: false, removedBy: { layer: "sandbox", rule: "none" } },
];

test("groups and tools by name, with how many are allowed", () => {
  assert.deepEqual(
    groupTools(tools, "", "all").map(({ name, tools: inside, allowed }) => [
      name,
      inside.map((tool) => tool.name),
      allowed,
    ]),
    [
      ["fs", ["edit", "read", "write"], 2],
      ["runtime", ["bash", "exec"], 0],
    ],
  );
});

test("the search sees the rule, too; groups that are empty go", () => {
  assert.deepEqual(
    groupTools(tools, "tools.deny", "all").map(({ name }) => name),
    ["fs"],
  );
  assert.deepEqual(
    groupTools(tools, "", "allowed").flatMap(({ tools: inside }) => inside.map(({ name }) => name)),
    ["read", "write"],
  );
  assert.equal(groupTools(tools, "write", "removed").length, 0);
});

test("layers are counted, most first", () => {
  assert.deepEqual(countLayers(tools), [
    { layer: "sandbox", count: 2 },
    { layer: "agent", count: 1 },
  ]);
});
