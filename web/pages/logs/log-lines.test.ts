/** The log page's lines: bounded, joined without gaps or doubles, filtered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addLines, filterLines, formatLine, joinLines, type Level, mostLines } from "./log-lines.ts";

const line = (text: string, level: Level = "info", fields: Record<string, unknown> = {}, at = 1000) => ({
  at,
  level,
  text,
  fields,
});

test("only the newest lines stay, and each keeps its number", () => {
  const first = addLines(
    [],
    Array.from({ length: mostLines }, (_, i) => line(`line ${i}`)),
  );
  const second = addLines(first, [line("new")]);
  assert.equal(second.length, mostLines);
  assert.equal(second.at(-1)?.text, "new");
  assert.equal(second[0]?.id, 2);
  assert.equal(second.at(-1)?.id, mostLines + 1);
});

test("what arrived while the rest was loaded is there once", () => {
  const joined = joinLines([line("a"), line("b")], [line("b"), line("c", "warn")]);
  assert.deepEqual(
    joined.map(({ text }) => text),
    ["a", "b", "c"],
  );
});

test("filter by level and by words in text or fields", () => {
  const lines = addLines(
    [],
    [
      line("started", "debug"),
      line("Turn failed", "error", { session: "dm/team/U1" }),
      line("slow", "warn", { ms: 1200 }),
    ],
  );
  const texts = (level: Level, text: string) => filterLines(lines, { level, text }).map((each) => each.text);
  assert.deepEqual(texts("debug", ""), ["started", "Turn failed", "slow"]);
  assert.deepEqual(texts("warn", ""), ["Turn failed", "slow"]);
  assert.deepEqual(texts("debug", "turn u1"), ["Turn failed"]);
  assert.deepEqual(texts("debug", "ms=1200"), ["slow"]);
  assert.deepEqual(texts("error", "slow"), []);
});

test("a copied line is one line", () => {
  const copied = formatLine(line("two\nlines", "warn", { why: "a\nb", n: 1 }, 0));
  assert.equal(copied, "1970-01-01T00:00:00.000Z warn  two\\nlines why=a\\nb n=1");
});
