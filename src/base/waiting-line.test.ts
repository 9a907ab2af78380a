/** One at a time, in order; who waits can leave, is sent away in time, and cannot join a line that is full. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createWaitingLine } from "./waiting-line.ts";

function open(maxWaiting = 2) {
  const clock = createFakeClock();
  const line = createWaitingLine({ clock, maxWaiting });
  const begun: string[] = [];
  const join = (name: string, signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const job = () => {
      begun.push(name);
      return promise;
    };
    const ended = line.run(job, { timeoutMs: 1000, ...(signal === undefined ? {} : { signal }) });
    return { ended, finish: () => resolve(name), fail: () => reject(new Error(name)) };
  };
  return { clock, line, begun, join };
}

test("lets them in one after the other, also after a failure", async () => {
  const { begun, join, clock } = open();
  const [a, b, c] = [join("a"), join("b"), join("c")];
  await clock.advance(0);
  assert.deepEqual(begun, ["a"]);
  a.fail();
  await assert.rejects(a.ended, /a/);
  await clock.advance(0);
  assert.deepEqual(begun, ["a", "b"]);
  b.finish();
  c.finish();
  assert.deepEqual(await Promise.all([b.ended, c.ended]), ["b", "c"]);
  assert.equal(clock.pending, 0);
});

test("who is aborted or waits too long never begins, and makes room", async () => {
  const { clock, begun, join } = open();
  const stop = new AbortController();
  const first = join("first");
  const aborted = join("aborted", stop.signal);
  const late = join("late");
  await assert.rejects(join("too many").ended, { code: "WORK_BUSY", retryable: true });
  stop.abort();
  await assert.rejects(aborted.ended, { code: "ABORTED" });
  await assert.rejects(join("never", stop.signal).ended, { code: "ABORTED" });
  const isLate = assert.rejects(late.ended, { code: "WORK_TIMED_OUT" });
  await clock.advance(999);
  const next = join("next");
  await clock.advance(1);
  await isLate;
  first.finish();
  next.finish();
  assert.equal(await next.ended, "next");
  assert.deepEqual(begun, ["first", "next"]);
});

test("sends away all that wait, not the one that has its turn", async () => {
  const { line, join } = open();
  const first = join("first");
  const second = join("second");
  line.clear();
  await assert.rejects(second.ended, { code: "ABORTED" });
  first.finish();
  assert.equal(await first.ended, "first");
});
