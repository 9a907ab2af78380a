/**
 * Groups that have become supergroups: Telegram gives those a new id and refuses the old one. Posts to the old one go to the
 * new one; kept across restarts. What people say there comes under the new id.
 */
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import type { Place } from "./place.ts";

export interface PlaceBook {
  load(): Promise<void>;
  /** Where it is now. */
  find(place: Place): Place & { hasMoved: boolean };
  noteMove(fromChatId: number, toChatId: number): Promise<void>;
}

const memoryKey = "moved-chats";
const mostMoves = 200;

/** `name`: of the adapter, for the line that says what to change in the config. */
export function createPlaceBook({ memory, log, name }: { memory: ChannelMemory; log: Log; name: string }): PlaceBook {
  const moves = new Map<number, number>();
  return {
    async load() {
      const kept = await memory.get(memoryKey);
      for (const [from, to] of Array.isArray(kept) ? kept : []) {
        if (typeof from === "number" && typeof to === "number") moves.set(from, to);
      }
    },
    find(place) {
      const chatId = moves.get(place.chatId);
      return chatId === undefined ? { ...place, hasMoved: false } : { chatId, hasMoved: true };
    },
    async noteMove(from, to) {
      if (moves.get(from) === to) return;
      const [oldest] = moves.keys();
      if (moves.size >= mostMoves && oldest !== undefined) moves.delete(oldest);
      moves.set(from, to);
      log.warn("A group has become a supergroup with a new id", {
        from,
        to,
        fix: `Where the config names ${from} in adapters.${name}.groups, write ${to}.`,
      });
      await memory.set(memoryKey, [...moves]);
    },
  };
}
