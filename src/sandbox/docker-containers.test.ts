import assert from "node:assert/strict";
import { it } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createContainers } from "./docker-containers.ts";
import type { DockerEngine, EngineAnswer } from "./docker-engine.ts";

/** An engine that keeps its containers in a list. */
function createListEngine(answer: (args: readonly string[]) => Partial<EngineAnswer> = () => ({})) {
  const running = new Set<string>();
  const call = async (args: readonly string[]): Promise<EngineAnswer> => {
    const given = { exitCode: 0, stdout: "", stderr: "", ...answer(args) };
    const name = args.at(-1) ?? "";
    if (given.exitCode === 0 && args[0] === "run") running.add(name);
    if (args[0] === "rm") running.delete(name);
    return given;
  };
  const engine: DockerEngine = {
    name: "docker",
    title: "docker 1",
    isRootless: false,
    env: {},
    toArgv: (args) => ["docker", ...args],
    call,
  };
  return { engine, running };
}

function createPool() {
  const clock = createFakeClock();
  const containers = createContainers({
    clock,
    log: silentLog,
    instance: "test",
    buildRunArguments: (name) => ["run", name],
    toError: async ({ stderr }) => new Error(`cannot start: ${stderr}`),
  });
  return { clock, containers };
}

const plan = (key: string) => ({ key, mounts: [], hasNetwork: false });

it("shares one container per plan, and removes it when nobody has used it for a while", async () => {
  const { clock, containers } = createPool();
  const { engine, running } = createListEngine();
  const [one, two, other] = await Promise.all(["a", "a", "b"].map((key) => containers.lease(engine, plan(key))));
  assert.equal(one?.name, two?.name);
  assert.notEqual(one?.name, other?.name);
  one?.release();
  await clock.advance(3_600_000);
  assert.equal(running.size, 2, "both are still in use");
  two?.release();
  await clock.advance(300_000);
  (await containers.lease(engine, plan("a"))).release();
  await clock.advance(599_000);
  assert.equal(running.size, 2, "it was used again meanwhile");
  await clock.advance(2_000);
  assert.deepEqual([...running], [other?.name]);
  await containers.close();
  assert.equal(running.size, 0);
  assert.equal(clock.pending, 0);
});

it("has a bounded number of them: the one that is idle longest goes, and none that is in use", async () => {
  const { clock, containers } = createPool();
  const { engine, running } = createListEngine();
  const leases = await Promise.all("abcdefgh".split("").map((key) => containers.lease(engine, plan(key))));
  await assert.rejects(containers.lease(engine, plan("i")), { code: "SANDBOX_BUSY", retryable: true });
  leases[3]?.release();
  await clock.advance(1000);
  leases[1]?.release();
  await containers.lease(engine, plan("i"));
  assert.equal(running.size, 8);
  assert.ok(!running.has(leases[3]?.name ?? ""));
  assert.ok(running.has(leases[1]?.name ?? ""));
  await containers.close();
});

it("tries again after a start that failed, and leaves nothing of it behind", async () => {
  const { containers } = createPool();
  let isBroken = true;
  const calls: string[] = [];
  const { engine, running } = createListEngine((args) => {
    calls.push(args[0] ?? "");
    return args[0] === "run" && isBroken ? { exitCode: 125, stderr: "no such image" } : {};
  });
  await assert.rejects(containers.lease(engine, plan("a")), /cannot start: no such image/);
  assert.deepEqual(calls, ["ps", "run", "rm"]);
  isBroken = false;
  await containers.lease(engine, plan("a"));
  assert.equal(running.size, 1);
  await containers.close();
});

it("gives a new container after one was given up", async () => {
  const { clock, containers } = createPool();
  const { engine, running } = createListEngine();
  const first = await containers.lease(engine, plan("a"));
  await first.discard();
  first.release();
  const second = await containers.lease(engine, plan("a"));
  assert.notEqual(first.name, second.name);
  assert.deepEqual([...running], [second.name]);
  await containers.close();
  assert.equal(clock.pending, 0);
});
