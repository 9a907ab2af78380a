/** Memory: whether its files can be searched by meaning too, or by words alone. */
import { examineMemory, type MomConfig } from "../../app/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { CliIo } from "../io.ts";
import { type Finding, ok, warn } from "./finding.ts";

const check = "memory";

export async function checkMemory(
  { io, clock, log }: { io: CliIo; clock: Clock; log: Log },
  { dataDir, config, isOffline }: { dataDir: string; config: MomConfig; isOffline: boolean },
): Promise<Finding[]> {
  const { isGood, detail } = await examineMemory({ dataDir, env: io.env, clock, log, config }, { offline: isOffline });
  if (isGood) return [ok(check, detail)];
  return [warn(check, detail, "Look at `memory.embedder` in the config; until then words alone are searched.")];
}
