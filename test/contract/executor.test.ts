/** Runs the executor contract on the executors that need nothing beside; docker has a file of its own, for it is slow. */
import { createSystemClock } from "../../src/base/clock.ts";
import { createBwrapExecutor, createHostExecutor, loadPrograms, sandboxConfig } from "../../src/sandbox/index.ts";
import { silentLog } from "../fakes/log.ts";
import { executorContract } from "./executor.ts";
import type { CreateExecutor } from "./executor-scene.ts";

const base = { clock: createSystemClock(), log: silentLog, programs: await loadPrograms() };
const config = sandboxConfig.parse({});

const createHost: CreateExecutor = async (environment) => createHostExecutor({ ...base, environment });
executorContract("host", createHost);

const createBwrap: CreateExecutor = async (environment) =>
  createBwrapExecutor({ ...base, environment, privateDirs: [] }, config);
executorContract("bwrap", createBwrap, { skip: await findObstacle(createBwrap) });

/** Why an executor cannot run on this machine. */
async function findObstacle(createExecutor: CreateExecutor): Promise<string | false> {
  const executor = await createExecutor(process.env);
  const { ok, detail } = await executor.check();
  await executor.close();
  return ok ? false : detail;
}
