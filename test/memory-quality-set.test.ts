/** The quality set is what it says it is: large enough, every kind in both languages, nothing that points nowhere. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { judgeFound, loadQualitySet } from "../bench/memory-quality.ts";

const set = await loadQualitySet(join(import.meta.dirname, ".."));
const notes = [...set.notes.en, ...set.notes.zh];

test("at least 300 notes and 150 questions, none twice", () => {
  assert.ok(notes.length >= 300 && set.queries.length >= 150);
  for (const all of [notes, set.queries]) {
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    assert.equal(new Set(all.map(({ text }) => text)).size, all.length);
    assert.ok(all.every(({ text }) => text.length >= 2));
  }
});

test("each corpus is in its language, and has questions of every kind", () => {
  const isHan = (text: string) => /\p{Script=Han}/u.test(text);
  assert.ok(set.notes.zh.every(({ text }) => isHan(text)) && !set.notes.en.some(({ text }) => isHan(text)));
  assert.ok(set.queries.every(({ text, language }) => isHan(text) === (language === "zh")));
  for (const corpus of ["en", "zh"] as const) {
    for (const kind of ["paraphrase", "keyword", "name", "date", "negative"] as const) {
      const count = set.queries.filter((query) => query.corpus === corpus && query.kind === kind).length;
      assert.ok(count >= 10, `${corpus} has ${count} questions of the kind ${kind}`);
    }
  }
});

test("right notes are there, in the corpus that is searched; negatives have none", () => {
  const ids = { en: new Set(set.notes.en.map(({ id }) => id)), zh: new Set(set.notes.zh.map(({ id }) => id)) };
  for (const { id, corpus, kind, right } of set.queries) {
    assert.equal(right.length === 0, kind === "negative", id);
    assert.ok(
      right.every((note) => ids[corpus].has(note)),
      id,
    );
  }
});

test("a paraphrase has few words of its note", () => {
  const words = (text: string) => new Set(text.toLowerCase().match(/[a-z]{5,}/g) ?? []);
  const shares = set.queries
    .filter(({ kind, corpus, language }) => kind === "paraphrase" && corpus === "en" && language === "en")
    .map(({ text, right }) => {
      const own = words(text);
      const said = words(
        notes
          .filter(({ id }) => right.includes(id))
          .map((note) => note.text)
          .join(" "),
      );
      return [...own].filter((word) => said.has(word)).length / Math.max(1, own.size);
    });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  assert.ok(mean < 0.15, `on average ${mean} of their words stand in the note`);
});

test("the measure: first place, the first five, and nothing", () => {
  const [query] = set.queries.filter(({ right }) => right.length === 1);
  assert.ok(query);
  const right = query.right[0] ?? "";
  const at = (place: number) => [...Array.from({ length: place }, (_each, n) => `other${n}`), right];
  const found = [at(0), at(1), at(5), ["other"]].map((ids) => ({ query, ids, scores: ids.map(() => 1) }));
  assert.deepEqual(judgeFound(found), { count: 4, recallAt1: 0.25, recallAt5: 0.5, mrr: (1 + 1 / 2 + 1 / 6) / 4 });
});
