/** Who listens to an adapter: the app registers once, the adapter calls. Every adapter holds one of these. */
import { ChannelError } from "../../base/errors.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";

type MessageHandler = Parameters<PlatformAdapter["onMessage"]>[0];
type StopHandler = Parameters<PlatformAdapter["onStop"]>[0];

export interface Handlers extends Pick<PlatformAdapter, "onMessage" | "onStop"> {
  /** For `start`: throws `CHANNEL_NOT_WIRED` when nobody would take a message. */
  ensureWired(): void;
  /** Gives a message to the app; rejects when it was not taken. For `createOffer`. */
  handle: MessageHandler;
  /** Somebody asked for a stop outside the text. */
  askStop: StopHandler;
}

/** `name`: of the adapter. */
export function createHandlers(name: string): Handlers {
  let onMessage: MessageHandler | undefined;
  let onStop: StopHandler | undefined;
  const ensureWired = () => {
    if (onMessage) return;
    throw new ChannelError("CHANNEL_NOT_WIRED", `The adapter "${name}" was started before anyone listens to it.`, {
      hint: "Call onMessage before start; this is a bug in mom.",
    });
  };
  return {
    onMessage: (handler) => {
      onMessage = handler;
    },
    onStop: (handler) => {
      onStop = handler;
    },
    ensureWired,
    async handle(message) {
      ensureWired();
      await onMessage?.(message);
    },
    async askStop(channelId, senderId) {
      await onStop?.(channelId, senderId);
    },
  };
}
