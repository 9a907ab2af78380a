import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, sliceEnd, sliceStart } from "./cut-text.ts";
import type { WorkspaceText } from "./read-file.ts";

const same = (text: string) => text;
const whole = (text: string): WorkspaceText => ({
  type: "text",
  text,
  tail: "",
  isWhole: true,
  totalBytes: Buffer.byteLength(text),
});

test("a text up to the limit stays as it is, without blanks around it", () => {
  assert.deepEqual(cutText(whole(`\n${"x".repeat(100)}\n`), 100, "A.md", same), { text: "x".repeat(100), total: 102 });
});

test("a longer one keeps 70 % and 20 %, and says how much is gone and where it is", () => {
  const text = `${"a".repeat(700)}${"b".repeat(300)}${"c".repeat(200)}`;
  assert.deepEqual(cutText(whole(text), 1000, "A.md", same), {
    text: `${"a".repeat(700)}\n\n[… 300 of 1200 characters are left out here; the whole text is in A.md …]\n\n${"c".repeat(200)}`,
    total: 1200,
  });
});

test("what is cleaned away does not count against the limit", () => {
  const clean = (text: string) => text.replaceAll("-", "");
  assert.deepEqual(cutText(whole(`${"-".repeat(500)}x`), 100, "A.md", clean), { text: "x", total: 501 });
});

test("a file that was not read whole is measured in bytes", () => {
  const file: WorkspaceText = {
    type: "text",
    text: "ä".repeat(100),
    tail: "ö".repeat(100),
    isWhole: false,
    totalBytes: 5_000_000,
  };
  const { text, total } = cutText(file, 100, "A.md", same);
  assert.equal(total, 5_000_000);
  assert.equal(text.slice(0, 70), "ä".repeat(70));
  assert.equal(text.slice(-20), "ö".repeat(20));
  assert.match(text, /\[… 4999820 of 5000000 bytes are left out here; the whole text is in A\.md …\]/);
});

test("surrogate pairs are never cut", () => {
  const owls = "🦉".repeat(500);
  for (let maxChars = 100; maxChars < 120; maxChars++) {
    assert.ok(cutText(whole(owls), maxChars, "A.md", same).text.isWellFormed());
    assert.ok(cutText(whole(`x${owls}`), maxChars, "A.md", same).text.isWellFormed());
  }
  assert.deepEqual([sliceStart("🦉🦉", 3), sliceStart("🦉🦉", 4), sliceStart("ab", 9)], ["🦉", "🦉🦉", "ab"]);
  assert.deepEqual(
    [sliceEnd("🦉🦉", 3), sliceEnd("🦉🦉", 4), sliceEnd("ab", 9), sliceEnd("ab", 0)],
    ["🦉", "🦉🦉", "ab", ""],
  );
});
