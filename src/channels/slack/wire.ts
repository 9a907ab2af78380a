/** Slack's JSON, of events and of its history alike → what mom reads of it. Nothing else in this folder looks into raw messages. */

export interface WireFile {
  id: string;
  name: string;
  mimeType?: string;
  size?: number;
  url?: string;
  /** Kept by another service; Slack has only its address. */
  isExternal: boolean;
  /** Slack gives the rest only when asked (shared channels of two companies). */
  isStub: boolean;
}

export interface WireMessage {
  ts: string;
  channelId: string;
  /** `im`, `mpim`, `channel`, `group`; absent in some events. */
  channelType?: string;
  subtype?: string;
  text: string;
  userId?: string;
  botId?: string;
  username?: string;
  teamId?: string;
  threadTs?: string;
  parentUserId?: string;
  latestReply?: string;
  editedTs?: string;
  files: WireFile[];
  metadata?: { type: string; payload: Record<string, unknown> };
  /** Of a change: how it is now, and how it was. */
  changed?: WireMessage;
  previous?: WireMessage;
  deletedTs?: string;
}

type Raw = Record<string, unknown>;

export const toRecord = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {});
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
/** Leaves out what is undefined. */
const some = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };

/** Undefined for what is no message. `channelId`: where the message itself does not say it. */
export function parseMessage(value: unknown, channelId?: string): WireMessage | undefined {
  const raw = toRecord(value);
  const ts = textOf(raw["ts"]);
  const channel = textOf(raw["channel"]) ?? channelId;
  if (ts === undefined || channel === undefined) return undefined;
  return {
    ts,
    channelId: channel,
    text: textOf(raw["text"]) ?? textOfAttachments(raw["attachments"]),
    files: Array.isArray(raw["files"]) ? raw["files"].map(parseFile).filter((file) => file !== undefined) : [],
    ...some("channelType", textOf(raw["channel_type"])),
    ...some("subtype", textOf(raw["subtype"])),
    ...some("userId", textOf(raw["user"])),
    ...some("botId", textOf(raw["bot_id"])),
    ...some("username", textOf(raw["username"]) ?? textOf(toRecord(raw["bot_profile"])["name"])),
    ...some("teamId", textOf(raw["user_team"]) ?? textOf(raw["team"])),
    ...some("threadTs", textOf(raw["thread_ts"])),
    ...some("parentUserId", textOf(raw["parent_user_id"])),
    ...some("latestReply", textOf(raw["latest_reply"])),
    ...some("editedTs", textOf(toRecord(raw["edited"])["ts"])),
    ...some("metadata", parseMetadata(raw["metadata"])),
    ...some("changed", raw["message"] === undefined ? undefined : parseMessage(raw["message"], channel)),
    ...some(
      "previous",
      raw["previous_message"] === undefined ? undefined : parseMessage(raw["previous_message"], channel),
    ),
    ...some("deletedTs", textOf(raw["deleted_ts"])),
  };
}

/** Many bots say everything in cards. */
function textOfAttachments(value: unknown): string {
  const cards = Array.isArray(value) ? value.map(toRecord) : [];
  const texts = cards.map((card) => textOf(card["fallback"]) ?? textOf(card["text"]));
  return texts.filter((text) => text !== undefined).join("\n");
}

export function parseFile(value: unknown): WireFile | undefined {
  const raw = toRecord(value);
  const id = textOf(raw["id"]);
  if (id === undefined) return undefined;
  return {
    id,
    name: textOf(raw["name"]) ?? textOf(raw["title"]) ?? id,
    isExternal: raw["is_external"] === true || raw["mode"] === "external",
    isStub: raw["file_access"] === "check_file_info",
    ...some("mimeType", textOf(raw["mimetype"])),
    ...some("size", typeof raw["size"] === "number" ? raw["size"] : undefined),
    ...some("url", textOf(raw["url_private_download"]) ?? textOf(raw["url_private"])),
  };
}

function parseMetadata(value: unknown): WireMessage["metadata"] {
  const raw = toRecord(value);
  const type = textOf(raw["event_type"]);
  return type === undefined ? undefined : { type, payload: toRecord(raw["event_payload"]) };
}

/** Is `ts` after `other`? False for ids that are no times. */
export const isAfter = (ts: string, other: string): boolean => Number(ts) > Number(other);

/** The root of the thread that a message is a reply in. */
export const threadOf = ({ ts, threadTs }: WireMessage): string | undefined => (threadTs === ts ? undefined : threadTs);

/** Milliseconds since the epoch; undefined for an id that is no time. */
export function toMs(ts: string): number | undefined {
  const ms = Math.floor(Number(ts) * 1000);
  return Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : undefined;
}
