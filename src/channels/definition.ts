/** What a channel folder gives to the house: its `index.ts` exports one of these. */
import type { TSchema } from "typebox";
import type { ChannelCapabilities, PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ChatScreen, Webhooks } from "../contracts/gateway.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelAttachment } from "../contracts/message.ts";
import type { ChannelTool } from "./kit/channel-tool.ts";
import type { Terminal } from "./terminal.ts";

export interface ChannelDeps {
  clock: Clock;
  log: Log;
  /** What this adapter keeps across restarts. */
  memory: ChannelMemory;
  /** Keeps a file that somebody sent, under a safe name in the chat's folder. Throws a coded error over `maxBytes`. */
  saveAttachment(
    channelId: string,
    file: { filename: string; data: AsyncIterable<Uint8Array>; mimeType?: string; maxBytes: number },
  ): Promise<ChannelAttachment>;
  /** What the platform's own menu offers. Asked when the adapter starts. */
  commands(): MenuCommand[];
  /** Absent in a process without one; only the terminal channel asks. */
  terminal?: Terminal;
  /** The pages of the gateway. Absent where none runs; only web chat asks. */
  screen?: ChatScreen;
  /** Where platforms can call mom. Absent where no gateway runs. */
  webhooks?: Webhooks;
}

/** Small JSON values by name, on disk when a promise resolves: cursors, resume tokens, posts that are being edited. */
export interface ChannelMemory {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface MenuCommand {
  /** Without the slash: lower-case letters, digits, dashes. */
  name: string;
  summary: string;
  /** What may follow the name; absent: nothing. */
  usage?: string;
}

/** What a platform says of a login, for `mom init` and `mom doctor`. */
export type LoginReport =
  | { type: "ok" /** As whom: `@mom on Acme`. */; account: string; warnings: LoginWarning[] }
  | { type: "failed"; message: string; fix: string };

/** Something that works less well than it could: a right that is missing. */
export interface LoginWarning {
  message: string;
  fix: string;
}

/** One thing that `mom init` asks for. */
export interface LoginField {
  /** In the adapter's config. */
  key: string;
  label: string;
  /** Where it is found. */
  hint: string;
  isSecret: boolean;
  /** What a right one looks like. */
  pattern: RegExp;
  /** For a list of ids, separated by commas; may be left empty. */
  isList?: true;
}

export interface ChannelDefinition<Config, Adapter extends PlatformAdapter = PlatformAdapter> {
  /** The `type` in the config. */
  type: string;
  capabilities: ChannelCapabilities;
  /** `config` has passed the catalogue's schema of this type. Connects nothing; throws a coded error when `deps` lack something. */
  createAdapter(name: string, config: Config, deps: ChannelDeps): Adapter;
  /** How a login is tried out; what it is made of stands in the catalogue. Absent: it needs none. */
  login?: {
    /** Asks the platform who we are and what is missing. Never rejects; takes ten seconds at most. */
    check(config: Config, deps: Pick<ChannelDeps, "clock" | "log">): Promise<LoginReport>;
  };
  /** Its own tools (spec 2.6). Absent: none. */
  tools?: readonly ChannelTool<Adapter, TSchema>[];
}
