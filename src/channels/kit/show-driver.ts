/** What a platform can do to show a running turn; each adapter that can edit posts has a driver for `turn-show.ts`. */
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelMessage } from "../../contracts/message.ts";

/** Where a turn is shown. */
export interface ShowPlace {
  channelId: string;
  turnId: TurnId;
  /** What the turn answers. Absent: not known, as of a turn that an earlier life of mom has left. */
  cause?: ChannelMessage;
}

/** Purely for show: a failure is undefined or false; a throw counts as one. Each call ends by itself after a while. */
export interface ShowDriver {
  /** `text` is rendered and within the limit. Resolves with the post's id; undefined only when there is no such post. */
  post(place: ShowPlace, text: string): Promise<string | undefined>;
  edit(place: ShowPlace, messageId: string, text: string): Promise<boolean>;
  remove(place: ShowPlace, messageId: string): Promise<void>;
  typing?(place: ShowPlace): Promise<void>;
  /** How long the sign of typing lasts, less a little. Absent: five seconds. */
  typingEveryMs?: number;
  react?(place: ShowPlace, messageId: string, emoji: string, remove?: boolean): Promise<void>;
  /** A line of tool output or usage in the thread below the reply, where the platform has one. */
  detail?(place: ShowPlace, messageId: string, markdown: string): Promise<void>;
}
