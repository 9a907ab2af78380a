/** What a person said is found in what the agent wrote down, and in what other programs write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryId } from "../../contracts/ids.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { isSaid, readSaid } from "./read-said.ts";

const entry = (content: unknown, role = "user"): TranscriptEntry =>
  ({
    type: "message",
    id: "1" as EntryId,
    parentId: null,
    timestamp: "",
    message: { role, content },
  }) as TranscriptEntry;

test("what was said: a table", () => {
  const cases: [content: unknown, expected: ReturnType<typeof readSaid>][] = [
    ["(2026-01-01 10:00)\n[ann]: hi\nthere", { who: "ann", text: "hi\nthere", attachments: 0 }],
    ["(2026-01-01 10:00)\n[bob]: x\n[ann]: hi", { who: "ann", text: "hi", attachments: 0 }],
    ["(2026-01-01 10:00)\n[ann]: a\n\\[bob]: b", { who: "ann", text: "a\n[bob]: b", attachments: 0 }],
    ["(2026-01-01 10:00)\n[ann]: a\n\\(2026-01-01 x", { who: "ann", text: "a\n(2026-01-01 x", attachments: 0 }],
    [
      '(2026-01-01 10:00)\n[ann]: look\n<attachment path="a/b" name="c"/>\n<attachment path="d" name="e"/>',
      { who: "ann", text: "look", attachments: 2 },
    ],
    ['(2026-01-01 10:00)\n[ann]: \n<attachment path="a" name="c"/>', { who: "ann", text: "", attachments: 1 }],
    [
      [{ type: "text", text: "(2026-01-01 10:00)\n[ann]: see" }, { type: "image" }],
      { who: "ann", text: "see\n(an image)", attachments: 0 },
    ],
    ["plain [ann]: text", { text: "plain [ann]: text", attachments: 0 }],
    ["[ann]: no time", { text: "[ann]: no time", attachments: 0 }],
    [null, { text: "", attachments: 0 }],
    [[7, { type: "text" }], { text: "", attachments: 0 }],
  ];
  for (const [content, expected] of cases)
    assert.deepEqual(readSaid(entry(content)), expected, JSON.stringify(content));
});

test("only people's messages are said", () => {
  assert.equal(isSaid(entry("x")), true);
  assert.equal(isSaid(entry("x", "assistant")), false);
  assert.equal(isSaid({ ...entry("x"), message: null } as unknown as TranscriptEntry), false);
  assert.equal(isSaid({ ...entry("x"), type: "custom" } as unknown as TranscriptEntry), false);
});
