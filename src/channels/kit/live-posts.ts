/**
 * The posts that show running turns, and which delivery each one became: kept in the adapter's memory, so that after a crash
 * the same post is edited again instead of a second one being made. For `turn-show.ts`.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";

export interface LivePost {
  channelId: string;
  messageId: string;
  /** The delivery that has taken it over. Absent: it still shows what goes on. */
  deliveryId?: DeliveryId;
  /** Milliseconds since the epoch: of the last change of this record. */
  at: number;
}

/** Nothing of it rejects: what could not be written is still known until the process ends. */
export interface LivePosts {
  load(): Promise<void>;
  get(turnId: TurnId): LivePost | undefined;
  /** Resolves when it is on disk. */
  put(turnId: TurnId, post: Omit<LivePost, "at">): Promise<void>;
  delete(turnId: TurnId): Promise<void>;
  hasDelivery(deliveryId: DeliveryId): boolean;
  entries(): [TurnId, LivePost][];
}

const memoryKey = "live-posts";
const keptMs = 3_600_000;
const mostPosts = 500;

export interface LivePostsDeps {
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
}

export function createLivePosts({ clock, log, memory }: LivePostsDeps): LivePosts {
  const posts = new Map<TurnId, LivePost>();
  let lastWrite = Promise.resolve();
  let nextWrite: Promise<void> | undefined;

  const write = async () => {
    // From here on changes need another write.
    nextWrite = undefined;
    try {
      await memory.set(memoryKey, [...posts]);
    } catch (error) {
      log.warn("Which posts show running turns could not be written down", { error });
    }
  };
  /** One write at a time; one that has not begun yet serves everybody. */
  const save = (): Promise<void> => {
    if (nextWrite) return nextWrite;
    lastWrite = lastWrite.then(write);
    nextWrite = lastWrite;
    return nextWrite;
  };
  const prune = () => {
    const oldest = clock.now() - keptMs;
    for (const [turnId, { deliveryId, at }] of posts) {
      if (posts.size > mostPosts || (deliveryId !== undefined && at < oldest)) posts.delete(turnId);
    }
  };

  return {
    async load() {
      const kept = await memory.get(memoryKey).catch((error: unknown) => {
        log.warn("Which posts showed running turns could not be read", { error });
      });
      for (const [turnId, post] of parsePosts(kept)) posts.set(turnId, post);
      prune();
    },
    get: (turnId) => posts.get(turnId),
    put(turnId, post) {
      posts.delete(turnId);
      posts.set(turnId, { ...post, at: clock.now() });
      prune();
      return save();
    },
    async delete(turnId) {
      if (posts.delete(turnId)) await save();
    },
    hasDelivery: (deliveryId) => [...posts.values()].some((post) => post.deliveryId === deliveryId),
    entries: () => [...posts],
  };
}

/** What is not as we write it is left out. */
function parsePosts(kept: unknown): [TurnId, LivePost][] {
  return Array.isArray(kept) ? kept.filter(isEntry) : [];
}

function isEntry(entry: unknown): entry is [TurnId, LivePost] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const post: Partial<Record<keyof LivePost, unknown>> = Object(entry[1]);
  const hasTexts = typeof post.channelId === "string" && typeof post.messageId === "string";
  return hasTexts && typeof post.at === "number" && ["string", "undefined"].includes(typeof post.deliveryId);
}
