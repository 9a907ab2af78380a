/** A deadline ends every wait of a call, also those that come after it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createDeadline } from "./deadline.ts";

const never = () => new Promise<string>(() => undefined);

describe("a deadline", () => {
  it("gives what is done in time", async () => {
    const clock = createFakeClock();
    const deadline = createDeadline(clock, new AbortController().signal, 1000);
    assert.equal(await deadline.wait(Promise.resolve("done")), "done");
    await assert.rejects(deadline.wait(Promise.reject(new Error("broken"))), /broken/);
    deadline.stop();
    assert.equal(clock.pending, 0);
  });

  it("ends the wait when time runs out, and every later one at once", async () => {
    const clock = createFakeClock();
    const deadline = createDeadline(clock, new AbortController().signal, 30_000);
    const waiting = assert.rejects(deadline.wait(never()), { code: "BROWSER_TIMED_OUT", message: /within 30 s/ });
    await clock.advance(30_000);
    await waiting;
    assert.ok(deadline.signal.aborted);
    await assert.rejects(deadline.wait(never()), { code: "BROWSER_TIMED_OUT" });
  });

  it("ends when the call is stopped", async () => {
    const stop = new AbortController();
    const deadline = createDeadline(createFakeClock(), stop.signal, 30_000);
    const waiting = assert.rejects(deadline.wait(never()), { code: "ABORTED" });
    stop.abort();
    await waiting;
  });
});
