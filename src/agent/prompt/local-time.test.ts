import assert from "node:assert/strict";
import { test } from "node:test";
import { buildLocalTimes } from "./local-time.ts";

test("a message has its minute, the prompt its day, both of the zone", () => {
  const vienna = buildLocalTimes("Europe/Vienna");
  const lateSunday = Date.UTC(2026, 10, 15, 23, 5);
  assert.equal(vienna.minute(lateSunday), "2026-11-16 00:05");
  assert.equal(vienna.date(lateSunday), "Monday, 2026-11-16, UTC+01:00");
  assert.equal(vienna.date(lateSunday + 23 * 3_600_000 - 300_000), vienna.date(lateSunday));
});

test("the day carries the offset that the zone has then", () => {
  const summer = Date.UTC(2026, 6, 1);
  assert.equal(buildLocalTimes("Europe/Vienna").date(summer), "Wednesday, 2026-07-01, UTC+02:00");
  assert.equal(buildLocalTimes("Asia/Kolkata").date(summer), "Wednesday, 2026-07-01, UTC+05:30");
  assert.equal(buildLocalTimes("UTC").date(summer), "Wednesday, 2026-07-01, UTC+00:00");
});
