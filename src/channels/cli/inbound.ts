/** What was typed → `ChannelMessage` → the app. A message that was not taken is offered again until it is. */
import { randomBytes } from "node:crypto";
import { errorText } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";

export const terminalChannelId = "terminal";
export const localUserId = "local";
/** Bytes of one message. */
export const maxMessageBytes = 1_048_576;

const firstRetryMs = 200;
const longestRetryMs = 5_000;

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

export interface Inbound {
  /** Gives the message to the app, after all earlier ones. Resolves when it was taken; undefined when stopped before. */
  offer(text: string): Promise<ChannelMessage | undefined>;
  /** No handler is called after this. */
  stop(): void;
  readonly lastTakenAt: number | undefined;
}

export interface InboundDeps {
  clock: Clock;
  log: Log;
  user: string;
  handle(message: ChannelMessage): Promise<void>;
  /** Told once per message that was not taken at the first try. */
  onDelayed(reason: string): void;
}

export function createInbound({ clock, log, user, handle, onDelayed }: InboundDeps): Inbound {
  const stopped = new AbortController();
  let lastTakenAt: number | undefined;
  let previous: Promise<unknown> = Promise.resolve();

  async function giveUntilTaken(message: ChannelMessage): Promise<ChannelMessage | undefined> {
    for (let delayMs = firstRetryMs; !stopped.signal.aborted; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      try {
        await handle(message);
        lastTakenAt = clock.now();
        return message;
      } catch (error) {
        log.warn("The message was not taken; offering it again", { messageId: message.id, delayMs, error });
        if (delayMs === firstRetryMs) onDelayed(errorText(error));
      }
      await clock.sleep(delayMs, stopped.signal).catch(() => undefined);
    }
    return undefined;
  }

  return {
    offer(text) {
      const message = toChannelMessage(text, user, clock.now());
      const taken = previous.then(() => giveUntilTaken(message));
      previous = taken;
      return taken;
    },
    stop: () => stopped.abort(),
    get lastTakenAt() {
      return lastTakenAt;
    },
  };
}
