/**
 * What would allow a command for good where this config runs it (`mom approvals allow`), and which programs such a rule may name: the
 * same answer for that and for the desk of a running mom.
 */
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor } from "../contracts/sandbox.ts";
import { buildLayout } from "../store/index.ts";
import { createProgramFinder, suggestRules as suggestBy } from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { createExecutor } from "./create-executor.ts";
import { listAgentFolders } from "./list-agent-folders.ts";

interface FinderParts {
  env: Readonly<Record<string, string | undefined>>;
  mode: Executor["mode"];
  /** Absolute: folders that agents can write in. */
  agentFolders(): string[];
}

type FindProgram = ReturnType<typeof createProgramFinder>;

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** In a container programs are other files than here, so none is certain. */
export function createAgentProgramFinder({ env, mode, agentFolders }: FinderParts): FindProgram {
  if (mode === "docker") return async () => undefined;
  const writable = agentFolders;
  return async (program) =>
    createProgramFinder({ path: pickProgramPath(env["PATH"] ?? defaultPath, mode, writable()), writable })(program);
}

/** A sandbox shows the system's folders and the agents'. What is found in one of the latter is never certain. */
function pickProgramPath(path: string, mode: Executor["mode"], agentFolders: readonly string[]): string {
  if (mode !== "bwrap") return path;
  const isShown = (folder: string) =>
    /^\/(?:usr|bin|sbin|opt)(?:\/|$)/.test(folder) ||
    agentFolders.some((agents) => folder === agents || folder.startsWith(`${agents}/`));
  return path.split(":").filter(isShown).join(":");
}

interface SuggestParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  config: MomConfig;
}

/** What would allow a command line for good, beside a mom that may be running. Starts nothing. */
export async function suggestRules(parts: SuggestParts, command: string): ReturnType<typeof suggestBy> {
  const { dataDir, env, config } = parts;
  const executor = await createExecutor(parts, config.sandbox);
  try {
    const { mode } = executor;
    const agentFolders = () => listAgentFolders(buildLayout(dataDir), config);
    const findProgram = createAgentProgramFinder({ env, mode, agentFolders });
    return await suggestBy({ findProgram }, command);
  } finally {
    await executor.close();
  }
}
