/**
 * What was said while mom was away: after every new connection each conversation is compared with what was heard in it, the
 * missed messages are taken like any other, oldest first, replies in threads and changes too. A conversation in which
 * something new comes in goes first; the others follow in the background, slowly.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { createPace } from "../kit/pace.ts";
import type { SlackClient } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import { fetchMissed } from "./missed.ts";
import type { People } from "./people.ts";
import type { WireMessage } from "./wire.ts";

export interface Backfill {
  /** A new connection is about to be made: whatever comes through it comes after what was missed. */
  arm(): void;
  /** It is open: looks everywhere, in the background. */
  begin(): void;
  /** To be called in the conversation's turn. Never rejects. */
  catchUp(channelId: string): Promise<void>;
  stop(): void;
}

export interface BackfillDeps {
  clock: Clock;
  log: Log;
  client: SlackClient;
  cursors: Cursors;
  people: Pick<People, "members" | "whenRead">;
  take(message: WireMessage): Promise<boolean>;
  inTurn<T>(channelId: string, work: () => Promise<T>): Promise<T>;
}

const history = "history";
/** Slack allows about fifty looks into histories a minute. */
const looks = { burst: 20, perSecond: 0.7 };
/** Something new does not wait longer than this for what was missed. */
const hurryMs = 1_000;
const patienceMs = 600_000;
const mostRounds = 5;
const betweenRoundsMs = 60_000;

export function createBackfill(deps: BackfillDeps): Backfill {
  const { clock, log, client, cursors, people, take, inTurn } = deps;
  const pace = createPace({ clock }, { chat: looks });
  const stopped = new AbortController();
  /** Compared since the connection was made. Undefined: nothing can have been missed. */
  let done: Set<string> | undefined;

  /** False: something may still be missing. In the conversation's turn. */
  async function look(channelId: string): Promise<boolean> {
    const compared = done;
    if (!compared || compared.has(channelId)) return true;
    const missed = await fetchMissed(client, channelId, cursors.markOf(channelId));
    if (missed.type === "limited") pace.pause(missed.retryAfterMs, history);
    if (missed.type === "limited" || missed.type === "failed") return false;
    if (missed.type === "found" && missed.isCut) {
      log.warn("More was said on Slack while mom was away than is read afterwards", { channel: channelId });
    }
    for (const message of missed.type === "found" ? missed.messages : []) {
      if (!(await take(message))) return false;
    }
    compared.add(channelId);
    cursors.release(channelId);
    return true;
  }
  async function lookEverywhere(compared: Set<string>): Promise<void> {
    await people.whenRead();
    for (let round = 0; round < mostRounds; round++) {
      let left = 0;
      for (const channelId of new Set([...cursors.recent(), ...people.members()])) {
        if (compared.has(channelId)) continue;
        // Not in the conversation's turn: nobody waits for this.
        await pace.take(history, patienceMs);
        if (compared !== done || stopped.signal.aborted) return;
        if (!(await inTurn(channelId, () => look(channelId)))) left += 1;
      }
      if (left === 0) return cursors.releaseOthers();
      await clock.sleep(betweenRoundsMs, stopped.signal).catch(() => undefined);
    }
    log.warn("What was missed on Slack could not be fetched everywhere");
  }

  return {
    arm() {
      cursors.holdOthers();
      done = new Set();
    },
    begin() {
      if (!done) return;
      // What came through the old connection meanwhile may have been compared too early.
      done = new Set();
      lookEverywhere(done).catch((error: unknown) => log.warn("What was missed on Slack was not fetched", { error }));
    },
    async catchUp(channelId) {
      if (!done || done.has(channelId)) return;
      const turn = await pace.take(history, hurryMs);
      const isDone = turn.type === "go" && (await look(channelId));
      // What is new goes on; what was missed is fetched later, from where it began.
      if (!isDone) cursors.hold(channelId);
    },
    stop() {
      stopped.abort();
      pace.stop();
    },
  };
}
