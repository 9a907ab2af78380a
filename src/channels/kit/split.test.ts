import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fenceAfter } from "./fence.ts";
import { graphemesOf } from "./graphemes.ts";
import { type LengthUnit, measure } from "./measure.ts";
import { splitText } from "./split.ts";

const split = (text: string, maxLength: number, unit: LengthUnit = "utf16") => splitText(text, { maxLength, unit });

describe("splitText", () => {
  test("leaves what fits alone and gives nothing for nothing", () => {
    assert.deepEqual(split("", 64), []);
    assert.deepEqual(split("short", 64), ["short"]);
    assert.deepEqual(split("x".repeat(1_000), Infinity), ["x".repeat(1_000)]);
  });

  test("prefers paragraphs, then lines, then words", () => {
    const paragraph = "word ".repeat(8).trim();
    assert.deepEqual(split(`${paragraph}\n\n${paragraph}`, 64), [paragraph, paragraph]);
    assert.deepEqual(split(`${paragraph}\n${paragraph}`, 64), [paragraph, paragraph]);
    for (const part of split("word ".repeat(40).trim(), 64)) assert.match(part, /^word( word)*$/);
  });

  test("closes a fence and opens it again with its language", () => {
    const code = Array.from({ length: 12 }, (_, n) => `${"  ".repeat(n % 3)}const value${n} = ${n};`);
    const parts = split(`Look:\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\nDone.`, 100);
    assert.ok(parts.length > 2);
    for (const part of parts) assert.equal(openFence(part), undefined);
    const inside = parts.flatMap((part) => part.split("\n")).filter((line) => line.includes("const"));
    assert.deepEqual(inside, code);
    assert.ok(parts.filter((part) => part.startsWith("```ts\n")).length >= 1);
    assert.ok(
      parts.every((part) => !/```ts\n```/.test(part)),
      "no empty fence",
    );
  });

  test("keeps longer fences, tildes, indentation and quotes", () => {
    for (const [open, close] of [
      ["````md", "````"],
      ["~~~py", "~~~"],
      ["   ```js", "   ```"],
      ["> ```js", "> ```"],
    ]) {
      const prefix = open?.startsWith(">") ? "> " : "";
      const body = Array.from({ length: 20 }, (_, n) => `${prefix}line ${n}`).join("\n");
      const parts = split(`${open}\n${body}\n${close}`, 80);
      assert.ok(parts.length > 1);
      for (const part of parts) {
        assert.ok(part.startsWith(`${open}\n`), part);
        assert.ok(part.endsWith(`\n${close}`), part);
      }
    }
  });

  test("never cuts a character, in any unit", () => {
    const family = "👩‍👩‍👧‍👦";
    for (const unit of ["utf16", "codepoint", "byte"] as const) {
      for (const part of split(family.repeat(100), 90, unit)) {
        assert.ok(measure(part, unit) <= 90);
        assert.deepEqual(new Set(graphemesOf(part)), new Set([family]));
      }
    }
  });

  test("holds only whitespace: still one part within the limit", () => {
    const parts = split("\n".repeat(500), 64);
    assert.equal(parts.length, 1);
    assert.ok((parts[0]?.length ?? 99) <= 64);
  });

  test("is quick on a long line and on many lines", () => {
    const started = process.hrtime.bigint();
    assert.equal(split("x".repeat(2_000_000), 4_000).length, 500);
    assert.ok(split("some words here\n".repeat(100_000), 4_000).length >= 400);
    assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 3_000);
  });

  for (const unit of ["utf16", "codepoint", "byte"] as const) {
    test(`any text comes back from its parts (${unit})`, () => {
      for (let seed = 1; seed <= 150; seed++) {
        const random = createRandom(seed);
        const text = makeText(random);
        const maxLength = 64 + Math.floor(random() * 200);
        const parts = split(text, maxLength, unit);
        for (const part of parts) {
          assert.ok(
            measure(part, unit) <= maxLength,
            `seed ${seed}: a part of ${measure(part, unit)} over ${maxLength}`,
          );
          assert.doesNotMatch(part, /^[\udc00-\udfff]|[\ud800-\udbff]$/, `seed ${seed}: a broken pair`);
        }
        assertSame(text, parts, seed);
      }
    });
  }
});

function openFence(part: string) {
  return part.split("\n").reduce<ReturnType<typeof fenceAfter>>((open, line) => fenceAfter(open, line), undefined);
}

/** Walks through the text with the parts: between two of them only whitespace and fence lines may be missing or added. */
function assertSame(text: string, parts: string[], seed: number): void {
  const bare = (value: string) =>
    value
      .split("\n")
      .filter((line) => !/^\s*(```|~~~)/.test(line))
      .join("\n");
  let rest = bare(text);
  for (const part of parts) {
    const content = bare(part).trimEnd();
    rest = rest.replace(/^\s+/, "");
    const wanted = content.replace(/^\s+/, "");
    assert.ok(rest.startsWith(wanted), `seed ${seed}: lost its place at ${JSON.stringify(wanted.slice(0, 40))}`);
    rest = rest.slice(wanted.length);
  }
  assert.equal(rest.trim(), "", `seed ${seed}: something is missing at the end`);
}

/** A small linear congruential generator: the same texts on every run. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function makeText(random: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const word = () =>
    pick(["a", "word", "longerword", "你好", "👩‍👩‍👧‍👦", "e\u0301", "naïve", "x".repeat(90), "🇩🇪", "*b*"]);
  const line = () => Array.from({ length: Math.floor(random() * 12) + 1 }, word).join(" ");
  const block = () => {
    const lines = Array.from({ length: Math.floor(random() * 6) + 1 }, line);
    return random() < 0.4 ? `\`\`\`${pick(["", "ts", "python"])}\n${lines.join("\n")}\n\`\`\`` : lines.join("\n");
  };
  return Array.from({ length: Math.floor(random() * 8) + 1 }, block).join(pick(["\n", "\n\n", "\n\n\n"]));
}
