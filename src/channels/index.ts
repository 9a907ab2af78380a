/** The face of the room: the catalogue of platforms, and what whoever hands in a terminal must know. */
export { channelCatalog } from "./catalog.ts";
export type { CliAdapter } from "./cli/adapter.ts";
export type { ChannelDeps, LoginField, LoginReport } from "./definition.ts";
export { formatAccess } from "./format-access.ts";
export type { BuiltChannelTool } from "./kit/build-channel-tools.ts";
export type { ChannelSettings } from "./kit/channel-settings.ts";
export { neutralise } from "./kit/neutralise.ts";
export {
  accessRulesOf,
  type ChannelConfig,
  type ChannelLogin,
  type ChannelType,
  channelLabelOf,
  describeLogin,
  loadLogin,
  type OpenChannel,
  openChannel,
} from "./open-channel.ts";
export {
  type ChannelsConfig,
  channelsConfig,
  findClosedAction,
  findClosedTool,
  listChannelTools,
  settingsOf,
} from "./settings.ts";
export type { Terminal, TerminalInput, TerminalOutput } from "./terminal.ts";
export type { WebchatAdapter } from "./webchat/adapter.ts";
