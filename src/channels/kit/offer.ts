/**
 * Gives what people said to the app until it is taken: it is on disk then, and the platform may be told so. In order within
 * a chat; chats do not wait for each other.
 */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";

export interface Offer {
  /**
   * Resolves true when the message was taken; false when that will not happen (stopped before, or too many wait): the platform
   * must not be told that mom has it. A message that waits already is not offered a second time: both get the one answer.
   */
  offer(message: ChannelMessage): Promise<boolean>;
  /** No handler is called after this. */
  stop(): void;
  /** Milliseconds since the epoch. */
  readonly lastTakenAt: number | undefined;
  /** How long the last message that was taken had been on its way, milliseconds. */
  readonly lagMs: number | undefined;
}

export interface OfferDeps {
  clock: Clock;
  log: Log;
  /** A rejection means "not taken". */
  handle(message: ChannelMessage): Promise<void>;
  /** Told once per message that was not taken at the first try. May not throw. */
  onDelayed?(message: ChannelMessage, error: unknown): void;
}

const firstRetryMs = 200;
const longestRetryMs = 5_000;
/** Messages of all chats that wait to be taken. Beyond it the platform keeps them. */
const mostWaiting = 5_000;

export function createOffer({ clock, log, handle, onDelayed }: OfferDeps): Offer {
  const stopped = new AbortController();
  const queue = createKeyedQueue();
  const waiting = new Map<string, Promise<boolean>>();
  let lastTakenAt: number | undefined;
  let lagMs: number | undefined;

  async function giveUntilTaken(message: ChannelMessage): Promise<boolean> {
    for (let delayMs = firstRetryMs; !stopped.signal.aborted; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      try {
        await handle(message);
        lastTakenAt = clock.now();
        lagMs = toLagMs(message, lastTakenAt);
        return true;
      } catch (error) {
        log.warn("The message was not taken; offering it again", { messageId: message.id, delayMs, error });
        if (delayMs === firstRetryMs) onDelayed?.(message, error);
      }
      await clock.sleep(delayMs, stopped.signal).catch(() => undefined);
    }
    return false;
  }

  return {
    async offer(message) {
      const key = JSON.stringify([message.channelId, message.id]);
      const same = waiting.get(key);
      if (same) return same;
      if (waiting.size >= mostWaiting) {
        log.error("Too many messages wait to be taken; one is left to the platform", { messageId: message.id });
        return false;
      }
      const taken = queue.run(message.channelId, () => giveUntilTaken(message)).finally(() => waiting.delete(key));
      waiting.set(key, taken);
      return taken;
    },
    stop: () => stopped.abort(),
    get lastTakenAt() {
      return lastTakenAt;
    },
    get lagMs() {
      return lagMs;
    },
  };
}

/** The platform's clock may be ahead of ours. */
function toLagMs({ timestamp }: ChannelMessage, nowMs: number): number | undefined {
  const sentAt = Date.parse(timestamp);
  return Number.isNaN(sentAt) ? undefined : Math.max(0, nowMs - sentAt);
}
