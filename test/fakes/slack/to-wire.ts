/** The fake Slack's records → the objects that its API and its events carry. */
import { bot, type Json, type SlackChannel, type SlackFile, type SlackMessage, type SlackUser } from "./workspace.ts";

export function toWireUser({ id, name, realName, isBot }: SlackUser): Json {
  return {
    id,
    team_id: bot.teamId,
    name,
    deleted: false,
    real_name: realName,
    is_bot: isBot,
    profile: { display_name: realName, real_name: realName },
  };
}

export function toWireChannel({ id, name, kind, userId, isMember, isArchived }: SlackChannel): Json {
  if (kind === "im") return { id, is_im: true, user: userId, is_archived: isArchived, is_user_deleted: false };
  return {
    id,
    name,
    is_channel: kind === "channel",
    is_group: kind === "group",
    is_mpim: kind === "mpim",
    is_im: false,
    is_private: kind !== "channel",
    is_archived: isArchived,
    is_member: isMember,
  };
}

/** `filesUrl`: where the bytes can be had, with a token. */
export function toWireFile(file: SlackFile, filesUrl: string): Json {
  const url = `${filesUrl}/${bot.teamId}-${file.id}/${encodeURIComponent(file.name)}`;
  const shares: Record<string, Json[]> = {};
  for (const { channelId, ts } of file.shares) shares[channelId] = [{ ts }];
  return {
    id: file.id,
    name: file.name,
    title: file.name,
    mimetype: file.mimeType,
    size: file.size,
    mode: "hosted",
    is_external: false,
    url_private: url,
    url_private_download: `${url}?download=1`,
    shares: { private: shares },
  };
}

export interface WireMessageOptions {
  filesUrl: string;
  withMetadata?: boolean;
  /** Of its thread, in order; empty where there is none. */
  replies?: SlackMessage[];
}

export function toWireMessage(
  message: SlackMessage,
  { filesUrl, withMetadata, replies = [] }: WireMessageOptions,
): Json {
  const latest = replies.at(-1);
  return {
    type: "message",
    ts: message.ts,
    text: message.text,
    team: bot.teamId,
    ...(message.subtype !== "bot_message" && { user: message.userId }),
    ...(message.botId !== undefined && { bot_id: message.botId, app_id: bot.appId }),
    ...(message.username !== undefined && { username: message.username }),
    ...(message.subtype !== undefined && { subtype: message.subtype }),
    ...(message.blocks && { blocks: message.blocks }),
    ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    ...(message.editedTs !== undefined && { edited: { user: message.userId, ts: message.editedTs } }),
    ...(message.files.length > 0 && { files: message.files.map((file) => toWireFile(file, filesUrl)) }),
    ...(message.isStreaming && { streaming_state: "in_progress" }),
    ...(withMetadata && message.metadata && { metadata: message.metadata }),
    ...(latest && {
      thread_ts: message.ts,
      reply_count: replies.length,
      reply_users: [...new Set(replies.map(({ userId }) => userId))],
      latest_reply: latest.ts,
    }),
  };
}
