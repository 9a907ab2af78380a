/** `npm run fuzz -- frames [count] [seed]`: malformed frames against the gateway, and what came of it. */
import type { TestContext } from "node:test";
import { createGatewayRig } from "../fakes/gateway-rig.ts";
import { fuzzFrames } from "./frame-fuzz.ts";

/** So much may be more on the heap afterwards: what is kept on purpose (events, answers by key) has limits of its own. */
const mostGrowth = 24 * 1024 * 1024;

export async function runFrames(count = 50_000, seed = 1): Promise<void> {
  const failures: string[] = [];
  const note = (error: unknown) => void failures.push(`unhandled: ${String(error)}`);
  process.on("unhandledRejection", note).on("uncaughtException", note);
  const cleanups: (() => unknown)[] = [];
  // Of a test's context the rig asks for nothing else.
  const scope = { after: (run: () => unknown) => void cleanups.push(run) } as unknown as TestContext;
  const report = await fuzzFrames(await createGatewayRig(scope), count, seed);
  failures.push(...report.failures);
  const { before, after } = report.heap;
  if (after - before > mostGrowth) failures.push("the heap has grown");
  for (const cleanup of cleanups) await cleanup();
  const toMb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const { p50, p99, most } = report.latencyMs;
  const lines = [
    ...failures,
    `${report.frames} frames on ${report.connections} connections from seed ${seed} in ${(report.ms / 1_000).toFixed(1)} s`,
    `answers ${JSON.stringify(report.answers)}`,
    `closes ${JSON.stringify(report.closes)}`,
    `heap ${toMb(before)} before, ${toMb(after)} after`,
    `a good client meanwhile: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
    `${failures.length} failures`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
