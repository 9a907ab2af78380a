/** What is shown while a program runs: at once, then seldom, and only the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createLiveTail } from "./live-tail.ts";

test("shows at once, then at most twice a second, only the end, and nothing after stop", async () => {
  const clock = createFakeClock();
  const shown: string[] = [];
  const tail = createLiveTail(clock, (text) => shown.push(text));
  const push = (text: string) => tail.push(Buffer.from(text));
  push("a");
  push("b");
  push("c");
  assert.deepEqual(shown, ["a"]);
  await clock.advance(500);
  assert.deepEqual(shown, ["a", "abc"]);
  push("ä".repeat(5000));
  await clock.advance(500);
  assert.equal(shown[2], "ä".repeat(1024));
  push("d");
  tail.stop();
  await clock.advance(5000);
  assert.equal(shown.length, 3);
  assert.equal(clock.pending, 0);
});
