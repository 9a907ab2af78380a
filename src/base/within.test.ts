import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { within } from "./within.ts";

test("gives the result, or makes something of a failure or of waiting too long, and leaves no timer", async () => {
  const clock = createFakeClock();
  const instead = (reason: string) => reason;
  assert.equal(await within(clock, 100, Promise.resolve("done"), instead), "done");
  assert.equal(await within(clock, 100, Promise.reject(new Error("broken")), instead), "broken");
  const late = within(clock, 100, new Promise<string>(() => undefined), instead);
  await clock.advance(100);
  assert.equal(await late, "No answer within 100 ms");
  assert.equal(clock.pending, 0);
});
