/** The sandbox's slice of the configuration: where tools run, which folders they may touch and how much they may take. */
import { normalize } from "node:path";
import { z } from "zod";
import { dockerConfig } from "./docker-config.ts";

const folder = z
  .string()
  .startsWith("/", "must be an absolute path")
  .refine((path) => normalize(path) !== "/", "must not be the whole file system");
const network = (isOn: boolean) => z.boolean().default(isOn);

const limits = z
  .strictObject({
    memoryMb: z.int().min(16).default(2048).describe("Memory of one process, and of all processes of a run together."),
    processes: z.int().min(8).default(256).describe("Processes and threads of one run."),
    cpuSeconds: z.int().min(1).default(600).describe("Processor time of one process."),
    fileSizeMb: z.int().min(1).default(1024).describe("Largest file that a program may write."),
    tmpMb: z.int().min(1).default(256).describe("Size of the private /tmp, which lives in memory."),
    openFiles: z.int().min(64).default(1024).describe("Files and sockets that one process may have open."),
    minFreeDiskMb: z.int().min(0).default(200).describe("Programs are ended when less disk space than this is left."),
    minFreeMemoryMb: z
      .int()
      .min(0)
      .default(200)
      .describe("Programs are ended when the whole machine has less memory than this left."),
  })
  .describe("How much a program may take in bwrap mode; in docker mode the disk alone, the rest is under docker.");

export const sandboxConfig = z
  .strictObject({
    mode: z
      .union([
        z.enum(["auto", "bwrap", "docker", "host"]),
        z
          .string()
          .regex(/^docker:[A-Za-z0-9][A-Za-z0-9_.-]*$/, "write auto, bwrap, docker, docker:<container> or host"),
      ])
      .default("auto")
      .describe(
        "Where tools run. bwrap: confined by bubblewrap; docker: in containers that mom starts; docker:<container>: in one that is there; host: directly on this machine, with mom's own user and rights. auto: bwrap on Linux, host elsewhere. What cannot be had is refused, never replaced by host.",
      ),
    roots: z
      .array(folder)
      .default([])
      .describe("Folders outside the workspace that tools may read and write. Absolute paths."),
    readable: z
      .array(folder)
      .default([])
      .describe("Folders that programs in a sandbox may read, beside the system's own. Absolute paths."),
    network: z
      .strictObject({
        main: network(true),
        cron: network(true),
        subagent: network(true),
        dm: network(false),
        group: network(false),
        topic: network(false),
      })
      .prefault({})
      .describe("Which types of session have programs that may use the network."),
    user: z
      .int()
      .min(1)
      .max(4_294_967_294)
      .default(65_534)
      .describe("The user id that programs run as when mom is root. Files in the workspace are given to it."),
    limits: limits.prefault({}),
    docker: dockerConfig.prefault({}),
  })
  .describe("How far tools can reach.");

export type SandboxConfig = z.infer<typeof sandboxConfig>;

export type SandboxMode = "bwrap" | "docker" | "host";

/** The mode in plain words, and the container that it names. */
export function pickSandboxMode(
  { mode }: Pick<SandboxConfig, "mode">,
  platform: NodeJS.Platform,
): { mode: SandboxMode; container?: string } {
  if (mode.startsWith("docker:")) return { mode: "docker", container: mode.slice("docker:".length) };
  if (mode === "bwrap" || mode === "docker" || mode === "host") return { mode };
  return { mode: platform === "linux" ? "bwrap" : "host" };
}
