/** What was typed → `ChannelMessage` → the app. A message that was not taken is offered again until it is. */
import { randomBytes } from "node:crypto";
import { errorText } from "../../base/errors.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { createOffer, type Offer, type OfferDeps } from "../kit/offer.ts";
import { localUserId } from "./config.ts";

export const terminalChannelId = "terminal";
/** Bytes of one message. */
export const maxMessageBytes = 1_048_576;

/** A terminal has no ids of its own: time and chance keep them apart, also across restarts. */
export const newMessageId = (nowMs: number): string => `${nowMs.toString(36)}-${randomBytes(6).toString("hex")}`;

export function toChannelMessage(text: string, user: string, nowMs: number): ChannelMessage {
  return {
    id: newMessageId(nowMs),
    channelId: terminalChannelId,
    timestamp: new Date(nowMs).toISOString(),
    sender: { id: localUserId, username: user, isBot: false },
    text,
    attachments: [],
    isMention: true,
  };
}

export interface Inbound extends Pick<Offer, "stop" | "lastTakenAt" | "lagMs"> {
  /** Gives the message to the app, after all earlier ones. Resolves when it was taken; undefined when stopped before. */
  offer(text: string): Promise<ChannelMessage | undefined>;
}

export interface InboundDeps extends Omit<OfferDeps, "onDelayed"> {
  user: string;
  /** Told once per message that was not taken at the first try. */
  onDelayed(reason: string): void;
}

export function createInbound({ clock, log, user, handle, onDelayed }: InboundDeps): Inbound {
  const offers = createOffer({ clock, log, handle, onDelayed: (_message, error) => onDelayed(errorText(error)) });
  return {
    async offer(text) {
      const message = toChannelMessage(text, user, clock.now());
      return (await offers.offer(message)) ? message : undefined;
    },
    stop: offers.stop,
    get lastTakenAt() {
      return offers.lastTakenAt;
    },
    get lagMs() {
      return offers.lagMs;
    },
  };
}
