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
  toItems,
} from "../../../test/fakes/random-history.ts";
import type { ContextItem } from "../context/context-item.ts";
import { pickCut } from "./pick-cut.ts";
import { estimateTokens, sumTokens } from "./token-estimate.ts";
import { findSafeStarts } from "./tool-groups.ts";

const text = (tokens: number) => "x".repeat(tokens * 4);
const user = (tokens: number) => buildUser(text(tokens));
const answer = (tokens: number) => buildAssistant(buildText(text(tokens)));
/** A call of no tokens and a result of some. */
const group = (id: string, tokens: number) => [buildAssistant(buildCall(id, "", {})), buildResult(id, text(tokens))];
/** `{}` of the empty arguments. */
const callTokens = 1;

describe("pickCut", () => {
  const talk = toItems([user(100), answer(100), user(100), answer(100), user(100), answer(100)]);
  const rows: [name: string, items: ContextItem[], keepTokens: number, cut: number | undefined][] = [
    ["nothing there", [], 100, undefined],
    ["everything fits", talk, 600, undefined],
    ["the newest up to the limit", talk, 400, 2],
    ["begins with a person's message when one is near: 100 of 500 are given for it", talk, 500, 2],
    ["a person's message too far off is not waited for: 100 of 300 are too many", talk, 300, 3],
    ["the last person's message and what follows are always kept", talk, 0, 4],
    ["one turn alone is never cut without a limit for it", toItems([user(10), ...group("a", 500)]), 20, undefined],
  ];
  for (const [name, items, keepTokens, cut] of rows) {
    test(name, () => assert.equal(pickCut(items, keepTokens), cut));
  }

  test("never between a call and its results", () => {
    const items = toItems([user(100), ...group("a", 300), ...group("b", 300), answer(10), user(10)]);
    assert.equal(pickCut(items, 320 + callTokens), 3);
    assert.equal(pickCut(items, 319 + callTokens), 5, "the group does not fit, so all of it goes");
  });

  test("a running turn over its room is cut inside, between two groups, and keeps the last one", () => {
    const items = toItems([user(10), ...group("a", 300), ...group("b", 300), ...group("c", 300)]);
    assert.equal(pickCut(items, 400, { roomTokens: 1000 }), undefined);
    assert.equal(pickCut(items, 700, { roomTokens: 800 }), 3);
    assert.equal(pickCut(items, 400, { roomTokens: 800 }), 5);
    assert.equal(pickCut(items, 0, { roomTokens: 800 }), 5);
  });

  test("an old summary is not something to gain by itself, and no person's message", () => {
    const summary: ContextItem = { ...toItems([user(500)])[0], isSummary: true } as ContextItem;
    assert.equal(pickCut([summary, ...talk.slice(4)], 100), undefined);
    assert.equal(pickCut([summary, ...talk.slice(2)], 250), 3);
    assert.equal(pickCut([summary, ...toItems([...group("a", 300), ...group("b", 300)])], 0), 3);
  });

  test("over random histories: safe, keeps the running turn, keeps no more than asked, and less never keeps more", () => {
    for (let seed = 1; seed <= 80; seed++) {
      const random = createRandom(seed);
      const items = toItems(buildRandomHistory(random, random.between(1, 10)));
      const lastRequest = items.findLastIndex(({ message }) => message.role === "user");
      let keepTokens = random.between(0, 40_000);
      let lastCut = 0;
      for (; keepTokens > 10; keepTokens = Math.floor(keepTokens / 2)) {
        const cut = pickCut(items, keepTokens);
        const kept = items.slice(cut ?? 0).map(({ message }) => message);
        assert.deepEqual(findOrphans(kept), [], `seed ${seed}`);
        assert.ok((cut ?? 0) <= lastRequest, `seed ${seed}`);
        assert.ok((cut ?? 0) >= lastCut, `seed ${seed}: ${cut} after ${lastCut}`);
        lastCut = cut ?? 0;
        const inside = pickCut(items, keepTokens, { roomTokens: 0 }) ?? 0;
        assert.deepEqual(findOrphans(items.slice(inside).map(({ message }) => message)), [], `seed ${seed}`);
        assert.ok(inside >= lastCut, `seed ${seed}`);
        const isWithin = sumTokens(kept, estimateTokens) <= keepTokens;
        const last = findSafeStarts(items.map(({ message }) => message)).findLast((start) => start <= lastRequest);
        assert.ok(isWithin || (cut ?? 0) === last, `seed ${seed}: over the limit only when nothing else may go`);
      }
    }
  });
});
