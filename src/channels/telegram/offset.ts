/**
 * How far mom has read. Telegram keeps an update until a higher offset is asked for; the offset is also kept across restarts,
 * so that what was taken just before a crash is not offered again.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";

export interface Offset {
  load(): Promise<void>;
  /** The first update that mom does not have. 0: whatever there is. */
  readonly next: number;
  /** Everything before this one is on disk. Never rejects. */
  moveTo(updateId: number): Promise<void>;
}

const memoryKey = "offset";
/** After a week of silence Telegram begins anew with numbers by chance, which may be lower. */
const trustedMs = 3 * 24 * 3_600_000;

export interface OffsetDeps {
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
}

/** Another bot under the same name has other numbers. */
export function createOffset({ clock, log, memory }: OffsetDeps, botId: number): Offset {
  let next = 0;
  return {
    async load() {
      const kept: { botId?: unknown; next?: unknown; at?: unknown } = Object(await memory.get(memoryKey));
      const isFresh = typeof kept.at === "number" && Math.abs(clock.now() - kept.at) < trustedMs;
      if (kept.botId === botId && isFresh && typeof kept.next === "number") next = kept.next;
    },
    get next() {
      return next;
    },
    async moveTo(updateId) {
      if (updateId === next) return;
      next = updateId;
      await memory.set(memoryKey, { botId, next, at: clock.now() }).catch((error: unknown) => {
        log.warn("How far Telegram was read could not be written down", { error });
      });
    },
  };
}
