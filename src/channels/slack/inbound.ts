/** What Slack reports → `ChannelMessage`: who said it, to whom, in which thread; changes and deletions too. */
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelMessage, MessageSender } from "../../contracts/message.ts";
import type { Fetched } from "./attachments.ts";
import { fromSlackText, listMentioned } from "./incoming-text.ts";
import type { Self } from "./login.ts";
import type { People } from "./people.ts";
import type { Threads } from "./threads.ts";
import { threadOf, toMs, type WireFile, type WireMessage } from "./wire.ts";

/** What a report is about. `id`: of the `ChannelMessage` that it becomes. */
export type Report =
  | { type: "said"; id: string; message: WireMessage }
  /** `at`: Slack's time of the change. */
  | { type: "changed"; id: string; message: WireMessage; at: string }
  | { type: "deleted"; id: string; message: WireMessage; at: string }
  | { type: "own"; message: WireMessage }
  /** Joined, renamed, pinned …: not talk. */
  | { type: "nothing" };

/** Kinds of messages that somebody has said something with. */
const talk = [undefined, "file_share", "thread_broadcast", "me_message", "bot_message"];
const slackbot = "USLACKBOT";

export function readReport(event: WireMessage, self: Self): Report {
  const { subtype, changed, previous, deletedTs } = event;
  const isOwn = ({ userId, botId }: WireMessage) =>
    userId === self.userId || (botId !== undefined && botId === self.botId);
  if (subtype === "message_deleted" && previous && deletedTs !== undefined) {
    if (isOwn(previous)) return { type: "own", message: event };
    return { type: "deleted", id: `${deletedTs}:delete`, message: previous, at: event.ts };
  }
  if (subtype === "message_changed" && changed) return readChange(event, changed, isOwn);
  if (isOwn(event)) return { type: "own", message: event };
  return talk.includes(subtype) ? { type: "said", id: event.ts, message: event } : { type: "nothing" };
}

function readChange(event: WireMessage, changed: WireMessage, isOwn: (message: WireMessage) => boolean): Report {
  if (isOwn(changed)) return { type: "own", message: event };
  const where = event.channelType === undefined ? changed : { ...changed, channelType: event.channelType };
  // The head of a thread, deleted, stays as a stone.
  if (changed.subtype === "tombstone")
    return { type: "deleted", id: `${changed.ts}:delete`, message: where, at: event.ts };
  // Slack also reports previews and reply counts so.
  if (changed.editedTs === undefined || changed.text === event.previous?.text) return { type: "nothing" };
  return { type: "changed", id: `${changed.ts}:edit:${changed.editedTs}`, message: where, at: changed.editedTs };
}

export interface InboundDeps {
  clock: Clock;
  self: Self;
  people: People;
  threads: Threads;
  fetchFiles(channelId: string, files: readonly WireFile[]): Promise<Fetched>;
}

type Heard = Exclude<Report, { type: "own" | "nothing" }>;

/** May ask Slack for names and files. Never rejects. */
export async function toChannelMessage(deps: InboundDeps, report: Heard): Promise<ChannelMessage> {
  const { id, message } = report;
  const { self, people, threads, clock } = deps;
  const { channelId, text: rawText } = message;
  const chat = await people.ensureChannel(channelId, message.channelType);
  const sender = await toSender(message, people);
  const isSaid = report.type === "said";
  const said = report.type === "deleted" ? "" : rawText;
  const names = await namesIn(said, people);
  const { attachments, notes } = isSaid
    ? await deps.fetchFiles(channelId, message.files)
    : { attachments: [], notes: [] };
  const thread = threadOf(message);
  const text = [fromSlackText(said, self.userId, names), ...notes].filter((part) => part !== "").join("\n");
  const isAnswer =
    thread !== undefined && (message.parentUserId === self.userId || threads.isMomLast(channelId, thread));
  return {
    id,
    channelId,
    timestamp: new Date(toMs(isSaid ? message.ts : report.at) ?? clock.now()).toISOString(),
    sender,
    text,
    ...(said !== text && { rawText: said }),
    attachments,
    isMention: isSaid && (chat.type === "dm" || isAnswer || listMentioned(rawText).includes(self.userId)),
    ...(thread !== undefined && { replyTo: thread }),
    ...(!isSaid && { change: { type: report.type === "changed" ? "edit" : "delete", ref: message.ts } }),
    metadata: {
      ...(thread !== undefined && { threadTs: thread }),
      ...(message.teamId !== undefined && { teamId: message.teamId }),
    },
  };
}

async function toSender({ userId, botId, username }: WireMessage, people: People): Promise<MessageSender> {
  const id = userId ?? botId ?? "unknown";
  const user = userId === undefined ? undefined : await people.ensureUser(userId);
  return {
    id,
    username: user?.username ?? username ?? id,
    ...(user?.displayName !== undefined && { displayName: user.displayName }),
    isBot: botId !== undefined || userId === slackbot,
  };
}

/** A message that names a crowd is not held up for all of them. */
const mostNames = 20;

async function namesIn(raw: string, people: People) {
  const users = new Map<string, string>();
  for (const id of listMentioned(raw).slice(0, mostNames)) {
    const user = await people.ensureUser(id);
    if (user) users.set(id, user.username);
  }
  const channels = new Map<string, string>();
  for (const [, id = ""] of [...raw.matchAll(/<#([A-Z0-9]+)\|?>/g)].slice(0, mostNames)) {
    channels.set(id, (await people.ensureChannel(id)).name);
  }
  return { user: (id: string) => users.get(id), channel: (id: string) => channels.get(id) };
}
