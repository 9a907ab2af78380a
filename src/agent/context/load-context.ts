/** A session's context, turn after turn: reads the entries from the store and keeps what was worked out of them. */
import type { SessionKey } from "../../contracts/ids.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import type { Transcripts } from "../../contracts/store.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import type { NewEntry } from "../../contracts/turn.ts";
import { buildItems } from "./build-items.ts";
import type { ModelFit } from "./clean-message.ts";
import { createContextCache } from "./context-cache.ts";
import type { ContextItem } from "./context-item.ts";
import { planExpiry } from "./plan-expiry.ts";
import { repairMessages } from "./repair-messages.ts";

/** Entries of a context that are read at most: far more than one has. */
export const mostContextEntries = 2000;

export interface LoadedContext {
  entries: readonly TranscriptEntry[];
  items: ContextItem[];
  /** There are older entries that belong to it. */
  cut: boolean;
}

export interface ContextLoader {
  /** At most `maxEntries` entries, the newest. Items are the same objects as long as the entries are. */
  load(key: SessionKey, maxEntries: number): Promise<LoadedContext>;
  /** What is sent of these items to this model. */
  toMessages(items: readonly ContextItem[], model: ModelFit): ModelMessage[];
  /** Context edits for what has outlived its task; `entries` with the message that starts the present turn. */
  expire(entries: readonly TranscriptEntry[], options: { afterTurns?: number | undefined; nowMs: number }): NewEntry[];
}

export function createContextLoader({ transcripts }: { transcripts: Pick<Transcripts, "context"> }): ContextLoader {
  const cache = createContextCache();
  return {
    async load(key, maxEntries) {
      const { entries, cut } = await transcripts.context(key, maxEntries);
      return { entries, items: buildItems(entries, cache), cut };
    },
    toMessages: (items, model) => repairMessages(items, model, cache),
    expire: (entries, options) => planExpiry(entries, { ...options, cache }),
  };
}
