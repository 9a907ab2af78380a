import assert from "node:assert/strict";
import { test } from "node:test";
import { stem } from "./stem.ts";
import { tokenise, tokeniseQuery } from "./tokenise.ts";

const stems: [string, string][] = [
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["cats", "cat"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["motoring", "motor"],
  ["conflated", "conflat"],
  ["hopping", "hop"],
  ["falling", "fall"],
  ["filing", "file"],
  ["happy", "happi"],
  ["relational", "relat"],
  ["digitizer", "digit"],
  ["hopefulness", "hope"],
  ["electrical", "electr"],
  ["adjustment", "adjust"],
  ["adoption", "adopt"],
  ["controlling", "control"],
  ["rate", "rate"],
  ["by", "by"],
  ["yes", "ye"],
  ["größe", "größe"],
];

test("stems as Porter has them", () => {
  for (const [word, wanted] of stems) assert.equal(stem(word), wanted, word);
});

test("words in lower case without accents, scripts without spaces by character and by pair", () => {
  assert.deepEqual(tokenise("The Meetings' café, don't!"), ["the", "meet", "cafe", "dont"]);
  assert.deepEqual(tokenise("在上海"), ["在", "上", "海", "在上", "上海"]);
  assert.deepEqual(tokenise("カレー 안녕"), ["カ", "レ", "ー", "カレ", "レー", "안", "녕", "안녕"]);
  assert.deepEqual(tokenise("GPT4模型v2"), ["gpt4", "模", "型", "模型", "v2"]);
  assert.deepEqual(tokenise("ＡＢＣ 2026-03-14"), ["abc", "2026", "03", "14"]);
  assert.deepEqual(tokenise("🙂 -- \u0000 \ud800"), []);
  assert.equal(tokenise("x".repeat(1000))[0]?.length, 40);
});

test("a question keeps the words that tell something, or all if none does", () => {
  assert.deepEqual(tokeniseQuery("What did we decide about the database?"), ["decid", "databas"]);
  assert.deepEqual(tokeniseQuery("to be or not to be"), ["to", "be", "or", "not"]);
  assert.deepEqual(tokeniseQuery("我的"), ["我", "的", "我的"].slice(2));
  assert.ok(tokeniseQuery(Array.from({ length: 500 }, (_, n) => `w${n}`).join(" ")).length <= 64);
});
