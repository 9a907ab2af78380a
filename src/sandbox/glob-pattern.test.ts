import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildGlobMatcher } from "./glob-pattern.ts";

const cases: [pattern: string, matching: string[], others: string[]][] = [
  ["*.ts", ["a.ts", "src/deep/a.ts", ".ts"], ["a.tsx", "a.ts/b"]],
  ["src/*.ts", ["src/a.ts"], ["src/deep/a.ts", "a.ts", "lib/src/a.ts"]],
  ["**/*.ts", ["a.ts", "src/deep/a.ts"], ["a.js"]],
  ["src/**", ["src/a", "src/b/c"], ["lib/a"]],
  ["src/**/test/*.ts", ["src/test/a.ts", "src/x/y/test/a.ts"], ["src/test/x/a.ts"]],
  ["./a.ts", ["a.ts"], ["b/a.ts"]],
  ["/a.ts", ["a.ts"], ["b/a.ts"]],
  ["?.ts", ["a.ts", "ü.ts", "😀.ts"], ["ab.ts"]],
  ["[a-c]1[!x]", ["a12", "c1y"], ["d12", "a1x"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["{a,b}.{ts,js}", ["a.ts", "b.js"], ["c.ts", "a.md"]],
  ["{a,b{1,2}}", ["a", "b1", "b2"], ["b"]],
  ["a\\*b", ["a*b"], ["axb"]],
  ["a[b", ["a[b"], ["ab"]],
  ["*", ["a", "b/c"], []],
];

describe("glob patterns", () => {
  for (const [pattern, matching, others] of cases) {
    it(`matches ${pattern}`, () => {
      const matches = buildGlobMatcher(pattern);
      for (const path of matching) assert.equal(matches(path), true, path);
      for (const path of others) assert.equal(matches(path), false, path);
    });
  }

  it("stays fast on patterns made to be slow", () => {
    const stars = buildGlobMatcher(`${"*a".repeat(60)}b`);
    assert.equal(stars("a".repeat(250)), false);
    const folders = buildGlobMatcher(`${"**/a/".repeat(60)}b`);
    assert.equal(folders("a/".repeat(200)), false);
    assert.equal(buildGlobMatcher("{a,b}".repeat(30))("x"), false);
  });
});
