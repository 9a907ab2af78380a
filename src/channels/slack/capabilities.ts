/** What Slack can do. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";

/** Longest `markdown_text`, characters. */
export const maxPostLength = 12_000;
/** Slack takes more; a file is held in memory while it is sent. */
const maxFileBytes = 50 * 1024 * 1024;

export const slackCapabilities: ChannelCapabilities = {
  edit: true,
  delete: true,
  threads: true,
  reactions: true,
  polls: false,
  pins: true,
  // A status exists in threads only, and only for apps with the assistant feature.
  typing: false,
  buttons: true,
  maxMessageLength: maxPostLength,
  lengthUnit: "utf16",
  dialect: "markdown",
  maxUploadBytes: maxFileBytes,
  maxDownloadBytes: maxFileBytes,
  settles: "lookup",
};
