/** Times by hand: nights in which clocks change, ends of months, leap days, and what is refused and how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MomError } from "../../base/errors.ts";
import type { CronSchedule } from "../../contracts/cron.ts";
import { checkSchedule, listTimes, nextTimeOf } from "./index.ts";

const nowMs = Date.parse("2026-11-17T09:00:00Z");
const farMs = Date.parse("2999-01-01T00:00:00Z");

/** The next times after `from`, as ISO without the zeros at the end. */
function times(expr: string, tz: string, from: string, count: number): string[] {
  const found = listTimes({ kind: "cron", expr, tz }, Date.parse(from), farMs, count, 0);
  return found.map((at) => new Date(at).toISOString().replace(/(:00)?\.000Z$/, "Z"));
}

const vienna = "Europe/Vienna";
/** 02:00 becomes 03:00 at 01:00Z. */
const spring = "2026-03-28T12:00:00Z";
/** 03:00 becomes 02:00 at 01:00Z. */
const autumn = "2026-10-24T12:00:00Z";

test("in spring, a time in the hour that is left out comes once, right after it", () => {
  assert.deepEqual(times("30 2 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]);
  assert.deepEqual(times("0 2 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]);
  assert.deepEqual(times("15 45 2 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:45:15Z"]);
  assert.deepEqual(times("0,30 2 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:00Z"], "together");
  assert.deepEqual(times("0 2,3 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:00Z"], "with 03:00");
  assert.deepEqual(times("*/20 2 * * *", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]);
  assert.deepEqual(times("30 2 * * SUN", vienna, spring, 2), ["2026-03-29T01:00Z", "2026-04-05T00:30Z"]);
  assert.deepEqual(times("30 2 * * SAT", vienna, spring, 1), ["2026-04-04T00:30Z"], "not on the day after either");
});

test("in spring, what runs every hour goes on in real time", () => {
  const expected = ["2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"];
  assert.deepEqual(times("30 * * * *", vienna, "2026-03-29T00:00:00Z", 3), expected);
  const twenty = ["2026-03-29T00:40Z", "2026-03-29T01:00Z", "2026-03-29T01:20Z"];
  assert.deepEqual(times("*/20 * * * *", vienna, "2026-03-29T00:20:00Z", 3), twenty);
  const seconds = ["2026-03-29T00:59:59Z", "2026-03-29T01:00Z", "2026-03-29T01:00:01Z"];
  assert.deepEqual(times("* * * * * *", vienna, "2026-03-29T00:59:58Z", 3), seconds);
});

test("in autumn, a fixed time comes once, the first time", () => {
  assert.deepEqual(times("30 2 * * *", vienna, autumn, 2), ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
  for (const from of ["2026-10-25T00:30:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z", "2026-10-25T01:20:00Z"])
    assert.deepEqual(times("30 2 * * *", vienna, from, 1), ["2026-10-26T01:30Z"], from);
  assert.deepEqual(times("0,30 2 * * *", vienna, autumn, 3), [
    "2026-10-25T00:00Z",
    "2026-10-25T00:30Z",
    "2026-10-26T01:00Z",
  ]);
  assert.deepEqual(times("30 1,2,3 * * *", vienna, autumn, 4), [
    "2026-10-24T23:30Z",
    "2026-10-25T00:30Z",
    "2026-10-25T02:30Z",
    "2026-10-26T00:30Z",
  ]);
  assert.deepEqual(times("0 3 * * *", vienna, autumn, 2), ["2026-10-25T02:00Z", "2026-10-26T02:00Z"]);
});

test("in autumn, what runs every so often goes on in real time", () => {
  const hours = ["2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"];
  assert.deepEqual(times("30 * * * *", vienna, "2026-10-24T23:00:00Z", 4), hours);
  const halves = ["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z"];
  assert.deepEqual(times("*/30 2 * * *", vienna, autumn, 5), [...halves, "2026-10-26T01:00Z"]);
});

test("days end at midnight of their zone, also where midnight is left out or comes twice", () => {
  // Santiago: 2026-09-06 begins at 01:00; on 2026-04-05 the hour from 23:00 of the 4th comes again.
  const santiago = "America/Santiago";
  assert.deepEqual(times("0 0 * * *", santiago, "2026-09-05T12:00:00Z", 2), ["2026-09-06T04:00Z", "2026-09-07T03:00Z"]);
  assert.deepEqual(times("30 0 6 9 *", santiago, "2026-09-05T12:00:00Z", 1), ["2026-09-06T04:00Z"]);
  assert.deepEqual(times("30 23 4 * *", santiago, "2026-04-04T12:00:00Z", 2), [
    "2026-04-05T02:30Z",
    "2026-05-05T03:30Z",
  ]);
  // Half an hour in Lord Howe, two hours in Troll.
  assert.deepEqual(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 1), ["2026-10-03T15:30Z"]);
  assert.deepEqual(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", 2), [
    "2026-04-04T14:45Z",
    "2026-04-05T15:15Z",
  ]);
  assert.deepEqual(times("30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00:00Z", 2), [
    "2026-03-29T01:00Z",
    "2026-03-29T23:30Z",
  ]);
});

test("names, ranges, lists, steps, last days, and days of month or week", () => {
  const from = "2026-01-01T00:00:00Z";
  assert.deepEqual(times("0 9 * * MON-FRI", "UTC", from, 3), [
    "2026-01-01T09:00Z",
    "2026-01-02T09:00Z",
    "2026-01-05T09:00Z",
  ]);
  assert.deepEqual(times("0 9 * JAN,mar sun", "UTC", "2026-01-20T00:00:00Z", 2), [
    "2026-01-25T09:00Z",
    "2026-03-01T09:00Z",
  ]);
  assert.deepEqual(times("0 9 L * *", "UTC", from, 3), ["2026-01-31T09:00Z", "2026-02-28T09:00Z", "2026-03-31T09:00Z"]);
  assert.deepEqual(times("0 9 * * 5L", "UTC", from, 2), ["2026-01-30T09:00Z", "2026-02-27T09:00Z"]);
  assert.deepEqual(times("0 9 * * MON#2", "UTC", from, 2), ["2026-01-12T09:00Z", "2026-02-09T09:00Z"]);
  assert.deepEqual(times("0 9 13 * 5", "UTC", from, 3), [
    "2026-01-02T09:00Z",
    "2026-01-09T09:00Z",
    "2026-01-13T09:00Z",
  ]);
  assert.deepEqual(times("10-40/15 9 * * *", "UTC", from, 3), [
    "2026-01-01T09:10Z",
    "2026-01-01T09:25Z",
    "2026-01-01T09:40Z",
  ]);
  assert.deepEqual(times("0 9 * * 7", "UTC", from, 1), ["2026-01-04T09:00Z"]);
  assert.deepEqual(times("@daily", vienna, from, 1), ["2026-01-01T23:00Z"]);
  assert.deepEqual(times("*/20 * * * * *", "UTC", "2026-01-01T00:00:20.001Z", 1), ["2026-01-01T00:00:40Z"]);
});

test("29 February is found years ahead, also over a year that has none", () => {
  assert.deepEqual(times("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", 2), ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]);
  assert.deepEqual(times("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1), ["2104-02-29T00:00Z"]);
});

test("without a zone it is that of the machine", () => {
  const schedule: CronSchedule = { kind: "cron", expr: "0 9 * * *" };
  const at = nextTimeOf(schedule, nowMs, nowMs);
  assert.ok(at !== undefined);
  assert.deepEqual([new Date(at).getHours(), new Date(at).getMinutes()], [9, 0]);
});

test("every so often is counted from the anchor, in real time, whatever the wall shows", () => {
  const hour = 3600_000;
  const dayBefore = Date.parse("2026-03-28T09:00:00+01:00");
  const daily: CronSchedule = { kind: "every", everyMs: 24 * hour, anchorMs: dayBefore };
  assert.equal(nextTimeOf(daily, dayBefore, 0), Date.parse("2026-03-29T10:00:00+02:00"));
  assert.equal(nextTimeOf(daily, dayBefore - 1, 0), dayBefore, "the anchor is the first");
  assert.equal(nextTimeOf(daily, dayBefore - 99 * hour, 0), dayBefore);
  assert.deepEqual(
    listTimes(daily, dayBefore, dayBefore + 48 * hour, 9, 0),
    [24, 48].map((n) => dayBefore + n * hour),
  );
  assert.equal(nextTimeOf({ kind: "every", everyMs: 1000 }, 5700, 500), 6500, "from when it was made");
  assert.equal(nextTimeOf({ kind: "every", everyMs: 1000 }, 6500, 500), 7500);
  assert.equal(nextTimeOf({ kind: "every", everyMs: 1000 }, 5700, 9_999_500), 6500, "made in a future that was none");
  assert.equal(nextTimeOf({ kind: "every", everyMs: 8e15 }, 8.1e15, 1), undefined, "beyond the end of time");
});

test("at a time is once", () => {
  assert.equal(nextTimeOf({ kind: "at", atMs: 5 }, 4, 0), 5);
  assert.equal(nextTimeOf({ kind: "at", atMs: 5 }, 5, 0), undefined);
  assert.deepEqual(listTimes({ kind: "at", atMs: 5 }, 0, 5, 9, 0), [5]);
  assert.deepEqual(listTimes({ kind: "at", atMs: 5 }, 0, 4, 9, 0), []);
});

test("a list has what is later than its start up to its end, and no more than asked for", () => {
  const schedule: CronSchedule = { kind: "cron", expr: "0 * * * *", tz: "UTC" };
  const hour = 3600_000;
  assert.deepEqual(listTimes(schedule, 0, 3 * hour, 9, 0), [hour, 2 * hour, 3 * hour]);
  assert.deepEqual(listTimes(schedule, 0, 3 * hour, 2, 0), [hour, 2 * hour]);
  assert.deepEqual(listTimes(schedule, 0, 3 * hour, 0, 0), []);
});

const refused: [CronSchedule, string, RegExp, RegExp][] = [
  [{ kind: "cron", expr: "0 0 30 2 *" }, "CRON_NEVER_FIRES", /"0 0 30 2 \*"/, /"L"/],
  [{ kind: "cron", expr: "0 0 31 4,6,9,11 *" }, "CRON_NEVER_FIRES", /31 4,6/, /day-of-month/],
  [{ kind: "cron", expr: "0 9 * *" }, "CRON_EXPRESSION_INVALID", /"0 9 \* \*".*4 fields/, /five fields/],
  [{ kind: "cron", expr: "0 0 9 * * * 2030" }, "CRON_EXPRESSION_INVALID", /7 fields/, /five fields/],
  [{ kind: "cron", expr: "" }, "CRON_EXPRESSION_INVALID", /""/, /five fields/],
  [{ kind: "cron", expr: "2026-12-24T18:00:00" }, "CRON_EXPRESSION_INVALID", /one field/, /five fields/],
  [{ kind: "cron", expr: "0 9:00 * * *" }, "CRON_EXPRESSION_INVALID", /9:00/, /five fields/],
  [{ kind: "cron", expr: "61 * * * *" }, "CRON_EXPRESSION_INVALID", /minute: 61/, /five fields/],
  [{ kind: "cron", expr: "0 22-2 * * *" }, "CRON_EXPRESSION_INVALID", /22-2/, /five fields/],
  [{ kind: "cron", expr: "0 9 * * MUN" }, "CRON_EXPRESSION_INVALID", /MUN/, /five fields/],
  [{ kind: "cron", expr: "*/0 * * * *" }, "CRON_EXPRESSION_INVALID", /\*\/0/, /five fields/],
  [{ kind: "cron", expr: "@reboot" }, "CRON_EXPRESSION_INVALID", /@reboot/, /five fields/],
  [{ kind: "cron", expr: `${"1,".repeat(500)}1 * * * *` }, "CRON_EXPRESSION_INVALID", /^.{1,300}$/, /five fields/],
  [{ kind: "cron", expr: "0 9 * * *", tz: "vienna" }, "TIME_ZONE_UNKNOWN", /"vienna"/, /Europe\/Vienna/],
  [{ kind: "cron", expr: "0 9 * * *", tz: "Eurpoe/Viena" }, "TIME_ZONE_UNKNOWN", /Viena/, /Europe\/Vienna/],
  [{ kind: "cron", expr: "0 9 * * *", tz: "New York" }, "TIME_ZONE_UNKNOWN", /New York/, /America\/New_York/],
  [{ kind: "cron", expr: "0 9 * * *", tz: "" }, "TIME_ZONE_UNKNOWN", /""/, /IANA/],
  [{ kind: "cron", expr: "0 9 * * *", tz: "x".repeat(5000) }, "TIME_ZONE_UNKNOWN", /^.{1,200}$/, /IANA/],
  [{ kind: "every", everyMs: 999 }, "SCHEDULE_INVALID", /999/, /1000/],
  [{ kind: "every", everyMs: Number.NaN }, "SCHEDULE_INVALID", /NaN/, /1000/],
  [{ kind: "every", everyMs: 1500.5 }, "SCHEDULE_INVALID", /1500\.5/, /1000/],
  [{ kind: "every", everyMs: 1e300 }, "SCHEDULE_INVALID", /1e\+300/, /1000/],
  [{ kind: "every", everyMs: 1000, anchorMs: 0.5 }, "SCHEDULE_INVALID", /0\.5/, /leave it out/],
  [{ kind: "at", atMs: Number.POSITIVE_INFINITY }, "SCHEDULE_INVALID", /Infinity/, /1970/],
  [{ kind: "at", atMs: 9e15 }, "SCHEDULE_INVALID", /9000000000000000/, /1970/],
  [{ kind: "at", atMs: nowMs }, "SCHEDULE_IN_THE_PAST", /2026-11-17T09:00/, /2026-11-17T09:00/],
];
for (const [schedule, code, message, hint] of refused) {
  const shown = JSON.stringify(schedule).slice(0, 80);
  test(`refused with words that name it and the fix: ${shown}`, () => {
    assert.throws(
      () => checkSchedule(schedule, nowMs),
      (error: MomError) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.match(error.hint ?? "", hint);
        return true;
      },
    );
  });
}

test("what is good is taken", () => {
  for (const schedule of [
    { kind: "at", atMs: nowMs + 1 },
    { kind: "every", everyMs: 1000 },
    { kind: "every", everyMs: 60_000, anchorMs: 0 },
    { kind: "cron", expr: " 0  9 * * * " },
    { kind: "cron", expr: "0 0 29 2 *", tz: "utc" },
    { kind: "cron", expr: "* * * * * *", tz: "Asia/Kathmandu" },
  ] satisfies CronSchedule[])
    checkSchedule(schedule, nowMs);
});
