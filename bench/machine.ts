/** The machine that a run was made on: numbers mean nothing without it. */
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  os: string;
  node: string;
  /** One-minute load average before the first bench: above 0 means that others were using the machine. */
  load: number;
}

export function readMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}

export const formatMachine = ({ cpu, cores, memoryGiB, os, node, load }: Machine): string =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${os}, Node ${node}, load ${load.toFixed(1)} at the start`;
