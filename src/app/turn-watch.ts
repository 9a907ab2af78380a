/** Waits for a turn to be over with all its posts delivered: how a terminal knows that its message was answered. */
import type { TurnId } from "../contracts/ids.ts";
import type { Turns } from "../contracts/store.ts";
import type { TurnState } from "../contracts/turn.ts";

export interface TurnWatch {
  /** Resolves when the turn is done, failed or stopped; for one that was taken into another, when that one is. */
  whenOver(turnId: TurnId): Promise<void>;
  /** Something about some turn has changed. */
  notify(): void;
}

const endStates: ReadonlySet<TurnState> = new Set(["done", "failed", "stopped"]);

export function createTurnWatch({ turns }: { turns: Turns }): TurnWatch {
  const waiting = new Map<symbol, { turnId: TurnId; resolve: () => void }>();
  const isOver = async (turnId: TurnId): Promise<boolean> => {
    const turn = await turns.get(turnId);
    if (turn?.mergedInto) return isOver(turn.mergedInto);
    return !turn || endStates.has(turn.state);
  };
  return {
    whenOver: (turnId) =>
      new Promise((resolve, reject) => {
        const key = Symbol(turnId);
        // Listening before looking, so that an end in between is not missed.
        waiting.set(key, { turnId, resolve });
        isOver(turnId).then((over) => {
          if (!over) return;
          waiting.delete(key);
          resolve();
        }, reject);
      }),
    notify() {
      for (const [key, { turnId, resolve }] of waiting) {
        isOver(turnId).then(
          (over) => {
            if (over && waiting.delete(key)) resolve();
          },
          () => undefined,
        );
      }
    },
  };
}
