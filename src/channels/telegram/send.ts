/**
 * The way of every call that does something in a chat: the right place, the chat's pace, and a result for the outbox. What
 * Telegram says of pauses, moved groups and its login is noted on the way.
 */
import type { SendResult } from "../../contracts/channel.ts";
import type { HealthBook } from "../kit/health.ts";
import type { Pace } from "../kit/pace.ts";
import { type Failure, toSendResult } from "./failure.ts";
import { type Place, parseChannelId } from "./place.ts";
import type { PlaceBook } from "./place-book.ts";
import type { CallResult } from "./text-calls.ts";

export interface Sender {
  /**
   * Makes `call` in its turn. The result's `messageId` is what the call gives. A group that has moved is called once more
   * under its new id.
   */
  send(channelId: string, call: (place: Target) => Promise<CallResult<string>>): Promise<SendResult>;
  /** The same for what posts nothing: Telegram's limits do not count it, so it goes at once. */
  touch(channelId: string, call: (place: Target) => Promise<CallResult<string>>): Promise<SendResult>;
  /** Makes a call that is only for show, now. Undefined for what is no chat. */
  show<T>(channelId: string, call: (place: Target) => Promise<CallResult<T>>): Promise<CallResult<T> | undefined>;
}

export type Target = Place & {
  /** Ids of messages mean nothing there: they belong to the chat that it was. */
  hasMoved: boolean;
};

export interface SenderDeps {
  pace: Pace;
  places: PlaceBook;
  health: HealthBook;
  /** The token is no longer good. */
  onUnauthorised(): void;
}

export function createSender({ pace, places, health, onUnauthorised }: SenderDeps): Sender {
  /** True when the call has another chance at once: the group is elsewhere now. */
  async function learn(failure: Failure, place: Place): Promise<boolean> {
    if (failure.type !== "refused") return false;
    if (failure.code === 429) pace.pause(failure.retryAfterMs ?? 1_000, String(place.chatId));
    if (failure.code === 401) onUnauthorised();
    if (failure.migratedTo === undefined) return false;
    await places.noteMove(place.chatId, failure.migratedTo);
    return true;
  }
  async function callThere(place: Place, call: (place: Target) => Promise<CallResult<string>>): Promise<SendResult> {
    const found = places.find(place);
    const result = await call(found);
    if (result.type === "done") {
      health.sent();
      return { type: "sent", messageId: result.value };
    }
    const hasMoved = await learn(result.failure, found);
    return hasMoved && !found.hasMoved ? callThere(place, call) : toSendResult(result.failure);
  }
  return {
    async send(channelId, call) {
      const place = parseChannelId(channelId);
      if (!place) return noChat(channelId);
      const turn = await pace.take(channelId);
      if (turn.type === "go") return callThere(place, call);
      return { type: "retry", reason: "Telegram's limit for this chat is reached", retryAfterMs: turn.ms };
    },
    async touch(channelId, call) {
      const place = parseChannelId(channelId);
      return place ? callThere(place, call) : noChat(channelId);
    },
    async show(channelId, call) {
      const place = parseChannelId(channelId);
      if (!place) return undefined;
      const result = await call(places.find(place));
      if (result.type === "failed") await learn(result.failure, place);
      return result;
    },
  };
}

const noChat = (channelId: string): SendResult => ({
  type: "rejected",
  reason: `"${channelId}" is no chat of Telegram's: their ids are numbers.`,
});
