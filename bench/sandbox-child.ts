/**
 * One `echo` after another through the real executors, by turns on the host and in bwrap, so that whatever else the machine
 * does meets both; then in a container, where an engine works. Started by benches/sandbox.ts.
 */
import type { Operations } from "../src/contracts/sandbox.ts";
import { createTestEngine } from "../test/contract/container-engine.ts";
import type { Cost } from "./figure.ts";
import { type OwnersPlace, openOwnersPlace } from "./owners-place.ts";
import { rotate, timeWork } from "./time-work.ts";

export interface SandboxOrders {
  dataDir: string;
  rounds: number;
  /** Also in a container. */
  withContainer: boolean;
}

export interface SandboxResult {
  host: Cost[];
  bwrap: Cost[];
  /** Absent: not asked for, or no engine works here. */
  container?: { engine: string; costs: Cost[] };
}

/** The first ones run uncompiled code. */
const skippedRounds = 20;

async function callEcho(operations: Operations): Promise<void> {
  const { exitCode, stdout, stderr } = await operations.exec({
    command: { shell: "echo bench" },
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    maxOutputBytes: 65_536,
  });
  if (exitCode !== 0 || stdout !== "bench\n") throw new Error(`echo ended with ${exitCode}: ${stderr || stdout}`);
}

/** As many calls in each place, by turns. */
async function compare(places: readonly Operations[], rounds: number): Promise<Cost[][]> {
  const all = places.map((operations) => ({ operations, costs: [] as Cost[] }));
  for (let round = 0; round < skippedRounds + rounds; round++) {
    for (const { operations, costs } of rotate(all, round)) {
      const { cost } = await timeWork(() => callEcho(operations));
      if (round >= skippedRounds) costs.push(cost);
    }
  }
  return all.map(({ costs }) => costs);
}

async function measureContainer({ scope }: OwnersPlace, rounds: number): Promise<SandboxResult["container"]> {
  const engine = await createTestEngine();
  if ("skip" in engine) {
    process.stderr.write(`  ${engine.skip}\n`);
    return undefined;
  }
  try {
    const executor = await engine.createExecutor({}, `bench-${process.pid}`);
    try {
      const readOnly = [...(scope.readOnly ?? []), ...engine.readOnly];
      const [costs] = await compare([executor.open({ ...scope, hasNetwork: false, readOnly })], rounds);
      return costs && { engine: engine.name, costs };
    } finally {
      await executor.close();
    }
  } finally {
    await engine.close();
  }
}

const { dataDir, rounds, withContainer }: SandboxOrders = JSON.parse(process.argv[2] ?? "{}");
const place = await openOwnersPlace(dataDir);
if ("missing" in place.bwrap) throw new Error(place.bwrap.missing);
const [host, bwrap] = await compare([place.host, place.bwrap], rounds);
if (!host || !bwrap) throw new Error("nothing was measured");
const container = withContainer ? await measureContainer(place, Math.ceil(rounds / 4)) : undefined;
await place.close();
process.send?.({ host, bwrap, ...(container && { container }) } satisfies SandboxResult);
process.disconnect();
