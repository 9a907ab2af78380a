/**
 * Where the text of a conversation came from. Text from outside stays in the context, and in what is made of it, as long as
 * the session's life lasts, so it is noted per life; what is noted is taken back only when that life is gone.
 */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { SessionId } from "../../contracts/ids.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { KeyValue } from "../../contracts/store.ts";
import { shortenLine } from "../kit/truncate.ts";

export interface Taint {
  /** Text from `source` came into this life of a session. Durable when it resolves. */
  noteOutside(sessionId: SessionId, source: string): Promise<void>;
  /** The sources, for people; undefined: all of it came from its owner. */
  taintOf(session: Pick<SessionEntry, "sessionId" | "type">, isAdminAsker: boolean): Promise<string | undefined>;
  /** A life that begins with the text of another one has its sources. */
  copyTaint(from: SessionId, to: SessionId): Promise<void>;
  /** That life is gone, with all its text. */
  forgetOutside(sessionId: SessionId): Promise<void>;
}

const scope = "outside";
const mostSources = 5;
const maxSourceLength = 200;

export function createTaint({ kv }: { kv: KeyValue }): Taint {
  const queue = createKeyedQueue();
  const read = async (sessionId: SessionId) => parseSources(await kv.get(scope, sessionId));
  const add = (sessionId: SessionId, sources: readonly string[]) =>
    queue.run(sessionId, async () => {
      const known = await read(sessionId);
      const all = [...new Set([...known, ...sources])].slice(0, mostSources);
      if (all.length > known.length) await kv.set(scope, sessionId, all);
    });
  return {
    noteOutside: (sessionId, source) =>
      add(sessionId, [shortenLine(source.replace(/\s+/g, " ").trim(), maxSourceLength) || "unknown"]),
    async taintOf({ sessionId, type }, isAdminAsker) {
      if (type === "dm" || type === "group" || type === "topic") return "people who talk here are no owners";
      if (!isAdminAsker) return "the one who asked is no admin";
      const sources = await read(sessionId);
      return sources.length === 0 ? undefined : sources.join(", ");
    },
    async copyTaint(from, to) {
      const sources = await read(from);
      if (sources.length > 0) await add(to, sources);
    },
    forgetOutside: (sessionId) => queue.run(sessionId, () => kv.delete(scope, sessionId)),
  };
}

/** What cannot be read is no proof of innocence. */
function parseSources(value: unknown): string[] {
  if (value === undefined) return [];
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
  return isList ? value : ["unknown"];
}
