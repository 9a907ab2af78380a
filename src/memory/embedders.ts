/**
 * The embedder in use, following the configuration. One that is replaced stays until the vectors of its successor are complete:
 * questions must be asked in the language of the vectors that answer them.
 */
import { errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Embedder } from "../contracts/memory.ts";
import type { MemoryConfig } from "./config.ts";

/** `reason`: for people, why there is none. */
export type EmbedderOrNot = { type: "ready"; embedder: Embedder } | { type: "none"; reason: string };

export interface Embedders {
  /** Never rejects. */
  current(): Promise<EmbedderOrNot>;
  /** For a question to an index whose vectors of `settled` are complete. Never rejects. */
  forQuestion(settled: string | undefined): Promise<EmbedderOrNot>;
  /** Every index has vectors of this one: the one before is ended. */
  release(settled: string): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddersDeps {
  clock: Clock;
  log: Log;
  create(settings: MemoryConfig["embedder"]): Promise<Embedder | { unavailable: string }>;
  settings(): MemoryConfig["embedder"];
}

/** One that could not be had may be there later: a package was installed, a server was started. */
const tryAgainMs = 60_000;

export function createEmbedders({ clock, log, create, settings }: EmbeddersDeps): Embedders {
  let made: { key: string; at: number; result: Promise<EmbedderOrNot> } | undefined;
  let previous: Embedder | undefined;

  const make = async (wanted: MemoryConfig["embedder"]): Promise<EmbedderOrNot> => {
    try {
      const created = await create(wanted);
      return "unavailable" in created
        ? { type: "none", reason: created.unavailable }
        : { type: "ready", embedder: created };
    } catch (error) {
      log.warn("No embedder can be had; memory is searched by text alone.", { error });
      return { type: "none", reason: errorText(error) };
    }
  };
  const end = async (embedder: Embedder | undefined) => {
    await embedder?.close().catch((error: unknown) => log.warn("An embedder could not be ended.", { error }));
  };
  const retire = async (result: Promise<EmbedderOrNot>) => {
    const old = await result;
    if (old.type !== "ready") return;
    await end(previous);
    previous = old.embedder;
  };
  const current = async (): Promise<EmbedderOrNot> => {
    const wanted = settings();
    const key = JSON.stringify(wanted);
    const isSame = made?.key === key;
    if (made && isSame) {
      const result = await made.result;
      if (result.type === "ready" || clock.now() - made.at < tryAgainMs) return result;
    } else if (made) void retire(made.result);
    made = { key, at: clock.now(), result: make(wanted) };
    return made.result;
  };
  return {
    current,
    async forQuestion(settled) {
      const now = await current();
      const isOld = previous !== undefined && previous.id === settled;
      const isNew = now.type === "ready" && now.embedder.id === settled;
      return previous && isOld && !isNew && now.type === "ready" ? { type: "ready", embedder: previous } : now;
    },
    async release(settled) {
      const now = await made?.result;
      if (now?.type !== "ready" || now.embedder.id !== settled) return;
      const old = previous;
      previous = undefined;
      await end(old);
    },
    async close() {
      const now = await made?.result;
      made = undefined;
      const old = previous;
      previous = undefined;
      await Promise.all([end(old), end(now?.type === "ready" ? now.embedder : undefined)]);
    },
  };
}
