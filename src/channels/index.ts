/** The face of the room: the catalogue of platforms, and what whoever hands in a terminal must know. */
export { channelCatalog } from "./catalog.ts";
export type { CliAdapter } from "./cli/adapter.ts";
export type { ChannelDeps } from "./definition.ts";
export { neutralise } from "./kit/neutralise.ts";
export type { Terminal, TerminalInput, TerminalOutput } from "./terminal.ts";
