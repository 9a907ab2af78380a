/** The part of the sandbox's configuration that docker mode reads; `config.ts` puts it under `sandbox.docker`. */
import { z } from "zod";

/** Also a safe word on a command line: never an option, never a path. */
const containerName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/, "must be a container's name: letters, digits, _ . and -");
const imageName = z
  .string()
  .regex(/^[a-z0-9][a-zA-Z0-9_./:@-]{0,254}$/, "must be an image's name, such as debian:bookworm-slim");

export const dockerConfig = z
  .strictObject({
    engine: z
      .enum(["auto", "docker", "podman"])
      .default("auto")
      .describe("Which engine starts containers. auto: docker if it answers, else podman."),
    container: containerName
      .optional()
      .describe(
        "Run programs in this container, which you start and mount yourself. Absent: mom starts her own, one per set of folders.",
      ),
    image: imageName
      .default("debian:bookworm-slim")
      .describe(
        "The image of the containers that mom starts. It must have sh, env, grep and sleep; mom does not pull it.",
      ),
    memoryMb: z.int().min(16).default(2048).describe("Memory of one container, in megabytes."),
    cpus: z.number().min(0.1).default(2).describe("Processors of one container."),
    pidsLimit: z.int().min(16).default(256).describe("Processes of one container."),
    tmpMb: z.int().min(1).default(256).describe("Size of the private /tmp of one container, in megabytes."),
  })
  .describe("Containers for programs, when sandbox.mode is docker.");

export type DockerConfig = z.infer<typeof dockerConfig>;
