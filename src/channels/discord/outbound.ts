/** Mom's posts → calls to Discord, and what became of them. */
import type { API } from "@discordjs/core";
import type { OutgoingText, PlatformAdapter, SendResult } from "../../contracts/channel.ts";
import { openUpload } from "../kit/open-upload.ts";
import type { TurnShow } from "../kit/turn-show.ts";
import { act } from "./act.ts";
import type { Calls } from "./calls.ts";
import { discordCapabilities } from "./capabilities.ts";
import { codes } from "./errors.ts";
import { isId, toButtons } from "./format.ts";
import { noPreviews, type Posting, toAllowedMentions } from "./posting.ts";
import type { Recent } from "./recent.ts";

type OutboundMethods = "sendMessage" | "updateMessage" | "deleteMessage" | "uploadFile" | "act" | "settle";
export type Outbound = Pick<PlatformAdapter, OutboundMethods>;

export interface OutboundDeps {
  api: API;
  calls: Calls;
  posting: Posting;
  show: TurnShow;
  recent: Recent;
  render(markdown: string): string[];
  /** Discord has taken something. */
  onSent(): void;
}

export function createOutbound(deps: OutboundDeps): Outbound {
  const { api, calls, posting, show, recent, render } = deps;

  /** Ids become part of an address: what is no id must not. */
  const within = async (ids: readonly string[], work: () => Promise<SendResult>): Promise<SendResult> => {
    const wrong = ids.find((id) => !isId(id));
    if (wrong !== undefined) return { type: "rejected", reason: `"${wrong.slice(0, 40)}" is no id of Discord's.` };
    const result = await work();
    if (result.type === "sent") deps.onSent();
    return result;
  };

  /** Undefined: the message is gone. */
  async function change(
    channelId: string,
    messageId: string,
    { text, buttons }: Pick<OutgoingText, "text" | "buttons">,
  ): Promise<SendResult | undefined> {
    const components = toButtons(buttons);
    const body = {
      content: text,
      flags: noPreviews,
      allowed_mentions: toAllowedMentions(text),
      ...(components && { components }),
    };
    const called = await calls.run(channelId, () => api.channels.editMessage(channelId, messageId, body));
    if (called.type === "done") return { type: "sent", messageId };
    return called.code === codes.unknownMessage ? undefined : called;
  }

  /** The live post of the turn becomes the reply. Undefined: there is none, or it cannot. */
  async function takeOver(channelId: string, message: OutgoingText): Promise<SendResult | undefined> {
    const { turnId, deliveryId } = message;
    const live = turnId && !message.isAside ? await show.takeOver(turnId, deliveryId) : undefined;
    if (turnId === undefined || live === undefined) return undefined;
    if (message.replyTo !== undefined) {
      // A reference cannot be added to a post.
      await show.discard(turnId);
      return undefined;
    }
    const result = await change(channelId, live, message);
    if (!result) await show.forget(turnId);
    return result;
  }
  const postText = (channelId: string, message: OutgoingText) => {
    const { text, buttons, replyTo } = message;
    const components = toButtons(buttons);
    const isReply = replyTo !== undefined && isId(replyTo);
    return posting.post(channelId, message, {
      content: text,
      ...(components && { components }),
      ...(isReply && { replyTo }),
    });
  };

  return {
    sendMessage: (channelId, message) =>
      within([channelId], async () => {
        const { turnId, isAside } = message;
        const result = (await takeOver(channelId, message)) ?? (await postText(channelId, message));
        if (result.type !== "sent") return result;
        recent.own(result.messageId);
        if (turnId && isAside) show.said(turnId);
        else if (turnId) show.replied(turnId, result.messageId);
        return result;
      }),
    updateMessage: (channelId, messageId, text) =>
      within([channelId, messageId], async () => {
        const gone: SendResult = { type: "rejected", reason: "This message does not exist any more." };
        return (await change(channelId, messageId, { text })) ?? gone;
      }),
    deleteMessage: (channelId, messageId) =>
      within([channelId, messageId], async () => {
        recent.own(messageId);
        const called = await calls.run(channelId, () => api.channels.deleteMessage(channelId, messageId));
        const isGone = called.type === "done" || called.code === codes.unknownMessage;
        return isGone ? { type: "sent", messageId } : called;
      }),
    uploadFile: (channelId, file) =>
      within([channelId], async () => {
        const opened = await openUpload(file, discordCapabilities.maxUploadBytes);
        if (opened.type !== "open") return opened;
        const [caption] = render(file.caption ?? "");
        const files = [{ name: file.filename, data: opened.bytes }];
        const body = { files, ...(caption !== undefined && { content: caption }) };
        const result = await posting.post(channelId, file, body);
        if (result.type === "sent") recent.own(result.messageId);
        if (result.type === "sent" && file.turnId) show.said(file.turnId);
        return result;
      }),
    act: (channelId, outgoing) => {
      const { action } = outgoing;
      const ids = "messageId" in action && action.messageId !== undefined ? [action.messageId] : [];
      return within([channelId, ...ids], () => act({ api, calls, posting }, channelId, outgoing));
    },
    async settle(_channelId, deliveryId) {
      const messageId = posting.messageIdOf(deliveryId);
      return messageId === undefined ? { type: "unknown" } : { type: "sent", messageId };
    },
  };
}
