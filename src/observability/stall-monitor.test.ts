/** A loop that is held shows in the numbers, and is reported once a minute. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createStallMonitor } from "./stall-monitor.ts";

function openMonitor(t: TestContext, collectEveryMs: number) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const monitor = createStallMonitor({ clock, log }, { collectEveryMs });
  t.after(() => {
    monitor.stop();
    monitor.stop();
  });
  /** Holds the loop for real, then waits until the turn of the loop that was held has ended. */
  const hold = async (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    await pause(1);
    await pause(1);
  };
  return { clock, monitor, hold, warnings: log.lines };
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(2);
}

test("a loop that waits is not held", { timeout: 5_000 }, async (t) => {
  const { monitor } = openMonitor(t, 1_000);
  await pause(300);
  assert.ok(monitor.snapshot().worstMs < 250, JSON.stringify(monitor.snapshot()));
});

test("a stall is collected and reported without being asked for", { timeout: 5_000 }, async (t) => {
  const { hold, warnings } = openMonitor(t, 10);
  await pause(5);
  await hold(150);
  await waitFor(() => warnings.length === 1);
  assert.equal(warnings[0]?.level, "info");
  assert.ok(Number(warnings[0]?.fields["stallMs"]) >= 150);
  assert.match(warnings[0]?.text ?? "", /^the event loop was held for \d+ ms$/);
});

test("the last minute forgets, the worst does not; one warning a minute", { timeout: 5_000 }, async (t) => {
  const { clock, monitor, hold, warnings } = openMonitor(t, 1e6);
  await pause(5);
  await hold(400);
  const first = monitor.snapshot();
  assert.ok(first.worstMs >= 400, JSON.stringify(first));
  assert.equal(first.worstLastMinuteMs, first.worstMs);

  await clock.advance(59_000);
  await hold(80);
  assert.deepEqual(monitor.snapshot(), first);
  assert.equal(warnings.length, 1);

  await clock.advance(1_000);
  const later = monitor.snapshot();
  assert.equal(later.worstMs, first.worstMs);
  assert.ok(later.worstLastMinuteMs >= 80 && later.worstLastMinuteMs < first.worstMs, JSON.stringify(later));
  await hold(80);
  monitor.snapshot();
  assert.equal(warnings.length, 2);
});
