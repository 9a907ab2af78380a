/**
 * What an operator says, as the gateway hands it in → the app. In order within a chat. Nothing is offered a second time from
 * here: what was not taken is rejected, the gateway says so, and the client sends it again under the same id.
 */
import { ChannelError } from "../../base/errors.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import type { Offer } from "../kit/offer.ts";
import { type Chats, chatUnknown } from "./chats.ts";

export interface Inbound extends Pick<Offer, "lastTakenAt" | "lagMs"> {
  /** On disk when it resolves; a rejection means that it was not taken. */
  submit(message: ChannelMessage): Promise<void>;
}

export interface InboundDeps {
  name: string;
  clock: Clock;
  chats: Chats;
  handle(message: ChannelMessage): Promise<void>;
  isUp(): boolean;
}

export function createInbound({ name, clock, chats, handle, isUp }: InboundDeps): Inbound {
  const queue = createKeyedQueue();
  let lastTakenAt: number | undefined;
  let lagMs: number | undefined;

  const give = async (message: ChannelMessage) => {
    if (!isUp()) throw down(name);
    // Without its description the message would end up in another session.
    if (!chats.find(message.channelId)) throw chatUnknown(message.channelId);
    await handle(message);
    chats.touch(message.channelId);
    lastTakenAt = clock.now();
    lagMs = Math.max(0, lastTakenAt - Date.parse(message.timestamp));
  };
  return {
    submit: (message) => queue.run(message.channelId, () => give(message)),
    get lastTakenAt() {
      return lastTakenAt;
    },
    get lagMs() {
      return lagMs;
    },
  };
}

const down = (name: string) =>
  new ChannelError("CHANNEL_NOT_WIRED", `The adapter "${name}" is not running.`, {
    hint: "Send it again in a moment.",
    retryable: true,
  });
