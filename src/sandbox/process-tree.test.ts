/** Who counts as a run's, where process numbers say nothing. Trees as they grow are in start-process.test.ts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import { createSystemClock } from "../base/clock.ts";
import { markName } from "./environment.ts";
import { endProcessTree } from "./process-tree.ts";

const skip = process.platform === "linux" ? false : "there is no /proc to look at";
const clock = createSystemClock();

async function startSleep(test: TestContext, mark: string): Promise<ChildProcess> {
  const child = spawn("/bin/sleep", ["60"], { detached: true, stdio: "ignore", env: { [markName]: mark } });
  test.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

it("a process of an old run is found though its number is lower than the first one's", { skip }, async (test) => {
  const marked = await startSleep(test, "test.1.");
  const stranger = await startSleep(test, "test.2.");
  const first = await startSleep(test, "test.3.");
  const ended = once(marked, "exit");
  const rootPid = first.pid ?? 0;
  await endProcessTree({ rootPid, mark: "test.1.", startedAt: clock.monotonic() - 60_000 }, clock, 1000);
  await ended;
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
});
