/** Sticker sets that people used where mom is: Telegram lets nobody search, so these are the ones that she can choose from. */
import type { Sticker, StickerSet } from "grammy/types";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import type { TelegramClient } from "./client.ts";
import { attempt } from "./text-calls.ts";

export interface Stickers {
  load(): Promise<void>;
  /** Somebody sent this one. */
  notice(sticker: Sticker): Promise<void>;
  /** The file id of one that fits: by its emoji, else by the name of its set. Undefined: none does. */
  find(query: string): Promise<string | undefined>;
}

const memoryKey = "sticker-sets";
const mostSets = 50;

export interface StickersDeps {
  client: TelegramClient;
  memory: ChannelMemory;
  log: Log;
}

export function createStickers({ client, memory, log }: StickersDeps): Stickers {
  /** By name, seen first first; the set itself once it was asked for. */
  const sets = new Map<string, StickerSet | undefined>();

  async function loadSet(name: string): Promise<StickerSet | undefined> {
    const known = sets.get(name);
    if (known) return known;
    const result = await attempt(() => client.api.getStickerSet({ name }));
    if (result.type === "failed") return undefined;
    sets.set(name, result.value);
    return result.value;
  }
  return {
    async load() {
      const kept = await memory.get(memoryKey);
      for (const name of Array.isArray(kept) ? kept : []) if (typeof name === "string") sets.set(name, undefined);
    },
    async notice({ set_name: name }) {
      if (name === undefined || sets.has(name)) return;
      const [oldest] = sets.keys();
      if (sets.size >= mostSets && oldest !== undefined) sets.delete(oldest);
      sets.set(name, undefined);
      await memory.set(memoryKey, [...sets.keys()]).catch((error: unknown) => {
        log.warn("A sticker set could not be remembered", { set: name, error });
      });
    },
    async find(query) {
      const wanted = fold(query);
      const loaded = await Promise.all([...sets.keys()].reverse().map(loadSet));
      const known = loaded.filter((set) => set !== undefined);
      const byEmoji = known
        .flatMap(({ stickers }) => stickers)
        .find(({ emoji = "" }) => wanted !== "" && fold(emoji) === wanted);
      const byName = known.find(({ name, title }) => wanted !== "" && `${fold(name)} ${fold(title)}`.includes(wanted));
      return (byEmoji ?? byName?.stickers[0])?.file_id;
    },
  };
}

/** Emoji come with and without the sign that makes them colourful. */
const fold = (text: string): string => text.replaceAll("\ufe0f", "").trim().toLowerCase();
