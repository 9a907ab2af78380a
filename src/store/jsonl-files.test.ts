import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createJsonlFiles, type JsonlFiles, type JsonlLine } from "./jsonl-files.ts";

async function withFiles(run: (files: JsonlFiles, folder: string, damage: string[]) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mom-jsonl-"));
  const damage: string[] = [];
  const files = createJsonlFiles(folder, ({ kind }) => void damage.push(kind));
  try {
    await run(files, folder, damage);
  } finally {
    await files.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function collect(values: AsyncGenerator<unknown>, limit = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of values) {
    if (found.length >= limit) break;
    found.push(value);
  }
  return found;
}

async function collectBack(lines: AsyncGenerator<JsonlLine>, limit?: number): Promise<unknown[]> {
  return (await collect(lines, limit)).map((line) => (line as JsonlLine).value);
}

test("lines are written whole and in order, from many writers at once", () =>
  withFiles(async (files, folder) => {
    const path = join(folder, "deep/er/a.jsonl");
    await Promise.all(Array.from({ length: 50 }, (_, n) => files.append(path, [{ n }, { n: n + 0.5 }])));
    const values = (await readFile(path, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).n);
    assert.deepEqual(
      values,
      Array.from({ length: 100 }, (_, n) => n / 2),
    );
  }));

test("reading backwards crosses chunks, long lines and characters of several bytes", () =>
  withFiles(async (files, folder) => {
    const path = join(folder, "a.jsonl");
    const values = Array.from({ length: 300 }, (_, n) => `${n} ${"äß€😀".repeat(n % 7 === 0 ? 9000 : 3)}`);
    const written = await files.append(path, values);
    const lengths = values.map((value) => Buffer.byteLength(JSON.stringify(value)));
    assert.deepEqual(written, lengths);
    const read: number[] = [];
    for await (const { bytes } of files.backwards(path)) read.push(bytes);
    assert.deepEqual(read, lengths.toReversed());
    assert.deepEqual(await collectBack(files.backwards(path)), values.toReversed());
    assert.deepEqual(await collectBack(files.backwards(path), 2), values.toReversed().slice(0, 2));
    assert.deepEqual(await collect(files.forwards(path)), values);
    assert.deepEqual(await collectBack(files.backwards(join(folder, "none"))), []);
  }));

test("looking for a text finds every line that has it, wherever chunks begin, and what is looked for may change", () =>
  withFiles(async (files, folder) => {
    const path = join(folder, "a.jsonl");
    // Each line names the one before it; lengths make lines cross chunks in every way.
    const lines = Array.from({ length: 400 }, (_, n) => ({
      id: `id${n}.`,
      pad: "x".repeat((n * 977) % 5000),
      on: `id${n - 7}.`,
    }));
    await files.append(path, lines);
    let wanted = "id399.";
    const found: string[] = [];
    for await (const { value } of files.backwards(path, () => `"${wanted}"`)) {
      const { id, on } = value as { id: string; on: string };
      if (id !== wanted) continue;
      found.push(id);
      wanted = on;
    }
    assert.deepEqual(
      found,
      Array.from({ length: 58 }, (_, n) => `id${399 - 7 * n}.`),
    );
    assert.deepEqual(await collectBack(files.backwards(path, () => "nowhere")), []);
    assert.equal((await collectBack(files.backwards(path, () => undefined))).length, 400);
  }));

test("a whole value without its newline is kept; half a value is cut off and put aside", () =>
  withFiles(async (files, folder, damage) => {
    for (const [name, tail, kept] of [
      ["whole", '{"n":2}', [{ n: 1 }, { n: 2 }, { n: 3 }]],
      ["half", '{"n":2', [{ n: 1 }, { n: 3 }]],
      ["bytes", '{"n":"\u00e4', [{ n: 1 }, { n: 3 }]],
    ] as const) {
      const path = join(folder, name);
      await writeFile(path, `{"n":1}\n${tail}`);
      await files.append(path, [{ n: 3 }]);
      assert.deepEqual(await collect(files.forwards(path)), kept, name);
      if (kept.length === 2) assert.equal(await readFile(`${path}.torn`, "utf8"), `${tail}\n`);
    }
    assert.deepEqual(damage, ["torn-tail", "torn-tail", "torn-tail"]);
  }));

test("a tail cut at any byte loses no line before it", () =>
  withFiles(async (files, folder) => {
    const text = '{"a":"one"}\n{"a":"two ä"}\n';
    const bytes = Buffer.from(text);
    for (let size = 13; size < bytes.length; size++) {
      const path = join(folder, `cut-${size}`);
      await writeFile(path, bytes.subarray(0, size));
      await files.append(path, [{ a: "three" }]);
      const values = (await collect(files.forwards(path))).map((value) => (value as { a: string }).a);
      assert.equal(values[0], "one", `cut at ${size}`);
      assert.equal(values.at(-1), "three", `cut at ${size}`);
    }
  }));

test("a bad line in the middle is skipped and reported once", () =>
  withFiles(async (files, folder, damage) => {
    const path = join(folder, "a.jsonl");
    await files.append(path, [1]);
    await appendFile(path, "nonsense\nmore nonsense\n");
    await files.append(path, [2]);
    assert.deepEqual(await collectBack(files.backwards(path)), [2, 1]);
    assert.deepEqual(damage, ["bad-line"]);
  }));

test("more files than may stay open", () =>
  withFiles(async (files, folder) => {
    const paths = Array.from({ length: 150 }, (_, n) => join(folder, `${n}.jsonl`));
    for (const round of [1, 2]) await Promise.all(paths.map((path) => files.append(path, [round])));
    for (const path of paths) assert.deepEqual(await collect(files.forwards(path)), [1, 2]);
  }));
