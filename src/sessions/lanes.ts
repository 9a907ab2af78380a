/**
 * Session lanes: takes turns from the store as long as there is room, one at a time per lane, and keeps their leases
 * while they run. The order and the "one at a time" are the store's promise; this is the engine that turns it.
 */
import { errorText } from "../base/errors.ts";
import { createPump } from "../base/pump.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Turns } from "../contracts/store.ts";
import type { ClaimedTurn } from "../contracts/turn.ts";

export interface Lanes {
  /** Something may be there to do. Cheap, may be called at any time. */
  wake(): void;
  /** Turns that run now. */
  readonly running: number;
  /** Takes no more turns; resolves when the running ones have ended. */
  drain(): Promise<void>;
}

interface LaneDeps {
  turns: Turns;
  clock: Clock;
  log: Log;
  /** Works on a turn to its end. Rejects only when it could not be recorded; the turn is then given back. */
  run(turn: ClaimedTurn): Promise<void>;
  /** Somebody else has the turn now: stop working on it. */
  onLost(turn: ClaimedTurn): void;
  /** Turns of messages that came through these are taken. */
  adapters(): string[];
}

const leaseMs = 60_000;
const renewMs = 20_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export function createLanes(
  { turns, clock, log, run, onLost, adapters }: LaneDeps,
  { maxConcurrent }: { maxConcurrent(): number },
): Lanes {
  /** How long to wait now, and how long it was the last time; both 0 while all is well. */
  let pauseMs = 0;
  let lastPauseMs = 0;
  let cancelPause = () => {};
  const pump = createPump({
    maxActive: maxConcurrent,
    async take() {
      // A store that has just failed a turn gets its pause.
      const turn = pauseMs === 0 ? await turns.claim(leaseMs, adapters()) : undefined;
      return turn && (() => work(turn));
    },
    onFailure(error) {
      log.error("Turns cannot be taken from the store; trying again", { error });
      pause();
    },
  });

  /** After a failure of the store itself, trying again at once would only spin. */
  const pause = () => {
    if (pauseMs > 0) return;
    pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, lastPauseMs * 2));
    lastPauseMs = pauseMs;
    cancelPause = clock.after(pauseMs, () => {
      pauseMs = 0;
      pump.wake();
    });
  };
  const keepLease = (turn: ClaimedTurn) => {
    let cancel = () => {};
    const arm = () => {
      cancel = clock.after(renewMs, () => {
        turns.renew(turn, leaseMs).then(
          (kept) => (kept ? arm() : onLost(turn)),
          (error: unknown) => {
            log.warn("A lease could not be renewed", { turn: turn.id, error: errorText(error) });
            arm();
          },
        );
      });
    };
    arm();
    return () => cancel();
  };
  /** The store that failed the turn may also fail this; a turn that stayed ours would wait for nobody. */
  const giveBack = async (turn: ClaimedTurn) => {
    while (!pump.draining) {
      try {
        return await turns.release(turn);
      } catch {
        await clock.sleep(firstPauseMs);
      }
    }
  };
  const work = async (turn: ClaimedTurn) => {
    const dropLease = keepLease(turn);
    try {
      await run(turn);
      lastPauseMs = 0;
    } catch (error) {
      log.error("A turn could not be recorded; it will be taken up again", { turn: turn.id, error });
      await giveBack(turn);
      pause();
    } finally {
      dropLease();
    }
  };

  return {
    wake: pump.wake,
    get running() {
      return pump.active;
    },
    async drain() {
      await pump.drain();
      cancelPause();
    },
  };
}
