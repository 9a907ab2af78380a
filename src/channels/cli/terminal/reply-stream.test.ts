import assert from "node:assert/strict";
import { test } from "node:test";
import { createReplyStream } from "./reply-stream.ts";

test("gives blocks as they are finished and the rest at the end", () => {
  const stream = createReplyStream();
  stream.push("one\n\ntw");
  assert.equal(stream.takeFinished(), "one\n\n");
  assert.equal(stream.takeFinished(), "");
  assert.equal(stream.rest, "tw");
  stream.push("o");
  assert.equal(stream.finish("one\n\ntwo"), "two");
  assert.equal(stream.taken, "one\n\ntwo");
});

test("the true text completes what was lost on the way", () => {
  const stream = createReplyStream();
  stream.push("one\n\n");
  stream.takeFinished();
  assert.equal(stream.finish("one\n\ntwo\n\nthree"), "one\n\ntwo\n\nthree");
});

test("a text that went another way leaves what was shown", () => {
  const stream = createReplyStream();
  stream.push("one\n\ntwo");
  stream.takeFinished();
  assert.equal(stream.finish("other"), "two");
  assert.equal(stream.taken, "one\n\ntwo");
});

test("escape sequences that are cut in two are not shown", () => {
  const stream = createReplyStream();
  for (const delta of ["a\x1b", "[3", "1mb", "\x1b]0;t", "itle\x07c"]) stream.push(delta);
  stream.takeFinished();
  assert.equal(stream.rest, "abc");
});

test("silence is not shown while it may still be one", () => {
  const stream = createReplyStream();
  for (const delta of ["[SIL", "ENT]"]) {
    stream.push(delta);
    stream.takeFinished();
    assert.equal(stream.rest, "");
  }
  assert.equal(stream.finish("[SILENT]"), "");
  const loud = createReplyStream();
  loud.push("[SILENT] film");
  loud.takeFinished();
  assert.equal(loud.rest, "[SILENT] film");
});

test("a very long block costs no more than its length", () => {
  const stream = createReplyStream();
  const started = process.hrtime.bigint();
  for (let n = 0; n < 1_000; n++) {
    stream.push("some more words ".repeat(16));
    stream.takeFinished();
  }
  assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 3_000);
  assert.equal(stream.rest.length, 1_000 * 16 * 16);
});
