/** Asks the engine about a container that the operator started. */
import { z } from "zod";
import type { DockerEngine } from "./docker-engine.ts";
import type { AttachedMount } from "./docker-fit.ts";

export interface InspectedContainer {
  /** Not the name: a container made anew under the same name is another one, with other mounts. */
  id: string;
  isRunning: boolean;
  hasNetwork: boolean;
  /** Of folders of the host; volumes of the engine are left out. */
  mounts: AttachedMount[];
}

const inspected = z.object({
  Id: z.string(),
  State: z.object({ Running: z.boolean() }),
  HostConfig: z.object({ NetworkMode: z.string() }),
  Mounts: z.array(z.object({ Type: z.string(), Source: z.string(), Destination: z.string(), RW: z.boolean() })),
});

/** Undefined when there is none of that name. */
export async function inspectContainer(engine: DockerEngine, name: string): Promise<InspectedContainer | undefined> {
  const { exitCode, stdout } = await engine.call(["inspect", "--type", "container", name]);
  const found = exitCode === 0 ? z.tuple([inspected]).safeParse(parseJson(stdout)) : undefined;
  if (!found?.success) return undefined;
  const [{ Id, State, HostConfig, Mounts }] = found.data;
  return {
    id: Id,
    isRunning: State.Running,
    hasNetwork: HostConfig.NetworkMode !== "none",
    mounts: Mounts.filter(({ Type }) => Type === "bind").map(({ Source, Destination, RW }) => ({
      source: Source,
      target: Destination,
      isReadOnly: !RW,
    })),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
