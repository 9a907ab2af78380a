/** What web chat can do. The page draws typing, tools and approvals itself, from what the gateway tells it of every turn. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";

const mebibyte = 1024 * 1024;

export const webchatCapabilities: ChannelCapabilities = {
  edit: true,
  delete: true,
  threads: false,
  reactions: false,
  polls: false,
  pins: false,
  typing: false,
  buttons: false,
  // A page has no limit; this keeps a post within one frame of the gateway.
  maxMessageLength: 256 * 1024,
  lengthUnit: "utf16",
  dialect: "markdown",
  maxUploadBytes: 100 * mebibyte,
  maxDownloadBytes: 100 * mebibyte,
  // A post is known by its delivery's id: shown twice, it is the same one.
  settles: "idempotent",
};
