/**
 * The adapters that run: made from the config, started side by side, and exchanged one by one when the config changes. One
 * that cannot be had is told of and left out; the others go on.
 */
import { isDeepStrictEqual } from "node:util";
import { ChannelError, errorText, MomError } from "../base/errors.ts";
import { within } from "../base/within.ts";
import {
  type BuiltChannelTool,
  type ChannelConfig,
  type ChannelDeps,
  type ChannelSettings,
  type OpenChannel,
  openChannel,
} from "../channels/index.ts";
import type { AccessRules, AdapterHealth, PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelInfo, ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { ToolScope } from "../contracts/tool.ts";
import type { Origin } from "../inbound/index.ts";
import type { ChatBook } from "./channel-records.ts";
import type { MomConfig } from "./config-schema.ts";

/** An adapter that did not come from the catalogue: the app was given it by its caller. */
export interface GivenAdapter {
  adapter: PlatformAdapter;
  rules: AccessRules;
}

export interface AdapterSet {
  /** Started ones, by name. */
  readonly started: ReadonlyMap<string, PlatformAdapter>;
  /** What inbound must know of a chat; undefined when no such adapter is there. */
  originOf(adapterName: string, channelId: string): Origin | undefined;
  typeOf(adapterName: string): string;
  /** Immutable ids; empty when no such adapter is there. */
  adminsOf(adapterName: string): readonly string[];
  /** Names of what the channel can do. */
  capabilitiesOf(adapterName: string): readonly string[];
  /** Names of the platform's own tools. */
  toolNamesOf(adapterName: string): readonly string[];
  /** The platform's own tools for a turn, if its adapter runs. */
  toolsOf(scope: ToolScope, settings: ChannelSettings): BuiltChannelTool[];
  /** Of every one that is configured and enabled, also of those that could not be started. */
  health(): Map<string, AdapterHealth>;
  /**
   * Stops what is gone or changed, starts what is new. Resolves when all of those are up, have failed, or are still trying
   * after a while; the result says which of them failed. Rejects when one that was given cannot be started.
   */
  follow(config: MomConfig["adapters"]): Promise<string[]>;
  /** Nobody will speak in this chat again. */
  forgetChat(channel: ChannelRef): Promise<void>;
  stop(): Promise<void>;
}

interface AdapterSetDeps {
  chats: ChatBook;
  depsOf(name: string, type: string): ChannelDeps;
  given: readonly GivenAdapter[];
  clock: Clock;
  log: Log;
  onMessage(origin: Origin, message: ChannelMessage): Promise<void>;
  onStop(origin: Origin, channelId: string, senderId: string): Promise<void>;
  onStarted(): void;
}

interface Entry {
  name: string;
  config: ChannelConfig | undefined;
  channel: Pick<OpenChannel, "adapter" | "rules"> & Partial<OpenChannel>;
  /** What is known of its chats from earlier lives. */
  chats: Map<string, ChannelInfo>;
  /** Why it could not be started. */
  failure?: Pick<AdapterHealth, "detail" | "fix">;
}

/** A platform that takes longer to answer goes on connecting beside the others. */
const startWithinMs = 5000;

export function createAdapterSet(deps: AdapterSetDeps): AdapterSet {
  const { chats, depsOf, given, clock, log, onMessage, onStop, onStarted } = deps;
  const entries = new Map<string, Entry>();
  const started = new Map<string, PlatformAdapter>();
  /** Configured, and not even to be made: by name, as they are shown. */
  const unmade = new Map<string, { config: ChannelConfig; health: AdapterHealth }>();

  const originOf = (name: string, channelId: string): Origin | undefined => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const { adapter, rules } = entry.channel;
    const info = adapter.getChannelInfo(channelId) ?? entry.chats.get(channelId);
    const { parentId, window } = info ?? {};
    const isTopic = parentId !== undefined && channelId.startsWith(`${parentId}/`);
    return {
      adapter: name,
      adapterType: adapter.type,
      chat: info?.type ?? "unknown",
      ...(parentId !== undefined && { parentId }),
      ...(isTopic && { topicId: channelId.slice(parentId.length + 1) }),
      ...(window && { window }),
      rules,
      render: adapter.render,
    };
  };
  /** So that a reminder finds its way after a restart, before anybody has spoken there again. */
  const noteChat = async ({ name, channel, chats: known }: Entry, channelId: string) => {
    const info = channel.adapter.getChannelInfo(channelId);
    if (!info || isDeepStrictEqual(known.get(channelId), info)) return;
    await chats.save(name, info);
    known.set(channelId, info);
  };
  const wire = (entry: Entry) => {
    const { name, channel } = entry;
    const { adapter } = channel;
    adapter.onMessage(async (message) => {
      const from = originOf(name, message.channelId);
      // Taken out of the config: whoever takes the message must be the next one of that name.
      if (!from) throw new ChannelError("CHANNEL_NOT_WIRED", `The adapter "${name}" is not there any more.`);
      try {
        await noteChat(entry, message.channelId);
        await onMessage(from, message);
      } catch (error) {
        const text = "A message could not be stored; the platform keeps it and will offer it again";
        log.error(text, { adapter: name, error });
        throw error;
      }
    });
    adapter.onStop(async (channelId, senderId) => {
      const from = originOf(name, channelId);
      if (from) await onStop(from, channelId, senderId);
    });
  };
  const launch = async (entry: Entry): Promise<undefined> => {
    const { name, channel } = entry;
    const { adapter } = channel;
    entries.set(name, entry);
    wire(entry);
    try {
      await adapter.start();
    } catch (error) {
      await adapter.stop().catch(() => undefined);
      entry.failure = toFailure(error);
      throw error;
    }
    // Taken out of the config while it was connecting.
    if (entries.get(name) !== entry) return undefined;
    started.set(name, adapter);
    log.info("A channel is up", { adapter: name });
    onStarted();
    return undefined;
  };
  /** Resolves with why it failed. Never rejects. */
  const open = async (name: string, config: ChannelConfig): Promise<string | undefined> => {
    const fail = (error: unknown) => {
      log.error("A channel cannot be had; the others go on", { adapter: name, error });
      return `${name}: ${errorText(error)}`;
    };
    try {
      const channel = await openChannel(name, config, depsOf(name, config.type));
      const entry = { name, config, channel, chats: await chats.load(name) };
      const launched: Promise<string | undefined> = launch(entry).catch(fail);
      return await within(clock, startWithinMs, launched, () => {
        const { detail } = channel.adapter.health();
        log.warn("A channel is not connected yet and goes on trying", { adapter: name, detail });
        return undefined;
      });
    } catch (error) {
      unmade.set(name, { config, health: { state: "failed", reconnects: 0, ...toFailure(error) } });
      return fail(error);
    }
  };
  const end = async (name: string) => {
    const adapter = entries.get(name)?.channel.adapter;
    started.delete(name);
    entries.delete(name);
    await adapter?.stop();
    log.info("A channel is down", { adapter: name });
  };
  const accountsOf = (type: string) => new Map([...started].filter(([, adapter]) => adapter.type === type));

  return {
    started,
    originOf,
    typeOf: (name) => entries.get(name)?.channel.adapter.type ?? "unknown",
    adminsOf: (name) => entries.get(name)?.channel.rules.admins ?? [],
    capabilitiesOf(name) {
      const { maxUploadBytes = 0, ...can } = entries.get(name)?.channel.adapter.capabilities ?? {};
      const names = Object.entries(can).flatMap(([key, value]) => (value === true && key !== "isPassing" ? [key] : []));
      return maxUploadBytes > 0 ? [...names, "files"] : names;
    },
    toolNamesOf: (name) => entries.get(name)?.channel.toolNames ?? [],
    toolsOf(scope, settings) {
      const { name, channel } = entries.get(scope.channel.adapter) ?? {};
      if (name === undefined || !started.has(name)) return [];
      return channel?.tools?.(scope, accountsOf(channel.adapter.type), settings) ?? [];
    },
    health() {
      const found = [...entries].map(([name, { channel, failure }]): [string, AdapterHealth] => {
        const health = channel.adapter.health();
        return [name, failure ? { ...health, ...failure, state: "failed" } : health];
      });
      return new Map([...found, ...[...unmade].map(([name, { health }]): [string, AdapterHealth] => [name, health])]);
    },
    async follow(config) {
      const isGiven = (name: string) => given.some(({ adapter }) => adapter.name === name);
      for (const [name, entry] of entries) {
        if (!isGiven(name) && !isDeepStrictEqual(config[name], entry.config)) await end(name);
      }
      for (const [name, entry] of unmade) {
        if (!isDeepStrictEqual(config[name], entry.config)) unmade.delete(name);
      }
      const missing = given.filter(({ adapter }) => !entries.has(adapter.name));
      const begun = missing.map(({ adapter, rules }) =>
        launch({ name: adapter.name, config: undefined, channel: { adapter, rules }, chats: new Map() }),
      );
      const opened = Object.entries(config)
        .filter(([name, each]) => !entries.has(name) && !unmade.has(name) && isEnabled(each))
        .map(([name, each]) => open(name, each));
      const failures = await Promise.all([...begun, ...opened]);
      return failures.filter((failure) => failure !== undefined);
    },
    async forgetChat({ adapter, channelId }) {
      entries.get(adapter)?.chats.delete(channelId);
      await chats.forget(adapter, channelId);
    },
    async stop() {
      await Promise.all([...entries.keys()].map(end));
    },
  };
}

const isEnabled = (config: ChannelConfig) => !("enabled" in config) || config.enabled !== false;

function toFailure(error: unknown): Pick<AdapterHealth, "detail" | "fix"> {
  const fix = error instanceof MomError ? error.hint : undefined;
  return { detail: errorText(error), ...(fix !== undefined && { fix }) };
}
