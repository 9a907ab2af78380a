/** Which HEARTBEAT.md asks for something: only that may cost a model call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFiles } from "../../workspace/first-files.ts";
import { cleanHeartbeat, isEmptyHeartbeat } from "./clean-heartbeat.ts";

const empty = [
  "",
  "\uFEFF\r\n \t\r\n",
  firstFiles["HEARTBEAT.md"] ?? "missing",
  "# Heartbeat\n\n## Later\n#\n",
  "Heartbeat\n=========\n\nLater\n---\n",
  "<!-- a -->\n<!-- b\n- look at mail\n-->\n",
  "# H <!-- c --> \n<!-- one --><!-- two -->",
  "- [ ]\n- []\n* [x]\n+\n-\n1.\n2)\n>\n",
  "---\nsummary: What to look at\nread_when:\n  - always\n---\n# H\n",
  "# H\n\n---\n\n* * *\n",
];
const filled = [
  "- mail?",
  "- [ ] water the plants",
  "# H\nLook at the mail",
  "<!-- a --> b",
  "<!-- never closed\n- look",
  "```\n<!-- code -->\n```",
  "`<!--` x `-->`",
  "> quoted",
  "- mail\n---\n",
  "Heartbeat\n===\nmail",
  "---\n- mail\n---\n",
  "1. mail",
  "#hashtag is no heading",
];

test("headings, comments, blanks and empty boxes ask for nothing", () => {
  for (const text of empty) assert.ok(isEmptyHeartbeat(text), JSON.stringify(text));
  for (const text of filled) assert.ok(!isEmptyHeartbeat(text), JSON.stringify(text));
});

test("mom is shown the file without what is for people", () => {
  assert.equal(cleanHeartbeat("---\na: b\n---\n# H\n<!-- x\ny -->- mail <!-- z -->today\r\n"), "# H\n- mail today");
});

test("a file made to be slow is not", () => {
  const started = process.hrtime.bigint();
  isEmptyHeartbeat("<!-- ".repeat(20_000));
  isEmptyHeartbeat("`<!--".repeat(20_000));
  isEmptyHeartbeat(`---\n${"a:\n".repeat(30_000)}`);
  isEmptyHeartbeat(`${"> ".repeat(30_000)}x`);
  assert.ok(process.hrtime.bigint() - started < 1_000_000_000n);
});
