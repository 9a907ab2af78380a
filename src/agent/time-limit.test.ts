/** A run's time stands still while it waits for a person. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createTimeLimit } from "./time-limit.ts";

it("ends the run after its time, not counting what it waited", async () => {
  const clock = createFakeClock();
  let isOver = false;
  const limit = createTimeLimit(clock, 1000, () => {
    isOver = true;
  });
  await clock.advance(600);
  limit.pause("a");
  await clock.advance(5000);
  limit.pause("b");
  limit.resume("a");
  await clock.advance(5000);
  assert.equal(isOver, false);
  limit.resume("b");
  limit.resume("b");
  await clock.advance(399);
  assert.equal(isOver, false);
  await clock.advance(1);
  assert.equal(isOver, true);
});

it("does not go off once it is cancelled", async () => {
  const clock = createFakeClock();
  const limit = createTimeLimit(clock, 1000, () => assert.fail("went off"));
  limit.cancel();
  await clock.advance(2000);
});
