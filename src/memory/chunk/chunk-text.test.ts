import assert from "node:assert/strict";
import { test } from "node:test";
import { type Chunk, chunkLines, chunkText } from "./chunk-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Chance that is the same in every run. */
function createChance(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state % below;
  };
}

function randomDocument(seed: number): string {
  const chance = createChance(seed);
  const words = ["alpha", "beta", "的决定", "上海", "x", "supercalifragilistic", "12:30", "émile", "🙂"];
  const lines: string[] = [];
  const count = chance(120);
  for (let n = 0; n < count; n++) {
    const kind = chance(12);
    if (kind === 0) lines.push(`${"#".repeat(1 + chance(6))} Title ${n}`);
    else if (kind === 1) lines.push("");
    else if (kind === 2) lines.push("```js");
    else if (kind === 3) lines.push("   ");
    else {
      const length = kind === 4 ? 1 + chance(900) : 1 + chance(40);
      lines.push(Array.from({ length }, () => words[chance(words.length)]).join(" "));
    }
  }
  return lines.join("\n");
}

/** What a piece says of its lines is what the file has there. */
function checkRanges(text: string, chunks: readonly Chunk[]): void {
  const lines = text.split("\n");
  for (const { fromLine, toLine, text: piece } of chunks) {
    assert.ok(fromLine >= 1 && toLine >= fromLine && toLine <= lines.length);
    const whole = lines.slice(fromLine - 1, toLine);
    const wanted = whole
      .join("\n")
      .replaceAll(/\n[^\S\n]*(?=\n)/g, "\n")
      .replaceAll(/\n{2,}/g, "\n\n");
    const isPart = whole.some((line) => estimateTokens(line) > 400);
    if (!isPart) assert.equal(piece.replaceAll(/\n{2,}/g, "\n\n"), wanted);
    else for (const line of piece.split("\n")) assert.ok(whole.some((each) => each.includes(line)));
  }
}

test("every line with something on it is in a piece, pieces say their lines exactly and are not too long", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const text = randomDocument(seed);
    const chunks = chunkText(text);
    checkRanges(text, chunks);
    const covered = new Set(chunks.flatMap(({ fromLine, toLine }) => range(fromLine, toLine)));
    for (const [at, line] of text.split("\n").entries()) {
      if (line.trim() !== "") assert.ok(covered.has(at + 1), `seed ${seed}: line ${at + 1} is in no piece`);
    }
    for (const { text: piece } of chunks) assert.ok(estimateTokens(piece) <= 410, `seed ${seed}: a piece is too long`);
    const starts = chunks.map(({ fromLine }) => fromLine);
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
    );
  }
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("a long line loses nothing", () => {
  const line = Array.from({ length: 3000 }, (_, n) => `word${n}🙂`).join(" ");
  const chunks = chunkText(line);
  assert.ok(chunks.length > 5);
  assert.equal(chunks.map(({ text }) => text).join(""), line);
  assert.ok(chunks.every(({ fromLine, toLine }) => fromLine === 1 && toLine === 1));
});

test("pieces follow the headings and know them", () => {
  const chunks = chunkText("# A\n\nintro\n\n## B ##\none\n\n### C\ntwo\n\n## D\nthree");
  assert.deepEqual(
    chunks.map(({ headings, fromLine, toLine }) => [headings.join(" > "), fromLine, toLine]),
    [
      ["A", 1, 3],
      ["A > B", 5, 6],
      ["A > B > C", 8, 9],
      ["A > D", 11, 12],
    ],
  );
});

test("headings without text below them stay with the next piece, and inside a fence there are none", () => {
  const chunks = chunkText("# A\n## B\nx\n```sh\n# comment\n```\n");
  assert.deepEqual(
    chunks.map(({ headings, fromLine, toLine }) => [headings.join(" > "), fromLine, toLine]),
    [["A > B", 1, 6]],
  );
});

test("a piece begins with the end of the one before, about 80 tokens of it", () => {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n} has about ten tokens, more or less, you see`);
  const chunks = chunkText(lines.join("\n"));
  assert.ok(chunks.length >= 3);
  for (const [at, chunk] of chunks.slice(1).entries()) {
    const before = chunks[at];
    const repeated = (before?.toLine ?? 0) - chunk.fromLine + 1;
    assert.ok(repeated >= 4 && repeated <= 8, `${repeated} lines are repeated`);
  }
});

test("fenced code that fits is not cut", () => {
  const filler = Array.from({ length: 30 }, (_, n) => `filler ${n} with some ten tokens in it, more or less`).join(
    "\n",
  );
  const code = [
    "```js",
    ...Array.from({ length: 20 }, (_, n) => `const value${n} = compute(${n}, "something");`),
    "```",
  ];
  const chunks = chunkText(`${filler}\n\n${code.join("\n")}\n`);
  assert.ok(chunks.some(({ text }) => text.includes(code.join("\n"))));
});

test("a file of nothing but headings does not become as many pieces as lines", () => {
  const chunks = chunkText("# a\nb\n".repeat(50_000));
  assert.ok(chunks.length < 5000, `${chunks.length} pieces`);
});

test("lines of one number stay one line", () => {
  const chunks = chunkLines([
    { number: 3, text: "User: hello" },
    { number: 3, text: "again" },
    { number: 7, text: "Assistant: yes" },
  ]);
  assert.deepEqual(chunks, [{ fromLine: 3, toLine: 7, headings: [], text: "User: hello\nagain\n\nAssistant: yes" }]);
});

test("a Chinese character is a token, four letters are one", () => {
  assert.equal(estimateTokens("上海天气"), 4);
  assert.equal(estimateTokens("abcdefgh"), 2);
  assert.equal(estimateTokens(""), 0);
});
