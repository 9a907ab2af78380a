import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildAssistant,
  buildCall,
  buildRandomHistory,
  buildResult,
  buildText,
  buildUser,
  createRandom,
  findOrphans,
} from "../../../test/fakes/random-history.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import { splitByMaxTokens, splitByTokenShare } from "./split-messages.ts";
import { estimateTokens, sumTokens } from "./token-estimate.ts";
import { findSafeStarts, toToolGroups } from "./tool-groups.ts";

const said = (tokens: number) => buildUser("x".repeat(tokens * 4));
const sizes = (parts: ModelMessage[][]) => parts.map((part) => part.map(estimateTokens));

describe("findSafeStarts", () => {
  const call = (...ids: string[]) => buildAssistant(...ids.map((id) => buildCall(id)));
  const result = (id: string) => buildResult(id, "x");
  const rows: [name: string, messages: ModelMessage[], starts: number[]][] = [
    ["nothing", [], []],
    ["plain talk parts anywhere", [buildUser("a"), buildAssistant(buildText("b")), buildUser("c")], [0, 1, 2]],
    ["a call stays with both results", [buildUser("a"), call("1", "2"), result("1"), result("2")], [0, 1]],
    ["two groups part between them", [call("1"), result("1"), call("2"), result("2"), buildUser("b")], [0, 2, 4]],
    [
      "a message put in while tools ran stays in the group",
      [call("1", "2"), result("1"), buildUser("b"), result("2"), buildUser("c")],
      [0, 4],
    ],
    ["a result without a call does not begin a part", [buildUser("a"), result("?"), buildUser("b")], [0, 2]],
    ["unless there is nothing before it", [result("?"), buildUser("b")], [0, 1]],
  ];
  for (const [name, messages, starts] of rows) {
    test(name, () => assert.deepEqual(findSafeStarts(messages), starts));
  }
});

describe("splitByMaxTokens", () => {
  const rows: [name: string, tokens: number[], max: number, parts: number[][]][] = [
    ["nothing gives nothing", [], 10, []],
    ["all fit", [3, 3, 4], 10, [[3, 3, 4]]],
    ["as many as fit", [6, 6, 4, 1], 10, [[6], [6, 4], [1]]],
    ["an oversize one is a part of its own", [2, 50, 2], 10, [[2], [50], [2]]],
  ];
  for (const [name, tokens, max, parts] of rows) {
    test(name, () => assert.deepEqual(sizes(splitByMaxTokens(tokens.map(said), max)), parts));
  }

  test("an oversize tool group stays whole", () => {
    const group = [buildAssistant(buildCall("a")), buildResult("a", "x".repeat(4000))];
    assert.deepEqual(splitByMaxTokens([said(1), ...group, said(1)], 10), [[said(1)], group, [said(1)]]);
  });
});

describe("splitByTokenShare", () => {
  const rows: [name: string, tokens: number[], parts: number, expected: number[][]][] = [
    ["nothing gives nothing", [], 3, []],
    ["one part is everything", [1, 2, 3], 1, [[1, 2, 3]]],
    [
      "halves",
      [5, 5, 5, 5],
      2,
      [
        [5, 5],
        [5, 5],
      ],
    ],
    ["thirds of 12", [4, 4, 4], 3, [[4], [4], [4]]],
    ["fewer messages than parts", [4, 4], 5, [[4], [4]]],
    ["the last part takes what is left", [9, 1, 1, 1], 2, [[9], [1, 1, 1]]],
    ["no parts asked for: everything", [1, 2], 0, [[1, 2]]],
  ];
  for (const [name, tokens, parts, expected] of rows) {
    test(name, () => assert.deepEqual(sizes(splitByTokenShare(tokens.map(said), parts)), expected));
  }
});

test("no random history loses a message, its order or a tool pair, however it is split", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = createRandom(seed);
    const messages = buildRandomHistory(random, random.between(0, 12));
    const maxTokens = random.between(1, 6000);
    const count = random.between(1, 8);
    const byMax = splitByMaxTokens(messages, maxTokens);
    const byShare = splitByTokenShare(messages, count);
    for (const parts of [byMax, byShare]) {
      assert.deepEqual(parts.flat(), messages, `seed ${seed}`);
      for (const part of parts) {
        assert.notEqual(part.length, 0, `seed ${seed}`);
        assert.deepEqual(findOrphans(part), [], `seed ${seed}`);
      }
    }
    assert.ok(byShare.length <= count, `seed ${seed}`);
    for (const part of byMax) {
      const isOneGroup = toToolGroups(part).length === 1;
      assert.ok(isOneGroup || sumTokens(part, estimateTokens) <= maxTokens, `seed ${seed}`);
    }
  }
});
