/**
 * Two bots never loop (spec 2.4): bots that may talk start only so many turns in a chat before a person must have said
 * something there. Kept in memory; a restart gives them one more round. Asked by door.ts.
 */
import type { Clock } from "../contracts/clock.ts";

export interface BotGuard {
  /** Bots have had their turns in this chat. */
  isTired(chat: string): boolean;
  /** A bot's message has started a turn. */
  noteBot(chat: string): void;
  /** A person has said something. */
  notePerson(chat: string): void;
}

export const mostBotTurns = 6;
export const botTurnsWithinMs = 10 * 60_000;
/** The chat in which bots have been quiet for longest is forgotten first. */
const mostChats = 1000;

export function createBotGuard({ clock }: { clock: Clock }): BotGuard {
  const startsByChat = new Map<string, number[]>();
  const recentStarts = (chat: string) => {
    const since = clock.monotonic() - botTurnsWithinMs;
    return (startsByChat.get(chat) ?? []).filter((at) => at > since);
  };
  return {
    isTired: (chat) => recentStarts(chat).length >= mostBotTurns,
    noteBot(chat) {
      const starts = [...recentStarts(chat), clock.monotonic()];
      startsByChat.delete(chat);
      startsByChat.set(chat, starts);
      for (const oldest of startsByChat.keys()) {
        if (startsByChat.size <= mostChats) break;
        startsByChat.delete(oldest);
      }
    },
    notePerson: (chat) => void startsByChat.delete(chat),
  };
}
