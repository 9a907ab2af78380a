/**
 * Calls whose receipt may be missing: where each went, so that after a crash or a lost answer the post can be looked for.
 * Those that history alone does not show (replies in threads, files) are on disk before the call is made.
 */
import type { SendResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import { toRecord } from "./wire.ts";

export interface Attempt {
  threadTs?: string | undefined;
  /** A time of Slack's before the call. */
  since?: string | undefined;
  /** Of an upload: the file, which tells by itself where it was shared. */
  fileId?: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The post, once Slack has named it. */
  ts?: string;
}

export interface Attempts {
  load(): Promise<void>;
  /** False when it could not be written down: the call must not be made. */
  note(deliveryId: DeliveryId, attempt: Omit<Attempt, "at" | "ts">): Promise<boolean>;
  get(deliveryId: DeliveryId): Attempt | undefined;
  /** What became of it. Kept for a while where it was sent: the receipt may be lost behind us. */
  end(deliveryId: DeliveryId, result: SendResult): void;
}

const memoryKey = "attempts";
const most = 500;
const mostSent = 50;

export function createAttempts({ clock, log, memory }: { clock: Clock; log: Log; memory: ChannelMemory }): Attempts {
  const attempts = new Map<DeliveryId, Attempt>();
  return {
    async load() {
      const kept = await memory.get(memoryKey).catch((error: unknown) => {
        log.warn("Which posts to Slack are in doubt could not be read", { error });
      });
      for (const [id, attempt] of Object.entries(toRecord(kept))) {
        if (typeof toRecord(attempt)["at"] === "number") attempts.set(id as DeliveryId, attempt as Attempt);
      }
    },
    async note(deliveryId, attempt) {
      attempts.delete(deliveryId);
      attempts.set(deliveryId, { ...attempt, at: clock.now() });
      const [oldest] = attempts.keys();
      if (attempts.size > most && oldest !== undefined) attempts.delete(oldest);
      if (attempt.threadTs === undefined && attempt.fileId === undefined) return true;
      try {
        await memory.set(memoryKey, Object.fromEntries(attempts));
        return true;
      } catch (error) {
        log.warn("A post to Slack could not be written down before it was made", { error });
        return false;
      }
    },
    get: (deliveryId) => attempts.get(deliveryId),
    end(deliveryId, result) {
      const attempt = attempts.get(deliveryId);
      if (result.type === "unknown" || !attempt) return;
      attempts.delete(deliveryId);
      if (result.type !== "sent") return;
      attempts.set(deliveryId, { ...attempt, ts: result.messageId });
      const sent = [...attempts].filter(([, { ts }]) => ts !== undefined);
      for (const [id] of sent.slice(0, -mostSent)) attempts.delete(id);
    },
  };
}
