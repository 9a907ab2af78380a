/** What goes into the inbox and the outbox: a message with what was decided about it, and a post that is to leave. */
import type { ChannelAction, OutgoingButton } from "./channel.ts";
import type { DeliveryId, SessionKey, TurnId } from "./ids.ts";
import type { ChannelMessage, ChannelRef } from "./message.ts";
import type { SessionRoute } from "./session.ts";

/** What inbound decided about a message, before it is written. */
export type Verdict =
  /**
   * Starts a turn on `lane`; a session's own lane is called as its key is. `stops`: also ends that session's running and
   * waiting turns, as `requestStop` does, in the same step. `interrupts`: ends the lane's running turn only, and only if the
   * same person started it in the same chat.
   */
  | {
      type: "turn";
      kind: "agent" | "command";
      lane: string;
      route: SessionRoute;
      stops?: SessionKey;
      interrupts?: true;
    }
  /** Heard, not addressed to mom: part of the channel's history only. */
  | { type: "heard" }
  /**
   * Addressed, but not admitted; `reason` can be found in the log. `pairing`: the sender is to be given a code, posted to the
   * chat in the same step, where none waits for them and there is room for one more.
   */
  | { type: "refused"; reason: string; pairing?: PairingOffer };

export interface Letter {
  adapter: string;
  message: ChannelMessage;
  verdict: Verdict;
}

export type Accepted =
  | { type: "accepted"; seq: number; turnId?: TurnId /** Running turns that must be aborted now. */; stopped: TurnId[] }
  | { type: "duplicate" };

export interface PairingOffer {
  /** The post that tells the sender their code, as the chat will show it. */
  toText(code: string): string;
}

export type DeliveryBody =
  /** `isAside`: said by a tool while the turn goes on, not the turn's reply. */
  | { type: "text"; text: string; replyTo?: string; isAside?: true; buttons?: readonly OutgoingButton[] }
  /** `isReal`: the path had no link in it. Has it one when its time comes, it was swapped, and nothing is sent. */
  | { type: "file"; path: string; filename: string; caption?: string; isReal?: true }
  /** Changes or takes back a post of mom's own; `messageId` is the platform's. Made again when in doubt: twice is once. */
  | { type: "edit"; messageId: string; text: string }
  | { type: "delete"; messageId: string }
  | { type: "action"; action: ChannelAction };

export interface NewDelivery {
  /** Chosen by who posts it; a second one with the same id is ignored. */
  id: DeliveryId;
  channel: ChannelRef;
  turnId?: TurnId;
  body: DeliveryBody;
}
