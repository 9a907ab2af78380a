/** Times in plain words: what they mean to the minute, what is refused, and that they are said back as they were meant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronSchedule } from "../../../contracts/cron.ts";
import { describeSchedule } from "./describe-schedule.ts";
import { parseWhen } from "./parse-when.ts";

/** A Thursday, 13:00 in Vienna. */
const nowMs = Date.UTC(2026, 0, 1, 12);
const timeZone = "Europe/Vienna";
const parse = (text: string, zone: string | undefined = timeZone) =>
  parseWhen(text, { nowMs, ...(zone !== undefined && { timeZone: zone }) });

const cron = (expr: string, tz = timeZone): CronSchedule => ({ kind: "cron", expr, tz });
const every = (everyMs: number): CronSchedule => ({ kind: "every", everyMs });
const at = (iso: string): CronSchedule => ({ kind: "at", atMs: Date.parse(iso) });

const understood: [text: string, schedule: CronSchedule][] = [
  ["every weekday 9:00", cron("0 9 * * 1-5")],
  ["Every Weekday at 9.", cron("0 9 * * 1-5")],
  ["every weekday at nine", cron("0 9 * * 1-5")],
  ["weekdays at 9:15", cron("15 9 * * 1-5")],
  ["on weekdays at 9:15", cron("15 9 * * 1-5")],
  ["every monday and thursday at 18:30", cron("30 18 * * 1,4")],
  ["every mon, wed, and fri at 6 pm", cron("0 18 * * 1,3,5")],
  ["on mondays at noon", cron("0 12 * * 1")],
  ["each sunday at midnight", cron("0 0 * * 0")],
  ["every weekend at 10:00", cron("0 10 * * 0,6")],
  ["every day at 7am", cron("0 7 * * *")],
  ["daily at 12am", cron("0 0 * * *")],
  ["every day at 12 pm", cron("0 12 * * *")],
  ["every day at 9:00 and 17:00", cron("0 9,17 * * *")],
  ["every day at 7am in America/New_York", cron("0 7 * * *", "America/New_York")],
  ["every day at 7am europe/berlin", cron("0 7 * * *", "Europe/Berlin")],
  ["every weekday 9:00 UTC", cron("0 9 * * 1-5", "UTC")],
  ["every month on the 1st at 8:00", cron("0 8 1 * *")],
  ["every month on the 1st and 15th at 8:00", cron("0 8 1,15 * *")],
  ["on the 31st of every month at 23:59", cron("59 23 31 * *")],
  ["every month on the last day at 18:00", cron("0 18 L * *")],
  ["every year on 24 december at 16:00", cron("0 16 24 12 *")],
  ["every year on march 1st at 9:00", cron("0 9 1 3 *")],
  ["every 15 minutes", every(900_000)],
  ["every minute", every(60_000)],
  ["hourly", every(3600_000)],
  ["every hour", every(3600_000)],
  ["every two hours", every(7200_000)],
  ["every 2 days", every(172_800_000)],
  ["every 1 hour and 30 minutes", every(5400_000)],
  ["every half an hour", every(1800_000)],
  ["in 2 hours", at("2026-01-01T14:00:00Z")],
  ["in an hour", at("2026-01-01T13:00:00Z")],
  ["in 90s", at("2026-01-01T12:01:30Z")],
  ["in half an hour", at("2026-01-01T12:30:00Z")],
  ["in 1 day and 2 hours", at("2026-01-02T14:00:00Z")],
  ["tomorrow at 9", at("2026-01-02T08:00:00Z")],
  ["today at 18:00", at("2026-01-01T17:00:00Z")],
  ["at 17:30", at("2026-01-01T16:30:00Z")],
  ["at 9", at("2026-01-02T08:00:00Z")],
  ["on friday at 9", at("2026-01-02T08:00:00Z")],
  ["on thursday at 9", at("2026-01-08T08:00:00Z")],
  ["on thursday at 14:00", at("2026-01-01T13:00:00Z")],
  ["on 2027-01-31 at 09:00", at("2027-01-31T08:00:00Z")],
  ["2027-07-31 09:00 in America/New_York", at("2027-07-31T13:00:00Z")],
  ["2027-01-31T09:00:00+01:00", at("2027-01-31T08:00:00Z")],
  // The hour that comes twice: its first time.
  ["on 2026-10-25 at 2:30", at("2026-10-25T00:30:00Z")],
  ["0 9 * * 1-5", cron("0 9 * * 1-5")],
  ["*/20 8-18 * * mon-fri Asia/Tokyo", cron("*/20 8-18 * * mon-fri", "Asia/Tokyo")],
  ["30 0 9 1 * *", cron("30 0 9 1 * *")],
];

test("words that are understood, to the minute", () => {
  for (const [text, schedule] of understood) assert.deepEqual(parse(text), schedule, text);
});

test("without a zone it is the machine's, and that is written down", () => {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.deepEqual(parseWhen("every day at 7", { nowMs }), { kind: "cron", expr: "0 7 * * *", tz });
});

const refused: [text: string, message?: RegExp][] = [
  ["", /No time is given/],
  ["   "],
  ["soon"],
  ["every"],
  ["every day", /does not say at what time/],
  ["every monday", /does not say at what time/],
  ["every day at 25:00"],
  ["every day at 9:60"],
  ["every day at 13pm"],
  ["every day at 0am"],
  ["every day at 9:00 sharp"],
  ["every day at 9 and maybe 10"],
  ["every day at 9:00 and 17:30", /make two jobs/],
  ["every funday at 9"],
  ["every other day at 9"],
  ["every second monday at 9"],
  ["every 2 days at 9:00"],
  ["every 0 minutes"],
  ["every -5 minutes"],
  ["every 5 parsecs"],
  ["every minute and hour"],
  ["every month on the 32nd at 8:00"],
  ["every month on the 0th at 8:00"],
  ["every year on 30 february at 8:00"],
  ["every 15 minutes in Europe/Vienna", /same in every time zone/],
  ["in 2 hours UTC", /same in every time zone/],
  ["in 5 minutes and 2 hours"],
  ["in two"],
  ["next monday at 9"],
  ["mondays"],
  ["monday at 9"],
  ["on 2027-02-30 at 9:00"],
  ["on 2027-13-01 at 9:00"],
  ["2027-01-31T09:00:00"],
  ["tomorrow"],
  ["on 2026-03-29 at 2:30", /put forward over that time/],
  ["every weekday 9:00; rm -rf /"],
  ["every day at 9\u202e"],
  [`every day at 9 ${"x".repeat(300)}`],
];

test("whatever is not wholly understood is refused, with examples", () => {
  for (const [text, message] of refused) {
    assert.throws(
      () => parse(text),
      { code: "CRON_WHEN_INVALID", hint: /every weekday 9:00/, ...(message && { message }) },
      text,
    );
  }
});

test("times that are over, too far, or in a zone that is none", () => {
  for (const text of ["today at 9", "on 2025-12-31 at 9:00", "on 2099-01-01 at 9:00", "in 9999999 weeks"]) {
    assert.throws(() => parse(text), { code: "CRON_WHEN_OUT_OF_RANGE" }, text);
  }
  assert.throws(() => parse("every day at 9 in Europe/Wien"), { code: "TIME_ZONE_UNKNOWN" });
});

const said: [text: string, words: RegExp][] = [
  [
    "every weekday 9:00",
    /^every weekday at 09:00 \(Europe\/Vienna\); next: Fri 2026-01-02 09:00, Mon 2026-01-05 09:00, Tue/,
  ],
  ["every monday and thursday at 18:30", /^every Monday and Thursday at 18:30 .*next: Thu 2026-01-01 18:30, Mon/],
  ["every day at 9:00 and 17:00", /^every day at 09:00 and 17:00/],
  ["every month on the 1st, 2nd and 23rd at 8:00", /^every month on the 1st, 2nd and 23rd at 08:00/],
  [
    "every month on the last day at 18:00",
    /^every month on the last day at 18:00 .*next: Sat 2026-01-31 18:00, Sat 2026-02-28/,
  ],
  ["every year on 24 december at 16:00", /^every year on 24 December at 16:00/],
  ["every weekend at 10:00", /^every weekend at 10:00 .*next: Sat 2026-01-03 10:00, Sun 2026-01-04/],
  ["every 90 minutes", /^every 90 minutes \(Europe\/Vienna\); next: Thu 2026-01-01 14:30, Thu 2026-01-01 16:00/],
  ["every hour", /^every hour /],
  ["tomorrow at 9", /^once, Fri 2026-01-02 09:00 \(Europe\/Vienna\)$/],
  ["in 90s", /^once, Thu 2026-01-01 13:01:30/],
  [
    "*/20 8-18 * * 1-5",
    /^by the cron expression "\*\/20 8-18 \* \* 1-5" \(Europe\/Vienna\); next: Thu 2026-01-01 13:20/,
  ],
];

test("a schedule is said back with its next three runs", () => {
  for (const [text, words] of said) {
    const description = describeSchedule(parse(text), { nowMs, createdAtMs: nowMs, timeZone });
    assert.match(description, words, text);
    assert.equal(description.includes("\n"), false);
  }
  assert.match(
    describeSchedule({ kind: "cron", expr: "0 9 30 2 *", tz: "UTC" }, { nowMs, createdAtMs: nowMs }),
    /no further run$/,
  );
});

test("what is said back in words is understood as the same", () => {
  for (const [text, schedule] of understood) {
    if (schedule.kind === "at") continue;
    const words = describeSchedule(schedule, { nowMs, createdAtMs: nowMs, timeZone }).split(" (")[0] ?? "";
    if (words.startsWith("by the cron")) continue;
    const zone = schedule.kind === "cron" ? schedule.tz : undefined;
    assert.deepEqual(parse(words, zone ?? timeZone), schedule, `${text} → ${words}`);
  }
});
