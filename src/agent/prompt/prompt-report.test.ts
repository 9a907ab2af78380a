/** What `mom prompt show` prints of sizes adds up to what is sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPromptReport } from "./prompt-report.ts";

test("every section has its bytes and share, and they add up to the whole", () => {
  const lines = formatPromptReport([
    { name: "Identity", text: "You are mom." },
    { name: "Users", text: "## Users\n@äöü" },
    { name: "Date", text: "Today: Monday", isVolatile: true },
  ]);
  assert.deepEqual(lines, [
    "section    bytes  share",
    "Identity      14   31 %",
    "Users         18   40 %",
    "Date          13   29 %  may change between turns",
    "total         45  100 %",
  ]);
});

test("an empty prompt has a total of nothing", () => {
  assert.deepEqual(formatPromptReport([]), ["section   bytes  share", "total         0    0 %"]);
});
