/**
 * Shows running turns in their chats: mom types, her emoji is on the message, and when it takes longer a live post tells what
 * she does and grows with her reply. The reply itself comes through `sendMessage` and is edited into that post (`takeOver`),
 * so that it is seen once. Every adapter that can edit posts has one of these and gives it a driver.
 */
import { within } from "../../base/within.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import type { ChannelMemory } from "../definition.ts";
import { createLivePosts } from "./live-posts.ts";
import { createLiveTurn, type LiveTurn, type LiveTurnConfig, type LiveTurnDeps } from "./live-turn.ts";
import type { ShowPlace } from "./show-driver.ts";

/** Nothing of it rejects. */
export interface TurnShow {
  /** For `showEvent`. Returns at once; nobody waits for the platform. */
  show(channelId: string, turnId: TurnId, event: AgentSessionEvent, cause?: ChannelMessage): Promise<void>;
  /**
   * The reply of this turn is about to be sent: the live post that becomes it, recorded before it is returned; undefined when
   * there is none. Ends all editing of it. The same delivery gets the same answer again, also after a restart.
   */
  takeOver(turnId: TurnId, deliveryId: DeliveryId): Promise<string | undefined>;
  /** A delivery that takes over a live post may simply be made again. */
  isTakenOver(deliveryId: DeliveryId): boolean;
  /** The reply is in the chat, or its first part: details go below it. Returns at once; a second time it does nothing. */
  replied(turnId: TurnId, messageId: string): void;
  /** Something else of this turn was posted (an aside, a file): the live post goes, and comes again below it. Returns at once. */
  said(turnId: TurnId): void;
  /** The live post is gone (deleted by somebody): post anew. */
  forget(turnId: TurnId): Promise<void>;
  /** The reply cannot be made of the live post (a native reply to something else): it is removed. */
  discard(turnId: TurnId): Promise<void>;
  /** Loads what an earlier life left. Before the first call of the others, and once the platform can be called. */
  start(): Promise<void>;
  /** Leaves no timer behind; live posts stay, for the turns may be taken up again. May be called twice. */
  stop(): Promise<void>;
}

export interface TurnShowDeps extends Pick<LiveTurnDeps, "clock" | "driver" | "pace" | "render"> {
  log: Log;
  memory: ChannelMemory;
}

/** `firstAfterMs`: absent, 1.2 s. `everyMs`: absent, a second. */
export type TurnShowConfig = Omit<LiveTurnConfig, "firstAfterMs" | "everyMs"> &
  Partial<Pick<LiveTurnConfig, "firstAfterMs" | "everyMs">>;

const mostTurns = 500;
const mostDetailed = 100;
/** A reply that follows the end of its turn comes within this time, else there is none. */
const replyWithinMs = 5_000;
/** A turn of an earlier life is taken up again within this time. */
const resumeWithinMs = 60_000;
const stopWithinMs = 2_000;
const detailWithinMs = 30_000;

export function createTurnShow(deps: TurnShowDeps, config: TurnShowConfig): TurnShow {
  const { clock, log, driver, pace } = deps;
  const posts = createLivePosts(deps);
  const turns = new Map<TurnId, LiveTurn>();
  /** Turns that have ended and whose reply may still come. The values end the wait for it. */
  const ended = new Map<TurnId, () => void>();
  /** Turns whose live post is being removed. */
  const leaving = new Set<TurnId>();
  const details = new Map<TurnId, { place: ShowPlace; pieces: string[] }>();
  const calls = new Set<Promise<unknown>>();
  let cancelSweep = () => {};
  let isStopped = false;

  function background<T>(work: () => Promise<T>): Promise<T | undefined> {
    const call: Promise<T | undefined> = Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        log.debug("Something could not be shown", { error });
        return undefined;
      })
      .finally(() => calls.delete(call));
    calls.add(call);
    return call;
  }
  const lastCallMs = (channelId: string) => {
    const inChat = [...turns.values()].filter(({ place }) => place.channelId === channelId);
    return Math.max(-Infinity, ...inChat.map(({ calledAtMs }) => calledAtMs));
  };

  function begin(place: ShowPlace): LiveTurn {
    const [oldest] = turns.values();
    if (oldest && turns.size >= mostTurns) void drop(oldest);
    const turnDeps = { ...deps, posts, background, lastCallMs };
    const turn = createLiveTurn(turnDeps, place, { firstAfterMs: 1_200, everyMs: 1_000, ...config });
    turns.set(place.turnId, turn);
    return turn;
  }
  function endWait(turnId: TurnId): void {
    ended.get(turnId)?.();
    ended.delete(turnId);
  }
  function end(turn: LiveTurn): void {
    const { turnId } = turn.place;
    if (ended.has(turnId)) return;
    turn.end(true);
    const pieces = driver.detail ? turn.toDetails() : [];
    const [oldest] = details.keys();
    if (oldest !== undefined && details.size >= mostDetailed) details.delete(oldest);
    if (pieces.length > 0) details.set(turnId, { place: turn.place, pieces });
    if (turn.hasPost)
      ended.set(
        turnId,
        clock.after(replyWithinMs, () => void drop(turn)),
      );
    else turns.delete(turnId);
  }
  /** Nobody needs the turn any more: its live post goes. */
  async function drop(turn: LiveTurn): Promise<void> {
    const { turnId } = turn.place;
    end(turn);
    endWait(turnId);
    turns.delete(turnId);
    leaving.add(turnId);
    await background(() => turn.removePost());
    leaving.delete(turnId);
  }
  async function discard(turnId: TurnId): Promise<void> {
    const turn = turns.get(turnId);
    if (turn) return drop(turn);
    const post = posts.get(turnId);
    if (!post || leaving.has(turnId)) return;
    leaving.add(turnId);
    await background(() => driver.remove({ channelId: post.channelId, turnId }, post.messageId));
    await posts.delete(turnId);
    leaving.delete(turnId);
  }
  /** What an earlier life left and nobody took up. */
  function sweep(): void {
    for (const [turnId, { deliveryId }] of posts.entries()) {
      if (deliveryId === undefined && !turns.has(turnId)) void discard(turnId);
    }
  }

  function hear(place: ShowPlace, event: AgentSessionEvent): void {
    const { turnId, cause } = place;
    if (isStopped || leaving.has(turnId) || posts.get(turnId)?.deliveryId !== undefined) return;
    const known = turns.get(turnId);
    if (event.type === "agent_end") {
      if (known) end(known);
      return;
    }
    endWait(turnId);
    const turn = known ?? begin(place);
    if (cause) turn.place.cause = cause;
    turn.hear(event);
  }

  async function takeOver(turnId: TurnId, deliveryId: DeliveryId): Promise<string | undefined> {
    const turn = turns.get(turnId);
    if (turn) {
      end(turn);
      endWait(turnId);
      if (!(await turn.settle())) {
        // An edit that comes after the reply would undo it: rather another post.
        void drop(turn);
        return undefined;
      }
      turns.delete(turnId);
    }
    const post = posts.get(turnId);
    if (!post || leaving.has(turnId)) return undefined;
    if (post.deliveryId !== undefined) return post.deliveryId === deliveryId ? post.messageId : undefined;
    await posts.put(turnId, { ...post, deliveryId });
    return post.messageId;
  }

  async function postDetails(turnId: TurnId, messageId: string): Promise<void> {
    const found = details.get(turnId);
    details.delete(turnId);
    if (!found) return;
    for (const piece of found.pieces) {
      const answer = await pace.take(found.place.channelId, detailWithinMs);
      if (answer.type === "later") return;
      await driver.detail?.(found.place, messageId, piece);
    }
  }

  return {
    async show(channelId, turnId, event, cause) {
      try {
        hear({ channelId, turnId, ...(cause && { cause }) }, event);
      } catch (error) {
        log.warn("An event could not be shown", { turn: turnId, event: event.type, error });
      }
    },
    takeOver,
    isTakenOver: posts.hasDelivery,
    replied: (turnId, messageId) => void background(() => postDetails(turnId, messageId)),
    said(turnId) {
      const turn = turns.get(turnId);
      if (turn?.hasPost) void background(() => turn.removePost());
    },
    forget: posts.delete,
    discard,
    async start() {
      await posts.load();
      if (!isStopped) cancelSweep = clock.after(resumeWithinMs, sweep);
    },
    async stop() {
      isStopped = true;
      cancelSweep();
      for (const turn of turns.values()) turn.end(false);
      for (const turnId of [...ended.keys()]) endWait(turnId);
      turns.clear();
      await within<unknown>(clock, stopWithinMs, Promise.all(calls), () => undefined);
    },
  };
}
