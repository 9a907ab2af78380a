/** What a piece of work in this process takes: wall time, and the CPU time of the process with all its threads. */
import type { Cost } from "./figure.ts";

export async function timeWork<Result>(work: () => Promise<Result>): Promise<{ cost: Cost; result: Result }> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuStart);
  return { cost: { wallMs, cpuMs: (user + system) / 1000 }, result };
}

/** The order of one round of a comparison: each of the compared is the first as often as the others. */
export function rotate<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
