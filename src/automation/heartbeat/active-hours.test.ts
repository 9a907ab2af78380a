/** Times of the day: across midnight, to 24:00, in zones, on the two days of the year that are not 24 hours long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenTimes, isTimeZone, parseClockTime } from "./active-hours.ts";

const zones = { user: "Europe/Vienna", local: "America/New_York" };
const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");
const hours = (start: string, end: string, timezone = "Europe/Vienna") =>
  createOpenTimes({ start, end, timezone }, zones);

const rows: [start: string, end: string, zone: string, when: string, opens: string][] = [
  // The same moment comes back where it is open.
  ["08:00", "22:00", "Europe/Vienna", "2026-01-15T07:00:00Z", "2026-01-15T07:00:00Z"],
  ["08:00", "22:00", "Europe/Vienna", "2026-01-15T06:59:59Z", "2026-01-15T07:00:00Z"],
  ["08:00", "22:00", "Europe/Vienna", "2026-01-15T20:59:59Z", "2026-01-15T20:59:59Z"],
  ["08:00", "22:00", "Europe/Vienna", "2026-01-15T21:00:00Z", "2026-01-16T07:00:00Z"],
  // Past midnight.
  ["22:00", "02:00", "UTC", "2026-01-15T23:30:00Z", "2026-01-15T23:30:00Z"],
  ["22:00", "02:00", "UTC", "2026-01-16T01:59:00Z", "2026-01-16T01:59:00Z"],
  ["22:00", "02:00", "UTC", "2026-01-16T02:00:00Z", "2026-01-16T22:00:00Z"],
  ["22:00", "02:00", "UTC", "2026-01-15T12:00:00Z", "2026-01-15T22:00:00Z"],
  // To the end of the day, and past it by nothing.
  ["18:00", "24:00", "UTC", "2026-01-15T23:59:59Z", "2026-01-15T23:59:59Z"],
  ["18:00", "24:00", "UTC", "2026-01-16T00:00:00Z", "2026-01-16T18:00:00Z"],
  ["18:00", "00:00", "UTC", "2026-01-16T00:00:00Z", "2026-01-16T18:00:00Z"],
  ["00:00", "24:00", "UTC", "2026-01-16T00:00:00Z", "2026-01-16T00:00:00Z"],
  // Zones: the person's, the machine's, a named one with an odd offset.
  ["08:00", "09:00", "user", "2026-01-15T05:00:00Z", "2026-01-15T07:00:00Z"],
  ["08:00", "09:00", "local", "2026-01-15T05:00:00Z", "2026-01-15T13:00:00Z"],
  ["08:10", "08:20", "Asia/Kathmandu", "2026-01-15T00:00:00Z", "2026-01-15T02:25:00Z"],
  ["08:00", "09:00", "Pacific/Kiritimati", "2026-01-15T12:00:00Z", "2026-01-15T18:00:00Z"],
  // Spring in Vienna: 02:00 becomes 03:00 at 01:00 UTC on the 29th of March.
  ["02:30", "05:00", "Europe/Vienna", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"],
  ["02:10", "02:50", "Europe/Vienna", "2026-03-29T00:30:00Z", "2026-03-30T00:10:00Z"],
  ["08:00", "22:00", "Europe/Vienna", "2026-03-28T21:00:00Z", "2026-03-29T06:00:00Z"],
  // Autumn: 03:00 becomes 02:00 at 01:00 UTC on the 25th of October; what is open in that hour is open twice.
  ["02:30", "02:45", "Europe/Vienna", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z"],
  ["02:30", "02:45", "Europe/Vienna", "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"],
  ["01:00", "02:15", "Europe/Vienna", "2026-10-25T00:20:00Z", "2026-10-25T01:00:00Z"],
  ["08:00", "22:00", "Europe/Vienna", "2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z"],
  // Half an hour of summer time, on an island that has it.
  ["02:05", "02:20", "Australia/Lord_Howe", "2026-10-03T15:00:00Z", "2026-10-04T15:05:00Z"],
];

test("the next open moment", () => {
  for (const [start, end, zone, when, opens] of rows) {
    const name = `${start}-${end} ${zone} at ${when}`;
    const times = hours(start, end, zone);
    const found = times.nextOpen(at(when));
    assert.equal(iso(found), opens, name);
    assert.ok(times.isOpen(found), name);
    assert.equal(times.isOpen(at(when)), when === opens, name);
  }
});

test("what is found is the very first open minute, on every day of a year in several zones", () => {
  for (const zone of ["Europe/Vienna", "America/St_Johns", "Australia/Lord_Howe", "Asia/Tokyo"]) {
    const times = hours("01:45", "03:10", zone);
    for (let day = at("2026-01-01T00:00:00Z"); day < at("2027-01-01T00:00:00Z"); day += 86_400_000) {
      const from = day + ((day / 86_400_000) % 24) * 3_600_000;
      let minute = from;
      while (!times.isOpen(minute)) minute += 60_000;
      assert.equal(iso(times.nextOpen(from)), iso(minute), zone);
    }
  }
});

test("without hours, and without a zone that is known, nothing breaks", () => {
  assert.ok(createOpenTimes(undefined, zones).isOpen(0));
  const times = createOpenTimes({ start: "08:00", end: "09:00" }, { user: "Nowhere/Land", local: "UTC" });
  assert.equal(iso(times.nextOpen(at("2026-01-15T05:00:00Z"))), "2026-01-15T08:00:00Z");
  const unknownUser = createOpenTimes({ start: "08:00", end: "09:00", timezone: "user" }, { local: "Asia/Tokyo" });
  assert.equal(iso(unknownUser.nextOpen(at("2026-01-15T05:00:00Z"))), "2026-01-15T23:00:00Z");
});

test("a time of the day is written in one way only", () => {
  assert.equal(parseClockTime("24:00", "end"), 1440);
  for (const text of ["24:00", "8:00", "08:60", "25:00", "08.00", "", " 08:00", "08:00:00"])
    assert.equal(parseClockTime(text, "start"), undefined, text);
  assert.equal(parseClockTime("24:01", "end"), undefined);
});

test("a zone has a name, not an offset", () => {
  assert.ok(isTimeZone("Europe/Vienna"));
  assert.ok(isTimeZone("UTC"));
  for (const name of ["+02:00", "Europe/Wien", "", "user/..", "x".repeat(100)]) assert.ok(!isTimeZone(name), name);
});
