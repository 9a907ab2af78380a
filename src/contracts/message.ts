/** What people say, as every room sees it. Names are those of spec 2.1. */
import type { Errand } from "./errand.ts";
import type { SessionKey } from "./ids.ts";
import type { SessionType } from "./session-type.ts";

export type { ChannelRef } from "./channel-ref.ts";

export interface MessageSender {
  /** The platform's immutable id. Rights hang on this, never on a name. `bot` is mom herself. */
  id: string;
  username: string;
  displayName?: string;
  isBot: boolean;
}

/** A file that is already on disk in the channel's `attachments/` folder. */
export interface ChannelAttachment {
  /** As the sender called it, for showing. Never used as a path. */
  filename: string;
  /** Relative to the workspace, so that it means the same inside a sandbox. */
  localPath: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
}

export interface ChannelMessage {
  /** The platform's own id, kept as it is. Together with adapter and channel it makes a message unique. */
  id: string;
  channelId: string;
  /** ISO 8601. */
  timestamp: string;
  sender: MessageSender;
  /** As received. */
  text: string;
  rawText?: string;
  attachments: ChannelAttachment[];
  /** Addressed to the bot: a mention, a reply to it, or a direct message. */
  isMention: boolean;
  /** Message or thread that this one answers. */
  replyTo?: string;
  /**
   * Set where this only tells that somebody changed or took back an earlier message, the platform's `ref`: `text` is the new
   * text, or empty. Part of the history; it starts no turn.
   */
  change?: { type: "edit" | "delete"; ref: string };
  /** `outside`: where it came from, for people, if its text is made of text from outside (a reminder that was set with such). */
  metadata?: Record<string, unknown>;
  /** Set by the house alone: nobody speaks here, it is work on somebody's behalf. */
  errand?: Errand;
}

export interface ChannelInfo {
  id: string;
  name: string;
  type: "channel" | "dm" | "group";
  /**
   * The chat that this topic or thread is part of: rules that name that one hold here too. A topic that the platform keeps
   * apart for good has the id `<parentId>/<topicId>`, and a session of its own type.
   */
  parentId?: string;
  /** This chat is a window on that session: what is said here is said there, and it stays where it lives. */
  window?: SessionWindow;
}

/** A session that a chat shows, instead of having one of its own. */
export interface SessionWindow {
  sessionKey: SessionKey;
  type: SessionType;
  agentId: string;
}

export interface UserInfo {
  id: string;
  username: string;
  displayName?: string;
}

/** Where a message came from and who else is there: what the agent may know of a platform. */
export interface ChannelContext {
  adapter: string;
  users: UserInfo[];
  channels: ChannelInfo[];
}

/** One line of `log.jsonl` (spec 2.5): what was said, in order, as received; mom's own replies too. */
export interface LogLine {
  id: string;
  ts: string;
  sender: MessageSender;
  text: string;
  attachments: ChannelAttachment[];
  isMention?: true;
  replyTo?: string;
  /** Set on a line that reports an edit or a deletion of the message `ref`; nothing is ever rewritten. */
  event?: "edit" | "delete";
  ref?: string;
  /** Why the message started no turn, where it was refused. */
  refused?: string;
  /** As in `ChannelMessage.metadata`: the text is made of text from outside. */
  outside?: string;
}
