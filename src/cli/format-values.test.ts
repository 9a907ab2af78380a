/** Values and tables as people read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCost, formatCount } from "../base/format-values.ts";
import type { EntryId } from "../contracts/ids.ts";
import type { ModelMessage } from "../contracts/model.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import { buildBanner } from "./banner.ts";
import { formatTable } from "./format-table.ts";
import { formatTranscript } from "./format-transcript.ts";
import { formatAge } from "./format-values.ts";
import { pickTerminal } from "./pick-terminal.ts";

test("values have few digits and a unit", () => {
  assert.deepEqual([0, 812, 1434, 5e6, 3e12].map(formatBytes), ["0 B", "812 B", "1.4 KiB", "4.8 MiB", "2.7 TiB"]);
  assert.deepEqual([7, 999, 12_345, 999_960].map(formatCount), ["7", "999", "12.3k", "1.0M"]);
  assert.deepEqual([0, 0.0012, 3.456].map(formatCost), ["$0", "$0.0012", "$3.46"]);
  assert.deepEqual([0, 5 * 60_000, 3 * 3600_000, 9 * 86400_000].map(formatAge), [
    "just now",
    "5 min ago",
    "3 h ago",
    "9 days ago",
  ]);
});

test("a table keeps its columns whatever is in the cells", () => {
  const columns = [
    { title: "NAME", toText: ([name]: readonly string[]) => name ?? "" },
    { title: "N", align: "right" as const, toText: ([, n]: readonly string[]) => n ?? "" },
  ];
  assert.deepEqual(
    formatTable(columns, [
      ["日本", "1"],
      ["a\nb\u001b[2J", "100"],
    ]),
    ["NAME             N", "日本             1", "a\\nb\\u001b[2J  100"],
  );
});

test("a transcript shows who said what, and cuts what tools said", () => {
  const entry = (message: ModelMessage): TranscriptEntry => ({
    type: "message",
    id: "0" as EntryId,
    parentId: null,
    timestamp: "2026-01-01T00:00:00.000Z",
    message,
  });
  const lines = formatTranscript([
    entry({ role: "user", content: "[ann]: hi\u001b[2J\nthere", timestamp: 0 }),
    entry({
      role: "toolResult",
      toolCallId: "1",
      toolName: "read",
      content: [{ type: "text", text: "x ".repeat(500) }],
      isError: true,
      timestamp: 0,
    }),
  ]);
  assert.deepEqual(lines.slice(2, 4), ["[ann]: hi\\u001b[2J", "there"]);
  assert.match(lines[4] ?? "", /^ {2}✗ read: (x ){99}x? ?… \(999 characters\)$/);
});

test("the banner says how to leave, and on the first start where everything is", () => {
  const facts = { dataDir: "/d", version: "1", model: "mom/offline" };
  assert.equal(buildBanner({ ...facts, isNew: false }), "mom 1 · mom/offline · /help for commands, Ctrl-D to leave");
  assert.match(buildBanner({ ...facts, isNew: true }), /in \/d;[\s\S]*offline helper[\s\S]*mom auth add/);
  assert.doesNotMatch(buildBanner({ ...facts, model: "a/b", isNew: true }), /offline helper/);
});

test("a config without adapters, or with two terminals, is refused before anything starts", () => {
  const cli = { type: "cli", toolOutput: "summary" } as const;
  assert.throws(() => pickTerminal({ adapters: {} }, "/d"), { code: "NO_ADAPTERS" });
  assert.throws(() => pickTerminal({ adapters: { a: cli, b: cli } }, "/d"), { code: "TERMINAL_TWICE" });
  assert.deepEqual(pickTerminal({ adapters: { a: cli } }, "/d"), { name: "a", config: cli });
});
