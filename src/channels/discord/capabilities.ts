/** What Discord can do, and its limits. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";

export const discordCapabilities: ChannelCapabilities = {
  edit: true,
  delete: true,
  threads: true,
  reactions: true,
  polls: true,
  pins: true,
  typing: true,
  buttons: true,
  maxMessageLength: 2_000,
  lengthUnit: "utf16",
  dialect: "markdown",
  // Without boosts of the server.
  maxUploadBytes: 10 * 1024 * 1024,
  maxDownloadBytes: 25 * 1024 * 1024,
  settles: "idempotent",
};
