/** Runs the executor contract on docker mode with a real engine. Most of its time is the engine's, so it has its own file. */
import { after } from "node:test";
import { createTestEngine } from "./container-engine.ts";
import { executorContract } from "./executor.ts";

const engine = await createTestEngine();
if ("skip" in engine) {
  executorContract("docker", () => Promise.reject(new Error(engine.skip)), { skip: engine.skip });
} else {
  after(() => engine.close());
  executorContract("docker", (environment) => engine.createExecutor({}, `contract-${process.pid}`, environment), {
    scope: { readOnly: engine.readOnly },
  });
}
