/** The small parts under web_fetch: pieces of a text, kinds of content, charsets, the cache. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { pickContentKind } from "./content-kind.ts";
import { cutPiece } from "./cut-piece.ts";
import { decodeText } from "./decode-text.ts";
import { createTimedCache } from "./timed-cache.ts";

describe("pieces", () => {
  const walk = (text: string, maxChars?: number) => {
    const pieces: string[] = [];
    for (let at: number | undefined = 0; at !== undefined; ) {
      const piece = cutPiece(text, at, maxChars);
      pieces.push(piece.text);
      at = piece.next;
    }
    return pieces;
  };
  it("end at whole lines and leave nothing out", () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} ${"x".repeat(i % 50)}`);
    assert.equal(walk(lines.join("\n")).join("\n"), lines.join("\n"));
  });
  it("cut a line that is too long, but no character", () => {
    const text = "😀".repeat(40_000);
    assert.equal(walk(text).join(""), text);
    assert.equal(walk("a😀b😀c", 2).join(""), "a😀b😀c");
    assert.equal(cutPiece("a😀b", 2).text, "b");
  });
  it("end where only blanks are left", () => assert.equal(cutPiece("abc\n\n \n", 0, 3).next, undefined));
});

describe("kinds of content", () => {
  const kind = (type: string, body: string | Uint8Array) => pickContentKind(type, Buffer.from(body)).type;
  it("by type, and by the first bytes where the type says little", () => {
    assert.equal(kind("text/html; charset=x", ""), "html");
    assert.equal(kind("application/xhtml+xml", "<html/>"), "html");
    assert.equal(kind("text/plain", "<!DOCTYPE html><p>"), "html");
    assert.equal(kind("", " <html>"), "html");
    assert.equal(kind("application/vnd.api+json", "{}"), "text");
    assert.equal(kind("image/svg+xml", "<svg/>"), "text");
    assert.equal(kind("application/octet-stream", "%PDF-1.7"), "pdf");
    assert.equal(kind("text/plain", Buffer.from("GIF89a")), "image");
    assert.equal(kind("text/plain", Buffer.from([0xff, 0xfe, 65, 0])), "text");
    assert.equal(kind("application/json", Buffer.from([1, 0])), "binary");
    assert.equal(kind("video/mp4", "abc"), "binary");
    assert.equal(kind("", Buffer.from([0, 1])), "binary");
  });
});

describe("charsets", () => {
  it("byte order mark before header before page before guess", () => {
    assert.equal(decodeText(Buffer.from("\uFEFFä"), "text/plain; charset=latin1"), "ä");
    assert.equal(decodeText(Buffer.from("ä"), 'text/html; charset="UTF-8"'), "ä");
    assert.equal(decodeText(Buffer.from([0xe4]), "text/plain; charset=nonsense"), "ä");
    assert.equal(decodeText(Buffer.from("ä"), ""), "ä");
    assert.match(decodeText(Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>\xe4', "latin1"), ""), /ä$/);
    assert.match(
      decodeText(Buffer.from('<meta http-equiv=x content="text/html; charset=windows-1251">\xe4', "latin1"), ""),
      /д$/,
    );
    assert.match(decodeText(Buffer.from('<meta charset="utf-16">ä'), ""), /ä$/);
  });
});

describe("the cache", () => {
  it("keeps for a while, within its limits, the longest unused going first", async () => {
    const clock = createFakeClock();
    const cache = createTimedCache<number>(clock, { maxAgeMs: 1000, maxEntries: 3, maxBytes: 100 });
    for (const [key, bytes] of [
      ["a", 30],
      ["b", 30],
      ["c", 30],
    ] as const)
      cache.set(key, bytes, bytes);
    assert.equal(cache.get("a"), 30);
    cache.set("d", 1, 1);
    assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("c")], [30, undefined, 30]);
    cache.set("e", 60, 60);
    assert.deepEqual([cache.get("d"), cache.get("e"), cache.get("a")], [undefined, 60, undefined]);
    cache.set("huge", 1, 101);
    assert.equal(cache.get("huge"), undefined);
    cache.set("e", 61, 5);
    assert.equal(cache.get("e"), 61);
    await clock.advance(1000);
    assert.equal(cache.get("e"), undefined);
  });
  it("keeps nothing for no time", () => {
    const cache = createTimedCache<number>(createFakeClock(), { maxAgeMs: 0, maxEntries: 3, maxBytes: 100 });
    cache.set("a", 1, 1);
    assert.equal(cache.get("a"), undefined);
  });
});
