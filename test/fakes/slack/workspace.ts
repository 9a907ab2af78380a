/** What the fake Slack remembers: people, conversations, messages, files. No protocol here. */

export type Json = Record<string, unknown>;

export interface SlackUser {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
}

export interface SlackChannel {
  id: string;
  name: string;
  kind: "im" | "mpim" | "channel" | "group";
  /** Of a direct chat: with whom. */
  userId?: string;
  isMember: boolean;
  isArchived: boolean;
  pins: string[];
  messages: SlackMessage[];
}

export interface SlackFile {
  id: string;
  name: string;
  mimeType: string;
  bytes: Buffer;
  /** What was announced for it. */
  size: number;
  isUploaded: boolean;
  /** Where it can be seen: channel and message. */
  shares: { channelId: string; ts: string }[];
}

export interface SlackMessage {
  ts: string;
  channelId: string;
  userId: string;
  botId?: string;
  username?: string;
  subtype?: string;
  text: string;
  blocks?: Json[];
  threadTs?: string;
  metadata?: Json;
  editedTs?: string;
  edits: number;
  isDeleted: boolean;
  isStreaming: boolean;
  files: SlackFile[];
  reactions: Map<string, Set<string>>;
}

export const bot = { userId: "U0MOM", botId: "B0MOM", appId: "A0MOM", teamId: "T0ACME", name: "mom" } as const;

export interface Workspace {
  users: Map<string, SlackUser>;
  channels: Map<string, SlackChannel>;
  files: Map<string, SlackFile>;
  addUser(id: string, name: string, isBot?: boolean): SlackUser;
  addChannel(
    channel: Pick<SlackChannel, "id" | "name" | "kind"> & { userId?: string; isMember?: boolean },
  ): SlackChannel;
  addMessage(message: Pick<SlackMessage, "channelId" | "userId" | "text"> & Partial<SlackMessage>): SlackMessage;
  addFile(file: { name: string; mimeType: string; bytes: Buffer; size?: number; isUploaded?: boolean }): SlackFile;
  find(channelId: unknown, ts: unknown): SlackMessage | undefined;
  /** A time stamp that no message has yet. */
  nextTs(): string;
  /** In the order in which they were made. */
  readonly messages: readonly SlackMessage[];
}

export function createWorkspace(now: () => number): Workspace {
  const users = new Map<string, SlackUser>();
  const channels = new Map<string, SlackChannel>();
  const files = new Map<string, SlackFile>();
  const messages: SlackMessage[] = [];
  let lastMicros = 0;

  const nextTs = () => {
    lastMicros = Math.max(lastMicros + 1, now() * 1000);
    return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, "0")}`;
  };
  const addUser = (id: string, name: string, isBot = false) => {
    const user = { id, name, realName: `${name[0]?.toUpperCase()}${name.slice(1)}`, isBot };
    users.set(id, user);
    return user;
  };
  addUser(bot.userId, bot.name, true);

  return {
    users,
    channels,
    files,
    messages,
    nextTs,
    addUser,
    addChannel({ isMember = true, ...channel }) {
      const made: SlackChannel = { ...channel, isMember, isArchived: false, pins: [], messages: [] };
      channels.set(made.id, made);
      return made;
    },
    addMessage(message) {
      const made: SlackMessage = {
        ts: nextTs(),
        edits: 0,
        isDeleted: false,
        isStreaming: false,
        files: [],
        reactions: new Map(),
        ...message,
      };
      channels.get(made.channelId)?.messages.push(made);
      messages.push(made);
      for (const file of made.files) file.shares.push({ channelId: made.channelId, ts: made.ts });
      return made;
    },
    addFile({ name, mimeType, bytes, size = bytes.length, isUploaded = true }) {
      const made = { id: `F0${files.size + 1}`, name, mimeType, bytes, size, isUploaded, shares: [] };
      files.set(made.id, made);
      return made;
    },
    find: (channelId, ts) =>
      channels.get(String(channelId))?.messages.find((message) => message.ts === ts && !message.isDeleted),
  };
}

/** What a reader sees of a message. */
export function textShown({ text, blocks }: SlackMessage): string {
  const shown = (blocks ?? []).map(textOfBlock).filter((part) => part !== "");
  return shown.length > 0 ? shown.join("\n") : text;
}

function textOfBlock(block: Json): string {
  if (typeof block["text"] === "string") return block["text"];
  const parts = [block["text"], ...((block["elements"] as Json[] | undefined) ?? [])] as (Json | undefined)[];
  return parts
    .map((part) => (typeof part?.["text"] === "string" ? part["text"] : ""))
    .filter((part) => part !== "")
    .join(" ");
}

/** People's text as Slack stores it: the three characters of its own markup are escaped, its control sequences are not. */
export function escapeTyped(text: string): string {
  return text
    .split(/(<(?:[@#!][^<>]+|https?:[^<>]+)>)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    )
    .join("");
}
