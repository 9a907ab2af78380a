/** Runs the executor contract on every executor there is. */
import { createSystemClock } from "../../src/base/clock.ts";
import { createHostExecutor, loadPrograms } from "../../src/sandbox/index.ts";
import { silentLog } from "../fakes/log.ts";
import { executorContract } from "./executor.ts";

executorContract("host", async (environment) =>
  createHostExecutor({ clock: createSystemClock(), log: silentLog, programs: await loadPrograms(), environment }),
);
