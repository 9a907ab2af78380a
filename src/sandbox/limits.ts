/**
 * How much a program may take: per process through resource limits that the kernel keeps, set inside the sandbox so that
 * its processes are counted by themselves; for the whole tree through the watch. Given by the configuration.
 */
export interface SandboxLimits {
  /** Of one process, and of all processes of a run together. */
  memoryMb: number;
  processes: number;
  /** Processor time of one process. */
  cpuSeconds: number;
  /** Of one file. */
  fileSizeMb: number;
  /** Of the private /tmp, which lives in memory. */
  tmpMb: number;
  /** Of one process. Each can hold memory that belongs to no process, such as what waits in a socket. */
  openFiles: number;
  /** A run is ended when less than this is left where its folders lie. */
  minFreeDiskMb: number;
  /** A run is ended when the machine has less than this left. */
  minFreeMemoryMb: number;
}

const bytesPerMb = 1024 * 1024;

export const toBytes = (megabytes: number) => megabytes * bytesPerMb;

/** What mom herself may have at most: more than that cannot be given. In the units of `/proc/<pid>/limits`. */
export type HardLimits = Readonly<Record<keyof typeof kernelNames, number>>;

const kernelNames = {
  dataBytes: "Max data size",
  processes: "Max processes",
  cpuSeconds: "Max cpu time",
  fileBytes: "Max file size",
  openFiles: "Max open files",
};

/** From the text of `/proc/<pid>/limits`. */
export function parseHardLimits(text: string): HardLimits {
  const read = (name: string) => {
    const value = new RegExp(`^${name} +\\S+ +(\\d+)`, "m").exec(text)?.[1];
    return value === undefined ? Number.POSITIVE_INFINITY : Number(value);
  };
  return {
    dataBytes: read(kernelNames.dataBytes),
    processes: read(kernelNames.processes),
    cpuSeconds: read(kernelNames.cpuSeconds),
    fileBytes: read(kernelNames.fileBytes),
    openFiles: read(kernelNames.openFiles),
  };
}

/** Lines for `sh`, to be run inside the sandbox before the program. Each fails when its limit cannot be set. */
export function buildLimitLines(limits: SandboxLimits, hard: HardLimits): string[] {
  const processes = Math.min(limits.processes, hard.processes);
  return [
    // Private writable memory. Not the address space: programs such as Node reserve far more of that than they use.
    `ulimit -d ${Math.floor(Math.min(toBytes(limits.memoryMb), hard.dataBytes) / 1024)}`,
    // The letter differs between shells.
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`,
    `ulimit -t ${Math.min(limits.cpuSeconds, hard.cpuSeconds)}`,
    `ulimit -f ${Math.floor(Math.min(toBytes(limits.fileSizeMb), hard.fileBytes) / 512)}`,
    `ulimit -n ${Math.min(limits.openFiles, hard.openFiles)}`,
    "ulimit -c 0",
  ];
}
