/** A press of a button under a post of mom's → a message of the presser, who says what the button stands for. */
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { buttonPrefix } from "./buttons.ts";
import type { Self } from "./login.ts";
import type { People } from "./people.ts";
import { parseMessage, toMs, toRecord, type WireMessage } from "./wire.ts";

export interface Press {
  /** Slack's id of it, the same when it is reported again. */
  id: string;
  userId: string;
  teamId?: string;
  /** The post, with its blocks as Slack has them. */
  post: WireMessage;
  blocks: unknown[];
  label: string;
  says: string;
  at: string;
}

/** Undefined for what is no press, or not on a post of mom's own. */
export function parsePress(body: unknown, self: Self): Press | undefined {
  const { type, trigger_id, user, container, message, actions } = toRecord(body);
  const action = toRecord(Array.isArray(actions) ? actions[0] : undefined);
  const channelId = toRecord(container)["channel_id"];
  const userId = toRecord(user)["id"];
  const post = parseMessage(message, typeof channelId === "string" ? channelId : undefined);
  if (type !== "block_actions" || !post || typeof userId !== "string" || typeof trigger_id !== "string")
    return undefined;
  const isOwn = post.botId === self.botId || post.userId === self.userId;
  const { action_id, value, text, action_ts } = action;
  if (!isOwn || !String(action_id).startsWith(buttonPrefix) || typeof value !== "string") return undefined;
  const { blocks } = toRecord(message);
  const teamId = toRecord(user)["team_id"];
  return {
    id: trigger_id,
    userId,
    ...(typeof teamId === "string" && { teamId }),
    post,
    blocks: Array.isArray(blocks) ? blocks : [],
    label: String(toRecord(text)["text"] ?? ""),
    says: value,
    at: String(action_ts),
  };
}

export async function toPressMessage(press: Press, people: People, clock: Clock): Promise<ChannelMessage> {
  const { id, userId, post, says, at, teamId } = press;
  const user = await people.ensureUser(userId);
  await people.ensureChannel(post.channelId);
  return {
    id,
    channelId: post.channelId,
    timestamp: new Date(toMs(at) ?? clock.now()).toISOString(),
    sender: {
      id: userId,
      username: user?.username ?? userId,
      ...(user?.displayName !== undefined && { displayName: user.displayName }),
      isBot: false,
    },
    text: says,
    attachments: [],
    isMention: true,
    replyTo: post.ts,
    metadata: {
      pressedOn: post.ts,
      ...(post.threadTs !== undefined && post.threadTs !== post.ts && { threadTs: post.threadTs }),
      ...(teamId !== undefined && { teamId }),
    },
  };
}
