/** Messages → the events that Slack sends about them. */
import { toWireMessage } from "./to-wire.ts";
import { bot, type Json, type SlackMessage, type Workspace } from "./workspace.ts";

interface EventContext {
  workspace: Workspace;
  origin: string;
}

const where = ({ workspace }: EventContext, message: SlackMessage, ts: string) => ({
  channel: message.channelId,
  channel_type: workspace.channels.get(message.channelId)?.kind ?? "channel",
  event_ts: ts,
});

export function buildMessageEvent(context: EventContext, message: SlackMessage): Json {
  const parent =
    message.threadTs === undefined ? undefined : context.workspace.find(message.channelId, message.threadTs);
  return {
    ...toWireMessage(message, { filesUrl: `${context.origin}/files-pri` }),
    ...(parent && parent !== message && { parent_user_id: parent.userId }),
    ...where(context, message, message.ts),
  };
}

/** The second event about a message that mentions mom; it has no `channel_type`. */
export function buildMentionEvent(context: EventContext, message: SlackMessage): Json {
  const { channel_type, parent_user_id, subtype, ...event } = buildMessageEvent(context, message);
  return { ...event, type: "app_mention" };
}

export function buildChangedEvent(context: EventContext, message: SlackMessage, previous: Json): Json {
  const ts = context.workspace.nextTs();
  const wire = toWireMessage(message, { filesUrl: `${context.origin}/files-pri` });
  return {
    type: "message",
    subtype: "message_changed",
    hidden: true,
    message: wire,
    previous_message: previous,
    ts,
    ...where(context, message, ts),
  };
}

export function buildDeletedEvent(context: EventContext, message: SlackMessage): Json {
  const ts = context.workspace.nextTs();
  return {
    type: "message",
    subtype: "message_deleted",
    hidden: true,
    deleted_ts: message.ts,
    previous_message: toWireMessage(message, { filesUrl: `${context.origin}/files-pri` }),
    ts,
    ...where(context, message, ts),
  };
}

/** The press of a button in a post of mom's, as an interactive payload. */
export function buildPress(context: EventContext, message: SlackMessage, userId: string, button: Json): Json {
  const user = context.workspace.users.get(userId);
  const channel = context.workspace.channels.get(message.channelId);
  return {
    type: "block_actions",
    team: { id: bot.teamId, domain: "acme" },
    user: { id: userId, username: user?.name, name: user?.name, team_id: bot.teamId },
    api_app_id: bot.appId,
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: message.channelId,
      is_ephemeral: false,
      ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    },
    trigger_id: `${context.workspace.nextTs()}.trigger`,
    channel: { id: message.channelId, name: channel?.name },
    message: toWireMessage(message, { filesUrl: `${context.origin}/files-pri` }),
    actions: [{ ...button, block_id: "b1", action_ts: context.workspace.nextTs() }],
  };
}
