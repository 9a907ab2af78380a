/** The one retry loop: which waits, how many, what ends it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { type Retry, type RetryCall, retryAsync } from "./retry.ts";

interface Wish extends Error {
  waitMs?: number;
}

/** Fails with `errors` in turn, then answers; every wait is over as soon as it is announced. */
async function play(errors: Wish[], overrides: Partial<RetryCall> = {}) {
  const clock = createFakeClock();
  const retries: Retry[] = [];
  let calls = 0;
  const outcome = await retryAsync(
    async (attempt) => {
      calls++;
      assert.equal(attempt, calls);
      const error = errors[attempt - 1];
      if (error) throw error;
      return "done";
    },
    {
      clock,
      maxRetries: 3,
      minDelayMs: 400,
      maxDelayMs: 1000,
      jitter: 0,
      isRetryable: () => true,
      retryAfterMs: (error) => (error as Wish).waitMs,
      onRetry(retry) {
        retries.push(retry);
        void clock.advance(retry.delayMs);
      },
      ...overrides,
    },
  ).catch((error: Error) => error.message);
  return { outcome, calls, delays: retries.map(({ delayMs }) => delayMs), retries };
}

const fail = (message: string, waitMs?: number): Wish =>
  Object.assign(new Error(message), waitMs === undefined ? {} : { waitMs });
const three = [fail("a"), fail("b"), fail("c")];

describe("waits", () => {
  const table: [name: string, errors: Wish[], overrides: Partial<RetryCall>, delays: number[], outcome: string][] = [
    ["none when it succeeds", [], {}, [], "done"],
    ["double, up to the longest", three, {}, [400, 800, 1000], "done"],
    ["stop after maxRetries", [...three, fail("d")], {}, [400, 800, 1000], "d"],
    ["none without retries", [fail("a")], { maxRetries: 0 }, [], "a"],
    ["vary by the jitter, downwards", three, { jitter: 0.1, random: () => 0 }, [360, 720, 900], "done"],
    ["vary by the jitter, upwards", three, { jitter: 0.1, random: () => 1 }, [440, 880, 1100], "done"],
    [
      "are exactly what was asked for, beyond the longest too",
      [fail("a", 5000)],
      { jitter: 0.5, random: () => 0 },
      [5000],
      "done",
    ],
    ["of nothing are obeyed", [fail("a", 0)], {}, [0], "done"],
    ["that are too long are not begun", [fail("a", 5001)], { maxRetryAfterMs: 5000 }, [], "a"],
    ["of the limit are", [fail("a", 5000)], { maxRetryAfterMs: 5000 }, [5000], "done"],
    ["none for what has no chance", [fail("a")], { isRetryable: () => false }, [], "a"],
  ];
  for (const [name, errors, overrides, delays, outcome] of table) {
    test(name, async () => {
      const played = await play(errors, overrides);
      assert.deepEqual(played.delays, delays);
      assert.equal(played.outcome, outcome);
      assert.equal(played.calls, delays.length + 1);
    });
  }
  test("are announced with their number, their limit and their reason", async () => {
    const error = fail("a");
    const { retries } = await play([error]);
    assert.deepEqual(retries, [{ attempt: 1, maxRetries: 3, delayMs: 400, error }]);
  });
});

test("an abort ends the wait with its reason, and nothing is tried again", async () => {
  const stop = new AbortController();
  const reason = new Error("stopped");
  const played = await play([fail("a")], { signal: stop.signal, onRetry: () => stop.abort(reason) });
  assert.equal(played.outcome, "stopped");
  assert.equal(played.calls, 1);
});

test("a failure after an abort is not waited upon", async () => {
  const played = await play([fail("a")], { signal: AbortSignal.abort() });
  assert.deepEqual([played.outcome, played.calls, played.delays], ["a", 1, []]);
});
