/** The adapters that run: made from the config, started, and exchanged one by one when the config changes. */
import { isDeepStrictEqual } from "node:util";
import { type ChannelDeps, channelCatalog } from "../channels/index.ts";
import type { AccessRules, PlatformAdapter } from "../contracts/channel.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Origin } from "../inbound/index.ts";
import type { MomConfig } from "./config-schema.ts";

/** An adapter that did not come from the catalogue: the app was given it by its caller. */
export interface GivenAdapter {
  adapter: PlatformAdapter;
  rules: AccessRules;
}

export interface AdapterSet {
  /** Started ones, by name. */
  readonly started: ReadonlyMap<string, PlatformAdapter>;
  /** What inbound must know of a chat; undefined when no such adapter runs. */
  originOf(adapterName: string, channelId: string): Origin | undefined;
  typeOf(adapterName: string): string;
  /** Immutable ids; empty when no such adapter runs. */
  adminsOf(adapterName: string): readonly string[];
  /** Names of what the channel can do. */
  capabilitiesOf(adapterName: string): readonly string[];
  /** Stops what is gone or changed, starts what is new. Throws when one cannot be started; the others stay as they are. */
  follow(config: MomConfig["adapters"]): Promise<void>;
  stop(): Promise<void>;
}

interface AdapterSetDeps {
  channelDeps: ChannelDeps;
  given: readonly GivenAdapter[];
  log: Log;
  onMessage(origin: Origin, message: ChannelMessage): Promise<void>;
  onStop(origin: Origin, channelId: string, senderId: string): Promise<void>;
  onStarted(): void;
}

type AdapterConfig = MomConfig["adapters"][string];

interface Entry {
  adapter: PlatformAdapter;
  rules: AccessRules;
  config: AdapterConfig | undefined;
}

export function createAdapterSet(deps: AdapterSetDeps): AdapterSet {
  const { channelDeps, given, log, onMessage, onStop, onStarted } = deps;
  const entries = new Map<string, Entry>();
  const started = new Map<string, PlatformAdapter>();

  const originOf = (name: string, channelId: string): Origin | undefined => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const { adapter, rules } = entry;
    // A chat that the platform has not described is treated as a group: fewer rights.
    return {
      adapter: name,
      adapterType: adapter.type,
      chat: adapter.getChannelInfo(channelId)?.type ?? "group",
      rules,
    };
  };
  const launch = async (entry: Entry) => {
    const { adapter } = entry;
    const origin = (channelId: string) => originOf(adapter.name, channelId);
    adapter.onMessage(async (message) => {
      const from = origin(message.channelId);
      if (!from) return;
      try {
        await onMessage(from, message);
      } catch (error) {
        log.error("A message could not be stored; the platform keeps it and will offer it again", {
          adapter: adapter.name,
          error,
        });
        throw error;
      }
    });
    adapter.onStop(async (channelId, senderId) => {
      const from = origin(channelId);
      if (from) await onStop(from, channelId, senderId);
    });
    entries.set(adapter.name, entry);
    try {
      await adapter.start();
    } catch (error) {
      entries.delete(adapter.name);
      await adapter.stop().catch(() => undefined);
      throw error;
    }
    started.set(adapter.name, adapter);
    log.info("A channel is up", { adapter: adapter.name });
    onStarted();
  };
  const end = async (name: string) => {
    const adapter = entries.get(name)?.adapter;
    started.delete(name);
    entries.delete(name);
    await adapter?.stop();
    log.info("A channel is down", { adapter: name });
  };

  return {
    started,
    originOf,
    typeOf: (name) => entries.get(name)?.adapter.type ?? "unknown",
    adminsOf: (name) => entries.get(name)?.rules.admins ?? [],
    capabilitiesOf(name) {
      const { maxUploadBytes = 0, ...can } = entries.get(name)?.adapter.capabilities ?? {};
      const names = Object.entries(can).flatMap(([key, value]) => (value === true && key !== "isPassing" ? [key] : []));
      return maxUploadBytes > 0 ? [...names, "files"] : names;
    },
    async follow(config) {
      const isGiven = (name: string) => given.some(({ adapter }) => adapter.name === name);
      for (const [name, entry] of entries) {
        if (!isGiven(name) && !isDeepStrictEqual(config[name], entry.config)) await end(name);
      }
      for (const { adapter, rules } of given) {
        if (!entries.has(adapter.name)) await launch({ adapter, rules, config: undefined });
      }
      for (const [name, adapterConfig] of Object.entries(config)) {
        if (entries.has(name)) continue;
        const definition = await channelCatalog[adapterConfig.type].load();
        const adapter = definition.createAdapter(name, adapterConfig, channelDeps);
        await launch({ adapter, rules: definition.rulesOf(adapterConfig), config: adapterConfig });
      }
    },
    async stop() {
      await Promise.all([...entries.keys()].map(end));
    },
  };
}
