import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildSkillScope, pickScope, type ToolResultFacts } from "./pick-scope.ts";

const skillPaths = new Map([
  ["/w/skills/weather/SKILL.md", { name: "weather", isPinned: false }],
  ["/w/skills/tone/SKILL.md", { name: "tone", isPinned: true }],
]);
const pick = (toolName: string, args: Record<string, unknown>, chars: number, more: Partial<ToolResultFacts> = {}) =>
  pickScope({
    toolName,
    args,
    content: [{ type: "text", text: "x".repeat(chars) }],
    skillPaths,
    cwd: "/w",
    ...more,
  });

describe("pickScope", () => {
  test("a skill's file is the skill, however its path is written", () => {
    const scope = { kind: "skill", name: "weather", reload: "Read /w/skills/weather/SKILL.md to have it again." };
    assert.deepEqual(pick("read", { path: "/w/skills/weather/SKILL.md" }, 10), scope);
    assert.deepEqual(pick("read", { path: "notes/../skills/weather/SKILL.md" }, 10), scope);
    assert.deepEqual(buildSkillScope({ name: "weather", path: "/w/skills/weather/SKILL.md", isPinned: false }), scope);
  });
  test("a pinned skill stays; a read that failed is no skill; another tool is none either", () => {
    assert.equal(pick("read", { path: "skills/tone/SKILL.md" }, 10)?.pinned, true);
    assert.equal(pick("read", { path: "skills/tone/SKILL.md" }, 10, { isError: true }), undefined);
    assert.equal(pick("ls", { path: "skills/tone/SKILL.md" }, 10), undefined);
    assert.equal(pick("read", { path: 7 }, 10), undefined);
  });
  test("results over 6,000 characters, pictures with a word to them included", () => {
    assert.equal(pick("read", { path: "a" }, 6000), undefined);
    assert.deepEqual(pick("read", { path: "a", limit: 40 }, 6001, { effect: "read" }), {
      kind: "tool_result",
      name: "read",
      reload: 'Call read(path="a", limit=40) to have it again.',
    });
    const picture = { type: "image", data: "", mimeType: "image/png" } as const;
    assert.equal(pick("read", {}, 0, { content: [picture, { type: "text", text: "a.png" }] })?.kind, "tool_result");
  });
  test("what may act again is not offered as harmless", () => {
    assert.match(
      pick("bash", { command: "deploy" }, 9000)?.reload ?? "",
      /^It came from bash.*; a second call may act again\.$/,
    );
    assert.match(pick("bash", { command: "deploy" }, 9000, { effect: "external" })?.reload ?? "", /may act again/);
  });
  test("retrieved memories, however short", () => {
    assert.deepEqual(pick("memory_search", { query: "tea" }, 10), {
      kind: "memory",
      name: "memory_search",
      reload: 'Call memory_search(query="tea") to have it again.',
    });
    assert.equal(pick("memory_get", { path: "MEMORY.md" }, 10)?.kind, "memory");
  });
  test("the way back is one short line, whatever the arguments are", () => {
    const args = { content: `a\nb\u0000${"y".repeat(10_000)}`, nested: { a: [1] }, flag: true };
    const reload = pick("write", args, 9000)?.reload ?? "";
    assert.ok(reload.length < 320);
    assert.doesNotMatch(reload, /[\n\u0000]/);
  });
});
