/**
 * Posts → pages. There is nothing to call: a post is in the outbox and the log before it comes here, and with its receipt the
 * gateway shows it to whoever looks; the others find it in the history. Only changes are told to the screens from here.
 */
import { lstat } from "node:fs/promises";
import { formatBytes } from "../../base/format-values.ts";
import type { OutgoingFile, PlatformAdapter, SendResult } from "../../contracts/channel.ts";
import type { ChatScreen } from "../../contracts/gateway.ts";
import { neutralise } from "../kit/neutralise.ts";
import { webchatCapabilities } from "./capabilities.ts";
import { isChatId } from "./chats.ts";

type OutboundMethods = "sendMessage" | "updateMessage" | "deleteMessage" | "uploadFile" | "act" | "settle";

export interface OutboundDeps {
  screen: ChatScreen;
  /** Told of every post. */
  onSent(): void;
}

export function createOutbound({ screen, onSent }: OutboundDeps): Pick<PlatformAdapter, OutboundMethods> {
  const post = (channelId: string, messageId: string, show?: () => void): SendResult => {
    if (!isChatId(channelId)) return { type: "rejected", reason: `Web chat has no chat "${channelId}".` };
    show?.();
    onSent();
    return { type: "sent", messageId };
  };
  return {
    sendMessage: async (channelId, { deliveryId }) => post(channelId, deliveryId),
    async uploadFile(channelId, file) {
      return (await findFault(file)) ?? post(channelId, file.deliveryId);
    },
    updateMessage: async (channelId, messageId, text) =>
      post(channelId, messageId, () => screen.edited(channelId, messageId, neutralise(text))),
    deleteMessage: async (channelId, messageId) =>
      post(channelId, messageId, () => screen.edited(channelId, messageId)),
    act: async (_channelId, { action }) => ({
      type: "rejected",
      reason: `Web chat has nothing like "${action.type}".`,
    }),
    settle: async () => ({ type: "not-sent" }),
  };
}

/** The file is fetched from where it lies when somebody opens it; one that never could be is better refused now. */
async function findFault({ path, filename }: OutgoingFile): Promise<SendResult | undefined> {
  const { maxUploadBytes } = webchatCapabilities;
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile()) return { type: "rejected", reason: `${filename} is not there, or is no regular file` };
  if (found.size <= maxUploadBytes) return undefined;
  const sizes = `${formatBytes(found.size)}, and at most ${formatBytes(maxUploadBytes)}`;
  return { type: "rejected", reason: `${filename} has ${sizes} can be shown` };
}
