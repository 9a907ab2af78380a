/** What mom can do on Slack beside posting: react, pin, begin a thread. One handler for actions and for channel tools. */
import { ChannelError } from "../../base/errors.ts";
import type { OutgoingAction, SendResult } from "../../contracts/channel.ts";
import type { Answer, SlackClient } from "./client.ts";
import { emojiHint, toEmojiName } from "./emoji.ts";
import { toSendResult } from "./fault.ts";

export interface ActionDeps {
  client: SlackClient;
  /** The thread that a message is in, or would begin. */
  rootOf(channelId: string, ts: string): string;
  render(markdown: string): string[];
}

/** `postText` posts a rendered text in a thread, under the action's own id. */
export async function performAction(
  deps: ActionDeps,
  channelId: string,
  { action }: OutgoingAction,
  postText: (text: string, threadTs: string | undefined) => Promise<SendResult>,
): Promise<SendResult> {
  switch (action.type) {
    case "react":
      return react(deps, channelId, action);
    case "pin":
      return pin(deps, channelId, action);
    case "poll":
      return {
        type: "rejected",
        reason: "Slack has no polls; post the options and ask people to react with an emoji each",
      };
    case "thread": {
      if (action.messageId === undefined) {
        const [title = ""] = deps.render(`**${action.name}**`);
        return postText(`${title}\n\n${action.text}`, undefined);
      }
      const root = deps.rootOf(channelId, action.messageId);
      const posted = await postText(action.text, root);
      return posted.type === "sent" ? { type: "sent", messageId: root } : posted;
    }
  }
}

interface Mark {
  messageId: string;
  remove?: true;
}

/** What is so already counts as done. */
function toResult(answer: Answer<unknown>, already: string, messageId: string): SendResult {
  const isDone = answer.type === "ok" || (answer.type === "refused" && answer.error === already);
  return isDone ? { type: "sent", messageId } : toSendResult(answer);
}

async function react(
  { client }: ActionDeps,
  channel: string,
  { messageId, emoji, remove }: Mark & { emoji: string },
): Promise<SendResult> {
  const name = toEmojiName(emoji);
  if (name === undefined) return { type: "rejected", reason: `Slack has no name for ${emoji}. ${emojiHint}` };
  const call = { channel, timestamp: messageId, name };
  if (remove) return toResult(await client.call((web) => web.reactions.remove(call)), "no_reaction", messageId);
  return toResult(await client.call((web) => web.reactions.add(call)), "already_reacted", messageId);
}

async function pin({ client }: ActionDeps, channel: string, { messageId, remove }: Mark): Promise<SendResult> {
  const call = { channel, timestamp: messageId };
  if (remove) return toResult(await client.call((web) => web.pins.remove(call)), "no_pin", messageId);
  return toResult(await client.call((web) => web.pins.add(call)), "already_pinned", messageId);
}

/** For the channel's own tools (spec 2.6). Both throw what Slack said. */
export interface SlackActions {
  addReaction(channelId: string, timestamp: string, name: string): Promise<void>;
  pinMessage(channelId: string, timestamp: string): Promise<void>;
}

export function createSlackActions(deps: ActionDeps): SlackActions {
  const ensureDone = (result: SendResult) => {
    if (result.type === "sent") return;
    throw new ChannelError("CHANNEL_ACTION_FAILED", result.reason, { retryable: result.type !== "rejected" });
  };
  return {
    addReaction: async (channelId, messageId, emoji) => ensureDone(await react(deps, channelId, { messageId, emoji })),
    pinMessage: async (channelId, messageId) => ensureDone(await pin(deps, channelId, { messageId })),
  };
}
