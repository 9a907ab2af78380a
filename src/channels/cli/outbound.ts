/** Posts → the screen. A terminal takes what it is given or is closed; it cannot be asked afterwards. */
import { stat } from "node:fs/promises";
import type { PlatformAdapter, SendResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import { newMessageId, terminalChannelId } from "./inbound.ts";
import type { Surface } from "./surface.ts";

type OutboundMethods = "sendMessage" | "updateMessage" | "deleteMessage" | "uploadFile" | "act" | "settle";

export interface OutboundDeps {
  surface: Surface;
  clock: Clock;
  /** Told of every post that was shown. */
  onSent(): void;
}

export function createOutbound({ surface, clock, onSent }: OutboundDeps): Pick<PlatformAdapter, OutboundMethods> {
  async function post(channelId: string, show: () => Promise<boolean>): Promise<SendResult> {
    if (channelId !== terminalChannelId) {
      return {
        type: "rejected",
        reason: `The terminal has only the channel "${terminalChannelId}", not "${channelId}".`,
      };
    }
    if (!(await show())) return { type: "retry", reason: "The terminal's output is closed." };
    onSent();
    return { type: "sent", messageId: newMessageId(clock.now()) };
  }

  return {
    sendMessage: (channelId, message) => post(channelId, () => surface.showReply(message)),
    async uploadFile(channelId, file) {
      const found = await stat(file.path).catch(() => undefined);
      if (!found?.isFile()) return { type: "rejected", reason: `There is no file at "${file.path}".` };
      return post(channelId, () => surface.showFile(file));
    },
    updateMessage: async () => ({ type: "rejected", reason: "A terminal cannot change what it has shown." }),
    deleteMessage: async () => ({ type: "rejected", reason: "A terminal cannot take back what it has shown." }),
    act: async (_channelId, { action }) => ({
      type: "rejected",
      reason: `A terminal has nothing like "${action.type}".`,
    }),
    settle: async () => ({ type: "unknown" }),
  };
}
