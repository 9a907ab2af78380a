/** The fake's `chat.*`: posts, changes, deletions and streams, with Slack's own rules about text and blocks. */
import { findBlockFault } from "./block-rules.ts";
import { buildChangedEvent, buildDeletedEvent, buildMessageEvent } from "./message-events.ts";
import { findChannel, type Method, type MethodContext, refuse, repliesTo } from "./method.ts";
import { toWireMessage } from "./to-wire.ts";
import { bot, type Json, type SlackChannel, type SlackMessage } from "./workspace.ts";

const scopes = ["chat:write"];
const maxMarkdown = 12_000;
const maxPosted = 40_000;
/** A change may hold less than a new post. */
const maxChanged = 4_000;

const textOf = (args: Json, key: string): string => (typeof args[key] === "string" ? args[key] : "");

/** Why the content of a post is refused. */
function findContentFault(args: Json, { settings }: MethodContext): string | undefined {
  const markdown = textOf(args, "markdown_text");
  const blocks = args["blocks"] as Json[] | undefined;
  if (markdown !== "" && !settings.takesMarkdown) return "invalid_arguments";
  if (markdown !== "" && (textOf(args, "text") !== "" || blocks)) return "markdown_text_conflict";
  if (markdown === "" && textOf(args, "text").trim() === "" && !blocks?.length) return "no_text";
  if (markdown.length > maxMarkdown) return "msg_too_long";
  return blocks ? findBlockFault(blocks) : undefined;
}

function contentOf(args: Json): Pick<SlackMessage, "text"> & Partial<SlackMessage> {
  const blocks = args["blocks"] as Json[] | undefined;
  const metadata = args["metadata"] as Json | undefined;
  return {
    text: (textOf(args, "markdown_text") || textOf(args, "text")).slice(0, maxPosted),
    ...(blocks && { blocks }),
    ...(metadata && { metadata }),
  };
}

function post(args: Json, context: MethodContext): Json {
  const found = findChannel(context, args["channel"]);
  if (found.type === "refused") return found.answer;
  if (found.channel.isArchived) return refuse("is_archived");
  const fault = findContentFault(args, context);
  if (fault) return refuse(fault);
  const thread = textOf(args, "thread_ts");
  if (thread !== "" && !hasThread(found.channel, thread)) return refuse("thread_not_found");
  const message = context.workspace.addMessage({
    channelId: found.channel.id,
    userId: bot.userId,
    botId: bot.botId,
    ...contentOf(args),
    ...(thread !== "" && { threadTs: thread }),
  });
  context.emit(buildMessageEvent(context, message));
  return answerOf(message, context);
}

/** The head of a thread may be deleted while there are replies. */
const hasThread = (channel: SlackChannel, ts: string): boolean =>
  channel.messages.some((message) => message.ts === ts && !message.isDeleted) || repliesTo(channel, ts).length > 0;

const answerOf = (message: SlackMessage, { origin }: MethodContext): Json => ({
  ok: true,
  channel: message.channelId,
  ts: message.ts,
  text: message.text,
  message: toWireMessage(message, { filesUrl: `${origin}/files-pri` }),
});

/** The bot's own message that a call names, or the answer that says why not. */
function findOwn(args: Json, context: MethodContext, error: string): SlackMessage | Json {
  const found = findChannel(context, args["channel"]);
  if (found.type === "refused") return found.answer;
  const message = context.workspace.find(found.channel.id, args["ts"]);
  if (!message) return refuse("message_not_found");
  return message.botId === bot.botId ? message : refuse(error);
}

const isMessage = (found: SlackMessage | Json): found is SlackMessage => "channelId" in found;

function update(args: Json, context: MethodContext): Json {
  const message = findOwn(args, context, "cant_update_message");
  if (!isMessage(message)) return message;
  if (message.isStreaming) return refuse("streaming_state_conflict");
  const fault = findContentFault(args, context);
  if (fault) return refuse(fault);
  if (textOf(args, "text").length > maxChanged) return refuse("msg_too_long");
  const previous = toWireMessage(message, { filesUrl: `${context.origin}/files-pri` });
  // Text without blocks takes the place of blocks too.
  delete message.blocks;
  Object.assign(message, contentOf(args), { edits: message.edits + 1, editedTs: context.workspace.nextTs() });
  context.emit(buildChangedEvent(context, message, previous));
  return answerOf(message, context);
}

function remove(args: Json, context: MethodContext): Json {
  const message = findOwn(args, context, "cant_delete_message");
  if (!isMessage(message)) return message;
  if (message.isStreaming) return refuse("cant_delete_message");
  message.isDeleted = true;
  context.emit(buildDeletedEvent(context, message));
  return { ok: true, channel: message.channelId, ts: message.ts };
}

/** The Markdown of a stream's call, given as text or as chunks. */
function streamedText(args: Json): string {
  const chunks = (args["chunks"] as Json[] | undefined) ?? [];
  return textOf(args, "markdown_text") + chunks.map((chunk) => String(chunk["text"] ?? "")).join("");
}

function startStream(args: Json, context: MethodContext): Json {
  const found = findChannel(context, args["channel"]);
  if (found.type === "refused") return found.answer;
  if (!context.settings.canStream) return refuse("channel_type_not_supported");
  if (textOf(args, "thread_ts") === "") return refuse("invalid_thread_ts");
  const isDirect = found.channel.kind === "im";
  if (!isDirect && !args["recipient_team_id"]) return refuse("missing_recipient_team_id");
  if (!isDirect && !args["recipient_user_id"]) return refuse("missing_recipient_user_id");
  if (streamedText(args).length > maxMarkdown) return refuse("msg_too_long");
  const message = context.workspace.addMessage({
    channelId: found.channel.id,
    userId: bot.userId,
    botId: bot.botId,
    text: streamedText(args),
    threadTs: textOf(args, "thread_ts"),
    isStreaming: true,
  });
  context.emit(buildMessageEvent(context, message));
  return { ok: true, channel: message.channelId, ts: message.ts };
}

function goOnStreaming(args: Json, context: MethodContext, isLast: boolean): Json {
  const message = findOwn(args, context, "message_not_owned_by_app");
  if (!isMessage(message)) return message;
  if (!message.isStreaming) return refuse("message_not_in_streaming_state");
  if (streamedText(args).length > maxMarkdown) return refuse("msg_too_long");
  message.text += streamedText(args);
  if (isLast) {
    message.isStreaming = false;
    Object.assign(message, args["metadata"] ? { metadata: args["metadata"] } : {});
  }
  return { ok: true, channel: message.channelId, ts: message.ts };
}

export const chatMethods: Record<string, Method> = {
  "chat.postMessage": { scopes, run: post },
  "chat.update": { scopes, run: update },
  "chat.delete": { scopes, run: remove },
  "chat.startStream": { scopes, run: startStream },
  "chat.appendStream": { scopes, run: (args, context) => goOnStreaming(args, context, false) },
  "chat.stopStream": { scopes, run: (args, context) => goOnStreaming(args, context, true) },
};
