/** Those who send errands (`errand.ts`), and what the house gives them: letters, posts, and what becomes of an end. */
import type { ChannelRef } from "./channel-ref.ts";
import type { Errand, Principal } from "./errand.ts";
import type { TurnId } from "./ids.ts";
import type { SessionEntry } from "./session.ts";
import type { Letter, NewDelivery } from "./store.ts";
import type { ClaimedTurn, TurnOutcome } from "./turn.ts";

/** The end of an errand's turn, as the agent left it. */
export interface ErrandResult {
  outcome: TurnOutcome;
  /** Markdown; empty where there is none. Of one that failed: what people are told. */
  reply: string;
  /** Why it failed, for the operator. */
  error?: string;
}

/** Whoever sends errands says what their end means. One per type, registered with the app. */
export interface ErrandHandler {
  /**
   * Asked when the turn is over, before that is written; again after a crash in between. Only reads. What it gives is posted
   * and put into the inbox in the step that ends the turn.
   */
  end(
    errand: Errand,
    turn: ClaimedTurn,
    result: ErrandResult,
  ): Promise<{ deliveries: NewDelivery[]; letters: Letter[] }>;
  /** That is on disk. May be missed by a crash: only for what can be told from the rows again. Must not throw. */
  ended?(errand: Errand, turn: ClaimedTurn, result: ErrandResult): Promise<void>;
}

/** The session that an errand runs in: one of its own, or (a relay) one that is there. */
export type ErrandSession =
  | ({ type: "cron" | "subagent"; id: string; agentId: string } & Pick<SessionEntry, "label" | "spawnedBy">)
  | { existing: SessionEntry };

/** What the app gives to those who send errands and letters; they know neither routes nor adapters. */
export interface ErrandPorts {
  /** Starts a turn of the errand. `messageId` makes it once; `outside` as in `ChannelMessage.metadata`. */
  toErrandLetter(
    errand: Errand,
    parts: { messageId: string; text: string; session: ErrandSession; outside?: string },
  ): Letter;
  /**
   * As if that person had said it in that chat: admitted and routed as ever, with their rights as they are today; a refusal is
   * in the verdict. `isHeard`: starts no turn, and is read with whatever is said there next. Undefined: the chat's adapter does
   * not run.
   */
  toChatLetter(
    place: { channel: ChannelRef; sender: { id: string; username: string } },
    message: { id: string; text: string; outside?: string; isHeard?: true },
  ): Promise<Letter | undefined>;
  /** Who stands behind a chat and a person there now. Undefined: the adapter does not run, or they may not talk any more. */
  principalOf(place: { channel: ChannelRef; sender: { id: string; username: string } }): Promise<Principal | undefined>;
  /** The owner of an agent where they last spoke with it, as principal. Undefined: nobody has, or that chat cannot be reached. */
  ownerOf(agentId: string): Promise<Principal | undefined>;
  /** Markdown as posts of a chat; ids begin with `id`. Empty where its adapter does not run. */
  planPosts(channel: ChannelRef, markdown: string, id: string, turnId?: TurnId): NewDelivery[];
  isRunning(adapter: string): boolean;
}
