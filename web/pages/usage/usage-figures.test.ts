/** Sums and days of the usage page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillDays, firstDay, formatDay, rankTotals, sumFigures, toDay, tokensOf } from "./usage-figures.ts";

const total = (key: string, cost: number, input = 10) => ({
  key,
  calls: 1,
  input,
  output: 5,
  cacheRead: 2,
  cacheWrite: 1,
  cost,
});
const now = new Date(2026, 10, 16, 23, 59);

test("days are local, and a range ends today", () => {
  assert.equal(toDay(now), "2026-11-16");
  assert.equal(firstDay(1, now), "2026-11-16");
  assert.equal(firstDay(7, now), "2026-11-10");
  assert.equal(firstDay(90, now), "2026-08-19");
});

test("days without use are there, with nothing in them", () => {
  const days = fillDays([total("2026-11-14", 0.5), total("2026-11-16", 1)], 7, now);
  assert.deepEqual(
    days.map(({ day, cost }) => [day, cost]),
    [
      ["2026-11-10", 0],
      ["2026-11-11", 0],
      ["2026-11-12", 0],
      ["2026-11-13", 0],
      ["2026-11-14", 0.5],
      ["2026-11-15", 0],
      ["2026-11-16", 1],
    ],
  );
  assert.equal(Object.hasOwn(days[0] ?? {}, "key"), false);
});

test("a day that has begun only where mom lives is counted too", () => {
  assert.deepEqual(
    fillDays([total("2026-11-17", 1)], 1, now).map(({ day }) => day),
    ["2026-11-16", "2026-11-17"],
  );
});

test("a range has as many days as it says over a change of clocks and a leap day", () => {
  const all = fillDays([], 90, new Date(2028, 2, 30, 1));
  assert.equal(all.length, 90);
  assert.equal(new Set(all.map(({ day }) => day)).size, 90);
  assert.ok(all.some(({ day }) => day === "2028-02-29"));
});

test("sums and tokens", () => {
  const sum = sumFigures([total("a", 1), total("b", 2)]);
  assert.deepEqual(sum, { calls: 2, input: 20, output: 10, cacheRead: 4, cacheWrite: 2, cost: 3 });
  assert.equal(tokensOf(sum), 36);
  assert.equal(sumFigures([]).cost, 0);
});

test("the dearest is first with a full bar; where nothing costs, the tokens decide", () => {
  const ranked = rankTotals([total("cheap", 1), total("dear", 4)]);
  assert.deepEqual(
    ranked.map(({ key, share }) => [key, share]),
    [
      ["dear", 1],
      ["cheap", 0.25],
    ],
  );
  const free = rankTotals([total("small", 0, 2), total("big", 0, 92)]);
  assert.deepEqual(
    free.map(({ key, share }) => [key, share]),
    [
      ["big", 1],
      ["small", 0.1],
    ],
  );
  assert.deepEqual(rankTotals([]), []);
});

test("days for people", () => {
  assert.match(formatDay("2026-11-16", "en-GB"), /Mon.* 16 Nov/);
});
