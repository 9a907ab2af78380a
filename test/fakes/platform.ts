/**
 * What the fake chat platforms have in common, so that one crash matrix, one soak and one benchmark can drive them all. Each
 * is a server on loopback that speaks the platform's real protocol to the unmodified SDK. It lives in the test's process, so
 * it remembers what a killed bot has done.
 */

/** One post of mom's, as a reader of the chat sees it. */
export interface SeenPost {
  id: string;
  channelId: string;
  /** Edits applied. */
  text: string;
  replyTo?: string;
  isDeleted: boolean;
  edits: number;
  files: { filename: string; bytes: number }[];
}

/** What somebody writes. */
export interface SaidThere {
  channelId: string;
  userId: string;
  text: string;
  /** Mentions mom. In a direct chat everything is meant for her. */
  mention?: boolean;
  /** The platform's id; made up where it is absent. */
  id?: string;
  replyTo?: string;
  files?: { filename: string; data: string; mimeType?: string }[];
}

/** Each is for the next matching call or event. `method`: the platform's own name of a call; absent: a post. */
export type Fault =
  /** Refused instead of done. */
  | { type: "status"; method?: string; status: number; retryAfterMs?: number; body?: unknown }
  /** Done, and then the connection is cut: the answer is lost. */
  | { type: "cut"; method?: string }
  /** Done at once, answered late. */
  | { type: "slow"; method?: string; ms: number }
  | { type: "drop-socket" }
  /** The next event comes twice, after the one that follows it, or only with the one after. */
  | { type: "duplicate" }
  | { type: "reorder" }
  | { type: "late" }
  /** One of the platform's own: `opcode-7` on Discord, `disconnect` on Slack. */
  | { type: "platform"; name: string };

export interface FakePlatform {
  /** A valid config of an adapter for this server, `type` and `apiUrl` included, without rules of access. */
  config: Record<string, unknown>;
  /** A direct chat with the owner, one with somebody else, and a group of both. */
  chats: { owner: string; other: string; group: string };
  people: { owner: string; other: string };
  /** A further direct chat with a person of its own. */
  addDirectChat(name: string): { channelId: string; userId: string };
  /** Posts of mom's, in the order in which they were made. */
  posts(channelId?: string): SeenPost[];
  /** The event is delivered, again and again as the platform does, until it is acknowledged. Returns the message's id. */
  say(said: SaidThere): string;
  fail(fault: Fault): void;
  /** Resolves when `isDone` holds; looked at after every change. */
  until(isDone: () => boolean): Promise<void>;
  /** Events that mom has not acknowledged. */
  readonly unacknowledged: number;
  close(): Promise<void>;
}
