/** What Telegram can do (Bot API 10). Nobody can ask it afterwards whether a post arrived. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";

/** Of a text message, UTF-16 units, without its markup. */
export const maxTextLength = 4_096;

export const telegramCapabilities: ChannelCapabilities = {
  edit: true,
  delete: true,
  threads: true,
  reactions: true,
  polls: true,
  pins: true,
  typing: true,
  buttons: true,
  // Less than Telegram takes, so that a post that is repeated can say so.
  maxMessageLength: maxTextLength - 96,
  lengthUnit: "utf16",
  dialect: "markdown",
  maxUploadBytes: 50 * 1_024 * 1_024,
  maxDownloadBytes: 20 * 1_024 * 1_024,
  settles: "blind",
};
