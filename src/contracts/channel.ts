/**
 * The edge of the house: what a chat platform must be able to do. An adapter owns its connection, parsing, rendering,
 * splitting, rate limits and uploads; it knows nothing of models, tools or sessions.
 */
import type { AgentSessionEvent } from "./agent.ts";
import type { DeliveryId, TurnId } from "./ids.ts";
import type { ChannelInfo, ChannelMessage, UserInfo } from "./message.ts";

/** What the platform can do. Rendering asks this table, never the platform's name. */
export interface ChannelCapabilities {
  edit: boolean;
  delete: boolean;
  threads: boolean;
  reactions: boolean;
  polls: boolean;
  pins: boolean;
  typing: boolean;
  buttons: boolean;
  /** Longest message in `lengthUnit`s, after rendering. Infinity where there is no limit. */
  maxMessageLength: number;
  lengthUnit: "utf16" | "codepoint" | "byte";
  dialect: "terminal" | "plain" | "mrkdwn" | "html" | "markdown" | "ranges";
  /** Largest file mom may upload, bytes; 0 means the platform takes none. */
  maxUploadBytes: number;
  /** Largest file mom downloads from it, bytes. */
  maxDownloadBytes: number;
  /** The chat ends with this process: nothing can be promised for later. Absent: it lasts. */
  isPassing?: true;
  /** How a delivery that may have gone out is settled (spec 10.1). */
  settles: "idempotent" | "lookup" | "blind";
}

/** Who may talk through an adapter (spec 2.4). Immutable platform ids only, never names that a user can change. */
export interface AccessRules {
  /** People with admin rights; they may always write directly. */
  admins: readonly string[];
  /** Who else may write directly. */
  dm: "everyone" | "none" | readonly string[];
  /** Somebody unknown who writes directly is given a code that an admin can approve. Absent: no. */
  pairing?: boolean;
  /** Absent: every group, everybody in it, when mom is mentioned. */
  groups?: GroupRules;
  /** Who, beside admins, may speak through a window on a session that is not a direct one. Absent: nobody. */
  windows?: readonly string[];
  /** Bots that may talk to mom; all others are only heard. Absent: none. */
  bots?: readonly string[];
}

export interface GroupRules {
  /** The chats that mom answers in; admins are answered in every one. */
  allow: "everyone" | readonly string[];
  /** Who is answered there. */
  senders: "everyone" | readonly string[];
  /** Only messages that mention mom, or answer her, are addressed to her. */
  requireMention: boolean;
  /** What differs in one chat, by its id. */
  chats: Readonly<
    Record<string, { senders?: "everyone" | readonly string[] | undefined; requireMention?: boolean | undefined }>
  >;
}

/** Something to press under a post. Pressing it says `says` in the presser's name. */
export interface OutgoingButton {
  label: string;
  says: string;
  look?: "good" | "bad";
}

/** One text post, already rendered and within the length limit. */
export interface OutgoingText {
  /** Chosen by mom; the same on every try, so a platform with idempotent sends uses it as its nonce. */
  deliveryId: DeliveryId;
  /** When mom decided on it: no call for it is older. Milliseconds since the epoch. */
  createdAt?: number;
  /** An earlier call for it may have arrived, and nobody has looked. */
  isUncertain?: true;
  text: string;
  replyTo?: string;
  /** The turn whose streamed output this completes. Absent for letters posted outside a turn. */
  turnId?: TurnId;
  /** What the turn answers, where it came from this very chat: tells the thread that the post belongs to. */
  cause?: ChannelMessage;
  /** Only where `capabilities.buttons`; the text says how to answer without them. */
  buttons?: readonly OutgoingButton[];
  /** Said while the turn goes on: it completes nothing that was streamed. */
  isAside?: true;
  /** Set when an earlier try may have arrived and nothing can tell. */
  repeated?: true;
}

export interface OutgoingFile {
  deliveryId: DeliveryId;
  createdAt?: number;
  isUncertain?: true;
  /** Absolute path on the host. */
  path: string;
  filename: string;
  caption?: string;
  turnId?: TurnId;
  cause?: ChannelMessage;
  repeated?: true;
}

/** What can be done in a chat beside posting. Each asks its capability; without it the answer is `rejected`. */
export type ChannelAction =
  /** `emoji`: the character itself, or a name that the platform knows. Twice is once. */
  | { type: "react"; messageId: string; emoji: string; remove?: true }
  /** Twice is once. */
  | { type: "pin"; messageId: string; remove?: true }
  | { type: "poll"; question: string; options: string[]; isAnonymous?: boolean; allowsMultiple?: boolean }
  /** Begins a thread (a topic, where the platform has those) with a text, rendered like a post's; below `messageId` where it is named. */
  | { type: "thread"; name: string; text: string; messageId?: string };

export interface OutgoingAction {
  deliveryId: DeliveryId;
  createdAt?: number;
  isUncertain?: true;
  action: ChannelAction;
  cause?: ChannelMessage;
  repeated?: true;
}

/** What became of a call to the platform. Expected outcomes are values; only a bug throws. */
export type SendResult =
  | { type: "sent"; messageId: string }
  /** Not posted; try again, no sooner than `retryAfterMs` where the platform named a time. */
  | { type: "retry"; reason: string; retryAfterMs?: number }
  /** Not posted, and will not be however often it is tried. */
  | { type: "rejected"; reason: string }
  /** The call was made and nobody knows: the connection broke after the request had left. */
  | { type: "unknown"; reason: string };

/** The answer to "did this go out?" after a crash or a broken connection. */
export type SettleResult = { type: "sent"; messageId: string } | { type: "not-sent" } | { type: "unknown" };

export interface AdapterHealth {
  state: "stopped" | "starting" | "connected" | "reconnecting" | "failed";
  /** Milliseconds since the epoch; absent until the first one. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  reconnects: number;
  /** How long the last message was on its way to mom, milliseconds, by the platform's own time of it. */
  lagMs?: number;
  /** As whom: `@mom on Acme`. */
  account?: string;
  /** Why it is not connected, or what it lacks although it is. */
  detail?: string;
  /** What to do about `detail`. */
  fix?: string;
}

export interface PlatformAdapter {
  /** The key under `adapters` in the config, e.g. `slack-acme`: also the folder under `channels/`. */
  readonly name: string;
  /** `slack`, `cli` … */
  readonly type: string;
  readonly capabilities: ChannelCapabilities;

  /**
   * Connects. Resolves when messages can come in; while the platform is out of reach it goes on trying (`reconnecting`).
   * Rejects with a coded error when it cannot be had at all: a wrong token, a right that is missing. Called once.
   */
  start(): Promise<void>;
  /** Disconnects; no handler is called after it resolves. May be called twice, and before `start`. */
  stop(): Promise<void>;

  getChannels(): ChannelInfo[];
  getUsers(): UserInfo[];
  getChannelInfo(channelId: string): ChannelInfo | undefined;
  getUserInfo(userId: string): UserInfo | undefined;

  /**
   * Called by the app once, before `start`. The adapter calls the handler for every message it sees and acknowledges to
   * the platform only after the promise resolved: by then the message is on disk. A rejection means "not taken": the
   * adapter must offer the message again.
   */
  onMessage(handler: (message: ChannelMessage) => Promise<void>): void;
  /** A stop asked for outside the text (Ctrl-C, a button). Same registration rule. */
  onStop(handler: (channelId: string, senderId: string) => Promise<void>): void;

  /** Markdown in, posts out: the platform's dialect, mentions translated, split to fit. Pure; never empty for non-empty text. */
  render(markdown: string): string[];

  sendMessage(channelId: string, message: OutgoingText): Promise<SendResult>;
  /** Only where `capabilities.edit`; otherwise `rejected`. May be called again for a change that is made already: `sent`. */
  updateMessage(channelId: string, messageId: string, text: string): Promise<SendResult>;
  /** Only where `capabilities.delete`; otherwise `rejected`. May be called again for what is gone already: `sent`. */
  deleteMessage(channelId: string, messageId: string): Promise<SendResult>;
  /** Only where `capabilities.maxUploadBytes` allows; otherwise `rejected`. */
  uploadFile(channelId: string, file: OutgoingFile): Promise<SendResult>;

  /** `rejected` where the capability is missing. `messageId` in the result: of the poll, the thread, or the message named. */
  act(channelId: string, action: OutgoingAction): Promise<SendResult>;

  /**
   * Did this delivery arrive? Asked after a crash between the call and its receipt. May ask the platform. `createdAt`: as in
   * `OutgoingText`.
   */
  settle(channelId: string, deliveryId: DeliveryId, createdAt?: number): Promise<SettleResult>;

  /**
   * A running turn's events, for status lines and streaming. Purely for show: losing them loses nothing, because the
   * reply itself comes through `sendMessage`. Must not throw; the turn waits for it, so it must be quick. `cause`: what the
   * turn answers.
   */
  showEvent(channelId: string, turnId: TurnId, event: AgentSessionEvent, cause?: ChannelMessage): Promise<void>;

  health(): AdapterHealth;
}
