import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createBotGuard, mostBotTurns } from "./bot-guard.ts";

test("what is remembered is bounded; chats in which bots talk stay known", () => {
  const guard = createBotGuard({ clock: createFakeClock() });
  const fill = (chat: string) => {
    for (let n = 0; n < mostBotTurns; n++) guard.noteBot(chat);
  };
  for (const chat of ["first", "second", "third"]) fill(chat);
  for (let n = 0; n < 998; n++) guard.noteBot(`chat ${n}`);
  assert.deepEqual(["first", "second", "third"].map(guard.isTired), [false, true, true], "the oldest of 1,001 is gone");
  guard.noteBot("second");
  guard.noteBot("one more");
  assert.deepEqual(["second", "third"].map(guard.isTired), [true, false]);
});
