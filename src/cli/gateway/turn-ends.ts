/**
 * Who waits for the end of a turn of the running mom. The end is an event; where events were lost, mom is asked, and a reply
 * that was not shown is shown then.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";
import type { Payload } from "../../gateway/protocol/index.ts";
import { askOutcome } from "./ask-outcome.ts";
import { createBoundedSet } from "./bounded-set.ts";

export interface TurnEnds {
  /** `mayHaveEnded`: its end may have been told before anybody listened. */
  whenOver(turnId: string, mayHaveEnded: boolean): Promise<void>;
  ended(end: Payload<"chat.end">): void;
  /** Events were lost. */
  lost(): void;
}

interface TurnEndsDeps {
  client: GatewayClient;
  clock: Clock;
  /** Resolves when all events that have come in are shown. */
  shown(): Promise<unknown>;
  /** What the turn has said in the end; to be shown if it was not. */
  onReply(turnId: string, reply: string): Promise<void>;
}

/** An end that is told by an event follows the answer to a question about it this soon. */
const graceMs = 1_000;

export function createTurnEnds({ client, clock, shown, onReply }: TurnEndsDeps): TurnEnds {
  const over = createBoundedSet();
  const waiting = new Map<string, PromiseWithResolvers<void>>();

  const settle = (turnId: string) => {
    over.add(turnId);
    waiting.get(turnId)?.resolve();
    waiting.delete(turnId);
  };
  const ask = async (turnId: string) => {
    try {
      const outcome = await askOutcome({ client, clock }, turnId);
      await clock.sleep(graceMs);
      await shown();
      if (over.has(turnId)) return;
      await onReply(outcome.turnId, outcome.reply);
    } catch {
      // Not known any more, or we are leaving: nothing to wait for.
    }
    settle(turnId);
  };
  const whenOver = (turnId: string, mayHaveEnded: boolean): Promise<void> => {
    if (over.has(turnId)) return Promise.resolve();
    const known = waiting.get(turnId);
    if (known) return known.promise;
    const end = Promise.withResolvers<void>();
    waiting.set(turnId, end);
    if (mayHaveEnded) void ask(turnId);
    return end.promise;
  };
  return {
    whenOver,
    ended({ turnId, mergedInto }) {
      // Taken into another turn: the answer is that one's.
      if (mergedInto === undefined || mergedInto === turnId) settle(turnId);
      else void whenOver(mergedInto, true).then(() => settle(turnId));
    },
    lost: () => {
      for (const turnId of waiting.keys()) void ask(turnId);
    },
  };
}
