/**
 * What a turn shows, as one text that grows: the model's words while they come, and at the end what is missing of the reply
 * that was posted. The post is what counts; words that were streamed are the same ones, seen earlier.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { TurnState } from "../../contracts/turn.ts";
import type { TurnFeed } from "../parts.ts";
import { GatewayFault } from "../protocol/index.ts";
import { createReplyText, type ReplyText, type Tokens } from "./reply-text.ts";

export interface FollowDeps {
  house: Pick<GatewayHouse, "whenOver"> & { store: Pick<GatewayHouse["store"], "turns" | "outbox"> };
  feed: TurnFeed;
  clock: Clock;
}

export type ReplySign =
  /** More of the text. */
  | { type: "text"; delta: string }
  /** `reply`: what was posted, whole. `isCut`: the model ran out of room. */
  | { type: "answered"; reply: string; isCut: boolean; tokens: Tokens }
  /** `message`: for whoever asked. */
  | { type: "failed"; message: string }
  | { type: "stopped" };

type Ending = { type: "posted" } | { type: "over"; state: TurnState } | { type: "lost" };

/** A turn that was taken into another one, or whose end was missed, is found out about this often. */
const lookEveryMs = 5_000;
const mostPosts = 200;

/** Ends after one sign that is not `text`; with none when `signal` aborts first. */
export async function* followReply(
  deps: FollowDeps,
  turnId: TurnId,
  signal: AbortSignal,
): AsyncGenerator<ReplySign, void, undefined> {
  const text = createReplyText();
  for (let id: TurnId | undefined = turnId; id !== undefined; ) {
    const ending = yield* followOne(deps, id, signal, text);
    if (signal.aborted) return;
    if (ending.type === "posted" || (ending.type === "over" && text.hasPosts)) return yield* finish(text, ending);
    const found = await lookUp(deps, id, signal);
    if (found === undefined) return;
    if (found.type === "over") {
      text.setPosts(found.posts);
      return yield* finish(text, found);
    }
    id = found.mergedInto;
  }
}

async function* followOne(
  { house, feed, clock }: FollowDeps,
  turnId: TurnId,
  signal: AbortSignal,
  text: ReplyText,
): AsyncGenerator<ReplySign, Ending, undefined> {
  const watch = watchTurn({ turns: house.store.turns, clock }, turnId);
  try {
    for await (const sign of feed.follow(turnId, AbortSignal.any([signal, watch.isOver]))) {
      watch.heard();
      if (sign.type === "end") return { type: "over", state: sign.state };
      if (sign.type === "event") {
        const delta = text.take(sign.event);
        if (delta !== "") yield { type: "text", delta };
      } else if (isReply(turnId, sign)) {
        text.addPost(sign.text ?? "");
        // The turn's own end may take a little longer; nobody needs to wait for that.
        if (text.isComplete) return { type: "posted" };
      }
    }
    return { type: "lost" };
  } catch (error) {
    // The feed keeps only so much: who reads slowly gets the rest from the record.
    if (error instanceof GatewayFault) return { type: "lost" };
    throw error;
  } finally {
    watch.end();
  }
}

function* finish(text: ReplyText, ending: Ending): Generator<ReplySign, void, undefined> {
  const state = ending.type === "over" ? ending.state : "done";
  if (state === "failed") return yield { type: "failed", message: text.reply || "mom could not answer this." };
  if (state === "stopped") return yield { type: "stopped" };
  const rest = text.takeRest();
  if (rest !== "") yield { type: "text", delta: rest };
  yield { type: "answered", reply: text.reply, isCut: text.isCut, tokens: text.tokens };
}

/** The record, where nobody has told anything: the turn ended before this process began, or was taken into another one. */
async function lookUp(
  { house }: FollowDeps,
  turnId: TurnId,
  signal: AbortSignal,
): Promise<{ type: "over"; state: TurnState; posts: string[] } | { type: "merged"; mergedInto: TurnId } | undefined> {
  const { turns, outbox } = house.store;
  let turn = await turns.get(turnId);
  if (turn && turn.mergedInto === undefined && !isEnd(turn.state)) {
    await Promise.race([house.whenOver(turnId), whenAborted(signal)]);
    if (signal.aborted) return undefined;
    turn = await turns.get(turnId);
  }
  if (turn?.mergedInto !== undefined) return { type: "merged", mergedInto: turn.mergedInto };
  const deliveries = await outbox.list({ turnId, limit: mostPosts });
  const posts = deliveries
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ id, body }) =>
      body.type === "text" && isReply(turnId, { deliveryId: id, isAside: body.isAside }) ? [body.text] : [],
    );
  return { type: "over", state: turn?.state ?? "failed", posts };
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const isEnd = (state: TurnState) => state === "done" || state === "failed" || state === "stopped";

/** Tools post too, and questions are asked of people; the reply's own posts are numbered after the turn. */
function isReply(turnId: TurnId, { deliveryId, isAside }: { deliveryId: string; isAside?: true | undefined }): boolean {
  return !isAside && deliveryId.startsWith(`${turnId}.`) && /^\d+$/.test(deliveryId.slice(turnId.length + 1));
}

/** Tells when the record says that nothing more will come, should the feed not say so. */
function watchTurn({ turns, clock }: { turns: FollowDeps["house"]["store"]["turns"]; clock: Clock }, turnId: TurnId) {
  const over = new AbortController();
  let isEnded = false;
  let wasHeard = false;
  let cancel = () => {};
  const look = async () => {
    const isAlive = wasHeard;
    wasHeard = false;
    if (isAlive) return arm();
    const turn = await turns.get(turnId).catch(() => undefined);
    if (turn && (turn.mergedInto !== undefined || isEnd(turn.state))) over.abort();
    else if (!isEnded) arm();
  };
  const arm = () => {
    cancel = clock.after(lookEveryMs, () => void look());
  };
  arm();
  return {
    isOver: over.signal,
    heard() {
      wasHeard = true;
    },
    end() {
      isEnded = true;
      cancel();
    },
  };
}
