/** Nothing that is shown can leave the place it is shown in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCost, formatCount, formatMoment } from "../../base/format-values.ts";
import { toBlock, toCode, toLine, toReport } from "./foreign-text.ts";
import { formatDuration, formatNumber } from "./format-values.ts";

test("a code span is one line, without backticks or hidden characters", () => {
  assert.equal(toCode(" a `b`\n\tc\u202ed\u001b[2J "), "`a 'b' c\\u202ed\\u001b[2J`");
  assert.equal(toCode(" \n"), "(empty)");
  assert.equal(toCode("abcdef", 4), "`abc…`");
  assert.equal(toLine(`${"x".repeat(3)}😀`, 4), "xxx…");
  assert.equal(toLine("ab😀cd", 4), "ab�…");
});

test("a block cannot be closed from inside, and says when it is cut", () => {
  assert.equal(toBlock("a\n````\nb\r\n\tc\u0007"), "`````\na\n````\nb\n\tc\\u0007\n`````");
  assert.equal(
    toBlock("abcdef", { maxChars: 4, language: "json5" }),
    "```json5\nabc…\n```\n(cut; it has 6 characters)",
  );
});

test("a report is a sentence, or a block when it is more than that", () => {
  assert.equal(toReport("The config is in use."), "The config is in use.");
  assert.equal(toReport("Not valid:\n- a"), "```\nNot valid:\n- a\n```");
  assert.equal(toReport("see [here](x)"), "```\nsee [here](x)\n```");
});

test("values have few digits and a unit", () => {
  assert.deepEqual([7, 12_345, 999_960].map(formatCount), ["7", "12.3k", "1.0M"]);
  assert.deepEqual([0, 0.0012, 3.456].map(formatCost), ["$0", "$0.0012", "$3.46"]);
  assert.deepEqual([812, 1434, 5e6].map(formatBytes), ["812 B", "1.4 KiB", "4.8 MiB"]);
  assert.deepEqual([5000, 90_000, 3_700_000, 3e8].map(formatDuration), ["5 s", "1 min", "1 h 1 min", "3 days"]);
  assert.equal(formatMoment(new Date(2026, 0, 2, 3, 4).getTime()), "2026-01-02 03:04");
  assert.equal(formatMoment(Number.NaN), "unknown time");
  assert.deepEqual([formatNumber(1, "file"), formatNumber(2, "entry", "entries")], ["1 file", "2 entries"]);
});
