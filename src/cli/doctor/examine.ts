/** Looks at everything that can be wrong with a data directory and this machine: for `mom doctor`, and for the page of that name. */
import { createSystemClock } from "../../base/clock.ts";
import { createSilentLog } from "../cli-log.ts";
import { pickDataDir } from "../data-dir.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { checkChannels } from "./check-channels.ts";
import { checkConfig } from "./check-config.ts";
import { checkDatabase, checkDataDir, checkLock } from "./check-data-dir.ts";
import { checkEventFiles } from "./check-events.ts";
import { checkFiles } from "./check-files.ts";
import { checkGateway } from "./check-gateway.ts";
import { checkHooksOf } from "./check-hooks.ts";
import { checkNode, checkSandbox, checkTerminal } from "./check-machine.ts";
import { checkMemory } from "./check-memory.ts";
import { checkModel } from "./check-model.ts";
import { checkSkills } from "./check-skills.ts";
import { checkTools } from "./check-tools.ts";
import type { Finding } from "./finding.ts";

export interface ExamineOptions {
  data?: string;
  offline?: true;
}

/** Changes nothing and needs no running mom. */
export async function examine(io: CliIo, options: ExamineOptions): Promise<Finding[]> {
  const clock = createSystemClock();
  const deps = { io, clock, log: createSilentLog(clock) };
  const dataDir = pickDataDir(io, options.data);
  const folder = await checkDataDir(dataDir);
  const isThere = !hasFailed(folder);
  const { findings, config } = isThere ? await checkConfig(io, dataDir) : { findings: [], config: undefined };
  const machine = [
    checkNode(process.versions.node),
    await checkSandbox(deps, dataDir, config),
    ...(config ? await checkTools(deps, dataDir, config, options.offline === true) : []),
    checkTerminal(io),
  ];
  // Without a directory that can be used, the rest would only say so again.
  if (!isThere) return [...machine, ...folder];
  return [
    ...machine,
    ...folder,
    ...findings,
    ...(config ? await checkModel(deps, { dataDir, config, isOffline: options.offline === true }) : []),
    ...(config ? await checkChannels(deps, config, options.offline === true) : []),
    ...(config ? await checkGateway(dataDir, config, options.offline === true) : []),
    ...(config ? await checkSkills(io, dataDir, config) : []),
    ...(config ? await checkMemory(deps, { dataDir, config, isOffline: options.offline === true }) : []),
    ...(config ? await checkEventFiles(dataDir, config) : []),
    ...(config ? await checkHooksOf(dataDir, config) : []),
    checkLock(dataDir),
    checkDatabase(dataDir),
    ...(await checkFiles(dataDir, readHolderNow(dataDir) !== undefined)),
  ];
}

export const hasFailed = (findings: readonly Finding[]) => findings.some(({ level }) => level === "fail");
