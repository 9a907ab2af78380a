/** What a terminal can do. It shows and forgets: nothing can be changed, looked up or taken back. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";
import { maxPartLength } from "./format.ts";

export const cliCapabilities: ChannelCapabilities = {
  edit: false,
  delete: false,
  threads: false,
  reactions: false,
  polls: false,
  pins: false,
  typing: false,
  buttons: false,
  maxMessageLength: maxPartLength,
  lengthUnit: "utf16",
  dialect: "terminal",
  // A file is shown as its path, whatever its size.
  maxUploadBytes: Number.MAX_SAFE_INTEGER,
  maxDownloadBytes: 0,
  settles: "blind",
};
