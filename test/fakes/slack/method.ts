/** What a Web API method of the fake is: the right it needs, and what it does. */
import type { Json, SlackChannel, SlackMessage, Workspace } from "./workspace.ts";

/** How this Slack differs from the usual one; tests change it while it runs. */
export interface SlackSettings {
  scopes: Set<string>;
  /** False: `markdown_text` is an argument that this server does not know. */
  takesMarkdown: boolean;
  /** False: `chat.startStream` is not to be had. */
  canStream: boolean;
  /** False: the app has no assistant feature. */
  hasAssistant: boolean;
  /** How many times `files.info` is asked before a new upload shows where it was shared. */
  sharesAfter: number;
  /** How many downloads from now are answered with a login page, whatever the token. */
  loginPages: number;
}

export interface MethodContext {
  workspace: Workspace;
  settings: SlackSettings;
  /** Base of the addresses of this server: `http://127.0.0.1:1234`. */
  origin: string;
  /** An event of the Events API, to whoever is connected. */
  emit(event: Json): void;
}

export interface Method {
  /** One of these is needed; by the arguments where it depends on the conversation. */
  scopes?: string[] | ((args: Json, context: MethodContext) => string[]);
  /** Called with the app-level token. */
  isForApp?: true;
  run(args: Json, context: MethodContext): Json;
}

export const refuse = (error: string, more: Json = {}): Json => ({ ok: false, error, ...more });

/** The conversation, or the answer that says why not. */
export function findChannel(
  { workspace }: MethodContext,
  id: unknown,
): { type: "found"; channel: SlackChannel } | { type: "refused"; answer: Json } {
  const channel = workspace.channels.get(String(id));
  if (!channel) return { type: "refused", answer: refuse("channel_not_found") };
  if (!channel.isMember) return { type: "refused", answer: refuse("not_in_channel") };
  return { type: "found", channel };
}

/** `<kind>:<right>` of the conversation that the call is about. */
export const scopeByKind =
  (right: "history" | "read") =>
  (args: Json, { workspace }: MethodContext): string[] => {
    const kind = workspace.channels.get(String(args["channel"]))?.kind ?? "channel";
    return [`${{ im: "im", mpim: "mpim", channel: "channels", group: "groups" }[kind]}:${right}`];
  };

export const repliesTo = (channel: SlackChannel, ts: string): SlackMessage[] =>
  channel.messages.filter((message) => message.threadTs === ts && message.ts !== ts && !message.isDeleted);

/** A page of `items`: `limit` and `cursor` as every list of Slack's takes them. */
export function pageOf<T>(items: T[], args: Json, most = 1000): { page: T[]; next_cursor: string } {
  const start = Number(args["cursor"] ?? 0) || 0;
  const end = start + Math.min(Number(args["limit"] ?? 100) || 100, most);
  return { page: items.slice(start, end), next_cursor: end < items.length ? String(end) : "" };
}
