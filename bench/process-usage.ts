/** What a running process costs, read from Linux's /proc: CPU time and the memory of its whole tree. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** False elsewhere: the figures of CPU time and memory of other processes are then left out. */
export const canReadProcesses = existsSync("/proc/self/schedstat");

/** CPU time of all threads so far, in milliseconds, counted in nanoseconds and not in ticks. */
export function readCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spentNs = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return spentNs.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** Resident memory of the process and everything that it started, in MiB. Pages that two of them share count twice. */
export function readTreeMiB(pid: number): number {
  const parents = new Map(listProcesses().map((each) => [each, readParent(each)]));
  const belongs = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || belongs(parents.get(each)));
  const sizes = [...parents.keys()].filter(belongs).map(readResidentKiB);
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

const listProcesses = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
const readParent = (pid: number) => readStatus(pid, "PPid");
const readResidentKiB = (pid: number) => readStatus(pid, "VmRSS") ?? 0;

/** A number of /proc/<pid>/status; undefined when the process is gone or has no such line. */
function readStatus(pid: number, field: string): number | undefined {
  try {
    const found = new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}
