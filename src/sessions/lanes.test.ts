import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import type { Turns } from "../contracts/store.ts";
import type { ClaimedTurn } from "../contracts/turn.ts";
import { createLanes } from "./lanes.ts";

/** The part of the store that lanes use, over a plain list. */
function createTurnList(ids: string[]) {
  const waiting = ids.map((id) => ({ id, lane: id }) as ClaimedTurn);
  const calls: string[] = [];
  const turns = {
    claim: async () => waiting.shift(),
    renew: async (turn: ClaimedTurn) => {
      calls.push(`renew ${turn.id}`);
      return true;
    },
    release: async (turn: ClaimedTurn) => {
      calls.push(`release ${turn.id}`);
      waiting.unshift(turn);
    },
  } as unknown as Turns;
  return { turns, calls, waiting };
}

const rest = { onLost: () => assert.fail("no lease is lost here"), adapters: () => [] };

test("no more run at once than allowed, and the next starts when one ends", async () => {
  const clock = createFakeClock();
  const { turns } = createTurnList(["a", "b", "c"]);
  const running = new Map<string, () => void>();
  const run = (turn: ClaimedTurn) => new Promise<void>((resolve) => running.set(turn.id, resolve));
  const lanes = createLanes({ turns, clock, log: createRecordingLog(), run, ...rest }, { maxConcurrent: () => 2 });
  lanes.wake();
  await clock.advance(0);
  assert.deepEqual([...running.keys()], ["a", "b"]);
  running.get("a")?.();
  await clock.advance(0);
  assert.deepEqual([...running.keys()], ["a", "b", "c"]);
  for (const end of running.values()) end();
  await lanes.drain();
  assert.equal(lanes.running, 0);
});

test("a long turn keeps its lease", async () => {
  const clock = createFakeClock();
  const { turns, calls } = createTurnList(["a"]);
  let end = () => {};
  const run = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  const lanes = createLanes({ turns, clock, log: createRecordingLog(), run, ...rest }, { maxConcurrent: () => 2 });
  lanes.wake();
  await clock.advance(65_000);
  assert.deepEqual(calls, ["renew a", "renew a", "renew a"]);
  end();
  await lanes.drain();
  assert.equal(clock.pending, 0);
});

test("a turn that cannot be recorded is given back and tried again after a pause, not at once", async () => {
  const clock = createFakeClock();
  const { turns, calls } = createTurnList(["a"]);
  let tries = 0;
  const run = async () => {
    tries++;
    if (tries < 3) throw new Error("disk full");
  };
  const log = createRecordingLog();
  const lanes = createLanes({ turns, clock, log, run, ...rest }, { maxConcurrent: () => 2 });
  lanes.wake();
  await clock.advance(0);
  assert.equal(tries, 1);
  await clock.advance(500);
  assert.equal(tries, 2);
  await clock.advance(1000);
  assert.equal(tries, 3);
  assert.deepEqual(calls, ["release a", "release a"]);
  assert.equal(log.lines.filter((line) => line.level === "error").length, 2);
});
