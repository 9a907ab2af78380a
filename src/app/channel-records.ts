/** What adapters leave in the store: what they keep for themselves, and how they are, for `mom channels status`. */
import { isDeepStrictEqual } from "node:util";
import type { ChannelDeps } from "../channels/index.ts";
import type { AdapterHealth } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelInfo } from "../contracts/message.ts";
import type { KeyValue } from "../contracts/store.ts";

/** Where an adapter's own memory lies; `mom channels logout` empties it. */
const memoryScope = (adapterName: string) => `channel:${adapterName}`;
const healthScope = "channel-health";
const lookEveryMs = 5000;
/** Of one that was taken out of the config. */
const gone: AdapterHealth = { state: "stopped", reconnects: 0 };

export function buildChannelMemory(kv: KeyValue, adapterName: string): ChannelDeps["memory"] {
  const scope = memoryScope(adapterName);
  return {
    get: (key) => kv.get(scope, key),
    set: (key, value) => kv.set(scope, key, value),
    delete: (key) => kv.delete(scope, key),
  };
}

/** The chats that adapters have told of: a platform describes one only when something happens there. */
export interface ChatBook {
  load(adapterName: string): Promise<Map<string, ChannelInfo>>;
  save(adapterName: string, info: ChannelInfo): Promise<void>;
  forget(adapterName: string, channelId: string): Promise<void>;
}

export function createChatBook(kv: KeyValue): ChatBook {
  const scopeOf = (adapterName: string) => `chats:${adapterName}`;
  return {
    // Only written below.
    load: async (name) => (await kv.list(scopeOf(name))) as Map<string, ChannelInfo>,
    save: (name, info) => kv.set(scopeOf(name), info.id, info),
    forget: (name, channelId) => kv.delete(scopeOf(name), channelId),
  };
}

interface HealthBookDeps {
  kv: KeyValue;
  clock: Clock;
  log: Log;
  health(): Map<string, AdapterHealth>;
  /** Something has changed, and is written down. */
  onChanged(): void;
}

/** Writes down how the adapters are whenever that has changed: nothing while nothing happens. */
export function createHealthBook({ kv, clock, log, health, onChanged }: HealthBookDeps): {
  start(): void;
  stop(): void;
} {
  const written = new Map<string, AdapterHealth>();
  let cancel = () => {};
  const look = async () => {
    const present = health();
    for (const name of written.keys()) if (!present.has(name)) present.set(name, gone);
    const changed = [...present].filter(([name, now]) => !isDeepStrictEqual(written.get(name), now));
    for (const [name, now] of changed) {
      written.set(name, now);
      await kv.set(healthScope, name, { ...now, at: clock.now() });
    }
    if (changed.length > 0) onChanged();
  };
  const run = () => {
    look().catch((error: unknown) => log.warn("The health of the channels could not be written down", { error }));
    cancel = clock.after(lookEveryMs, run);
  };
  return { start: run, stop: () => cancel() };
}
