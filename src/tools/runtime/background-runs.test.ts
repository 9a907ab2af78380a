/** Programs in the background: numbered per session, bounded in number and age, ended with their turn or session. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { ExecResult } from "../../contracts/sandbox.ts";
import type { BackgroundRun } from "./background-run.ts";
import { createBackgroundRuns } from "./background-runs.ts";

const main = "agent:main:main" as SessionKey;
const other = "agent:main:other" as SessionKey;
const hourMs = 60 * 60 * 1000;

async function open(t: TestContext, clock: Clock = createSystemClock()) {
  const { operations } = await createToolWorkspace(t);
  const runs = createBackgroundRuns({ clock, log: silentLog });
  t.after(() => runs.close());
  const start = (command: string, session = main, signal = new AbortController().signal, timeoutMs = 60_000) =>
    runs.of(session).start({ operations, command, timeoutMs, signal });
  return { runs, start };
}

const never = new AbortController().signal;

async function endOf(run: BackgroundRun): Promise<ExecResult> {
  while (run.result === undefined) await run.wait(1000, never);
  return run.result;
}

test("numbers the runs of each session, and keeps sessions apart", async (t) => {
  const { runs, start } = await open(t);
  const first = await start("sleep 60");
  assert.equal((await start("sleep 60")).id, "b2");
  assert.equal((await start("sleep 60", other)).id, "b1");
  assert.equal(runs.of(main).get("b1"), first);
  assert.throws(() => runs.of(other).get("b2"), { code: "RUN_NOT_FOUND", hint: "There are b1." });
  assert.throws(() => runs.of("agent:x" as SessionKey).get("b1"), { hint: "None has been started." });
});

test("gives output since the last time, and the end", async (t) => {
  const { start } = await open(t);
  const run = await start("echo out; echo err >&2; read line; echo got $line; exit 3");
  await run.wait(10_000, never);
  assert.equal(run.take().text, "out\nerr\n");
  assert.equal(run.result, undefined);
  await run.write("hello\n");
  await run.wait(10_000, never);
  assert.equal(run.take().text, "got hello\n");
  const { ended, exitCode } = await endOf(run);
  assert.deepEqual([ended, exitCode], ["exit", 3]);
});

test("waits no longer than asked, and not for one who gives up", async (t) => {
  const clock = createFakeClock();
  const { start } = await open(t, clock);
  const run = await start("sleep 60");
  let isOver = false;
  const wait = run.wait(5000, never).then(() => {
    isOver = true;
  });
  await clock.advance(4900);
  assert.equal(isOver, false);
  await clock.advance(200);
  await wait;
  await run.wait(5000, AbortSignal.abort());
});

test("ends a run when the turn that started it is stopped, or its time is over", async (t) => {
  const { start } = await open(t);
  const stop = new AbortController();
  const stopped = await start("sleep 60", main, stop.signal);
  stop.abort();
  const slow = await start("sleep 60", main, never, 50);
  assert.equal((await endOf(stopped)).ended, "aborted");
  assert.equal((await endOf(slow)).ended, "timeout");
});

test("lets eight run, and the ninth when one has ended", async (t) => {
  const { start } = await open(t);
  const started = await Promise.allSettled(Array.from({ length: 9 }, () => start("sleep 60")));
  const refused = started.filter((result) => result.status === "rejected");
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ["RUN_LIMIT"],
  );
  const [first] = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  await start("true", other);
  await first?.kill();
  await first?.kill();
  await start("sleep 60");
});

test("forgets what ended an hour ago, and the oldest of more than twenty; never what runs", async (t) => {
  const clock = createFakeClock();
  const { runs, start } = await open(t, clock);
  const long = await start("sleep 60");
  for (let n = 0; n < 22; n++) {
    await (await start("true")).kill();
    await clock.advance(1);
  }
  const ids = () =>
    runs
      .of(main)
      .list()
      .map((run) => run.id);
  assert.equal(ids().length, 21);
  assert.deepEqual(ids().slice(0, 2), ["b1", "b4"]);
  await clock.advance(hourMs + 1);
  assert.deepEqual(ids(), ["b1"]);
  assert.equal(long.result, undefined);
});

test("ends what runs when its session or everything is closed", async (t) => {
  const { runs, start } = await open(t);
  const mine = await start("sleep 60");
  const theirs = await start("sleep 60", other);
  await runs.closeSession(main);
  await runs.closeSession(main);
  assert.notEqual(mine.result, undefined);
  assert.deepEqual(runs.of(main).list(), []);
  assert.equal(theirs.result, undefined);
  await runs.close();
  assert.notEqual(theirs.result, undefined);
  await assert.rejects(start("true"), { code: "EXECUTOR_CLOSED" });
});
