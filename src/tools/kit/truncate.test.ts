/** What a model gets to read of long text: whole lines within the limits, from the front or the back, in bounded time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatBytes } from "./format-bytes.ts";
import { cutHead, cutTail, shortenLine, truncateHead, truncateTail } from "./truncate.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n");

describe("truncation", () => {
  it("leaves short text as it is, also its last newline", () => {
    const whole = { text: "a\nb\n", keptLines: 2, totalLines: 2, cutBy: undefined };
    assert.deepEqual(truncateHead("a\nb\n"), whole);
    assert.deepEqual(truncateTail("a\nb\n"), whole);
    assert.deepEqual(truncateTail(""), { text: "", keptLines: 0, totalLines: 0, cutBy: undefined });
  });

  it("cuts at 2,000 lines", () => {
    const head = truncateHead(numbered(2001));
    assert.deepEqual([head.keptLines, head.totalLines, head.cutBy], [2000, 2001, "lines"]);
    assert.ok(head.text.endsWith("line 2000"));
    assert.ok(truncateTail(numbered(2001)).text.startsWith("line 2\n"));
  });

  it("cuts at 50 KB, at whole lines", () => {
    const text = Array.from({ length: 100 }, () => "x".repeat(1023)).join("\n");
    const head = truncateHead(text);
    assert.deepEqual([head.keptLines, head.cutBy, head.text.length], [50, "bytes", 50 * 1024 - 1]);
    assert.equal(truncateTail(text).keptLines, 50);
  });

  it("cuts within a line only when that line alone is too long", () => {
    assert.deepEqual(truncateHead("äöü", { maxBytes: 3 }).text, "ä");
    assert.deepEqual(truncateTail("first\näöü", { maxBytes: 3 }).text, "ü");
  });

  it("looks no further than it keeps", () => {
    const newlines = "\n".repeat(10 * 1024 * 1024);
    const startMs = performance.now();
    const cut = [truncateTail(newlines), truncateHead(newlines)];
    assert.ok(performance.now() - startMs < 200);
    for (const { text, keptLines, totalLines } of cut) {
      assert.deepEqual([text, keptLines, totalLines], ["\n".repeat(1999), 2000, newlines.length]);
    }
  });

  it("keeps what it should at the edges", () => {
    assert.deepEqual(truncateTail("a\n\nb\n", { maxLines: 2 }).text, "\nb");
    assert.deepEqual(truncateHead("\n\nb\n", { maxLines: 2 }).text, "\n");
    assert.deepEqual(truncateHead("a\nbb\nc", { maxBytes: 4 }).text, "a\nbb");
    assert.deepEqual(truncateTail("a\nbb\nc", { maxBytes: 3 }), {
      text: "c",
      keptLines: 1,
      totalLines: 3,
      cutBy: "bytes",
    });
  });

  it("cuts no character in two", () => {
    assert.equal(cutHead("a😀b", 4), "a");
    assert.equal(cutTail("a😀b", 4), "b");
    assert.equal(cutHead("abc", 10), "abc");
    assert.equal(shortenLine("😀😀😀", 2), "😀😀…");
    assert.equal(shortenLine("abc", 3), "abc");
  });
});

it("formats sizes", () => {
  assert.deepEqual([0, 1023, 1024, 1536, 51_200, 5 * 1024 ** 2].map(formatBytes), [
    "0 B",
    "1023 B",
    "1 KB",
    "1.5 KB",
    "50 KB",
    "5 MB",
  ]);
});
