/** For `mom doctor`: can texts be turned into vectors as the configuration says? */
import { errorText } from "../base/errors.ts";
import { within } from "../base/within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { MemoryConfig } from "./config.ts";
import type { MemoryDeps } from "./create-memory.ts";

export interface MemoryFinding {
  isGood: boolean;
  detail: string;
}

export interface MemoryCheckDeps extends Pick<MemoryDeps, "createEmbedder"> {
  clock: Clock;
}

const patienceMs = 20_000;

/** `offline`: nothing is tried, only looked for. Never rejects. */
export async function checkMemory(
  { createEmbedder, clock }: MemoryCheckDeps,
  config: MemoryConfig,
  { offline }: { offline: boolean },
): Promise<MemoryFinding> {
  if (!config.enabled) return { isGood: true, detail: "off" };
  const { type } = config.embedder;
  if (type === "none") return { isGood: true, detail: "searched by words alone, as configured" };
  try {
    const embedder = await createEmbedder(config.embedder);
    if ("unavailable" in embedder) {
      // Without a wish there is nothing wrong with words alone.
      return { isGood: type === "auto", detail: `searched by words alone: ${embedder.unavailable}` };
    }
    if (offline) {
      await embedder.close();
      return { isGood: true, detail: `vectors by ${embedder.id}, not tried` };
    }
    const trial = embedder.embed(["Is anybody there?"], "query").then(([vector]) => ({
      isGood: vector !== undefined,
      detail: `vectors by ${embedder.id}, ${vector?.length ?? 0} dimensions`,
    }));
    const finding = await within(clock, patienceMs, trial, (reason) => ({
      isGood: false,
      detail: `${embedder.id} makes no vectors: ${reason}`,
    }));
    await embedder.close();
    return finding;
  } catch (error) {
    return { isGood: false, detail: errorText(error) };
  }
}
