/**
 * `context.jsonl`: transcripts in the coding-agent format, one file per life of a session. Entries are chained and written
 * here, after their rows; reading goes from the end and changes nothing. Which file is whose: `life-files`.
 */
import { createHash } from "node:crypto";
import { sep } from "node:path";
import { StoreError } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { EntryId, SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionEntry, SessionRoute } from "../contracts/session.ts";
import type { SessionLife, Transcripts } from "../contracts/store.ts";
import type { TranscriptEntry, TranscriptHeader } from "../contracts/transcript.ts";
import type { NewStep } from "../contracts/turn.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";
import { createLifeFiles, toOwner } from "./life-files.ts";
import { type Grounds, openToRead as openFileToRead } from "./open-regular.ts";
import { addLines, buildPathEnd, type KeepLimits, type PathEnd, weigh } from "./path-end.ts";
import { readContext, walkBack } from "./read-context.ts";
import type { SessionRows } from "./sessions.ts";
import { isEntry, parseHeader } from "./transcript-lines.ts";

/** Entries that belong together, and where they go on from; absent: from the leaf. */
export type Chain = Pick<NewStep, "entries" | "parentId">;

export interface TranscriptFiles extends Transcripts {
  /** Chains the entries and writes them; on disk when it resolves. */
  append(route: SessionRoute, chain: Chain): Promise<void>;
  /** Writes those of the entries that are not there yet. They are the newest the session has. */
  ensure(route: SessionRoute, chains: readonly Chain[]): Promise<void>;
  /** Throws `ENTRY_UNKNOWN` when the present life has no such entry. */
  ensureEntry(route: SessionRoute, id: EntryId): Promise<void>;
  /** Throws `LIFE_UNKNOWN` when the session has no such life. */
  ensureLife(key: SessionKey, id: SessionId): Promise<void>;
  /** Removes every transcript of a session whose row is gone, before anything that is asked for later. */
  forget(session: SessionEntry): Promise<void>;
  /** Runs `work` while nobody reads or writes transcripts in the chat's folder; what is known of them is forgotten. */
  exclusively(channel: ChannelRef, work: () => Promise<void>): Promise<void>;
}

interface TranscriptDeps {
  files: JsonlFiles;
  layout: Layout;
  grounds: Grounds;
  clock: Clock;
  sessions: Pick<SessionRows, "ensure" | "find" | "nameLife" | "nameOfLife">;
}

/** What is kept in memory of one session, and of all together. */
export interface TranscriptLimits extends KeepLimits {
  allBytes: number;
}

/** What is known of a file without reading it again. */
interface OpenTranscript {
  path: string;
  sessionId: string;
  /** The file lies in its place and may be written to. */
  isSettled: boolean;
  leaf: EntryId | null;
  /** The last entries, while they are small enough to keep. */
  recent: PathEnd | undefined;
  /** Its last entries are too much to keep. */
  isBig: boolean;
}

const mostOpen = 64;
/** As many entries as the agent asks for, so that a long context is not read again at every turn. */
const usualLimits: TranscriptLimits = {
  entries: 2000,
  textBytes: 2 * 1024 * 1024,
  pictureBytes: 24 * 1024 * 1024,
  allBytes: 64 * 1024 * 1024,
};
/** Another turn beside this one may have written so many lines since. */
const linesBetween = 64;
/** More than that is not read at once, whoever has written it. */
const mostWholeBytes = 256 * 1024 * 1024;

export function createTranscripts(
  { files, layout, grounds, clock, sessions }: TranscriptDeps,
  limits: TranscriptLimits = usualLimits,
): TranscriptFiles {
  const queue = createKeyedQueue();
  const lifeFiles = createLifeFiles({ files, layout, grounds });
  const opened = new Map<SessionKey, OpenTranscript>();

  const remember = (key: SessionKey, transcript: OpenTranscript) => {
    opened.delete(key);
    opened.set(key, transcript);
    const oldest = opened.keys().next().value;
    if (opened.size > mostOpen && oldest !== undefined) opened.delete(oldest);
    return transcript;
  };
  /** Of all sessions together only so much is kept: those that have rested longest are read again when they speak. */
  const keepRecent = (transcript: OpenTranscript, recent: PathEnd | undefined) => {
    transcript.recent = recent;
    let bytes = 0;
    for (const each of [...opened.values()].reverse()) {
      if (each.recent) bytes += each.recent.textBytes + each.recent.pictureBytes;
      if (bytes > limits.allBytes) each.recent = undefined;
    }
  };
  const findOpen = ({ sessionKey, sessionId }: SessionEntry) => {
    const known = opened.get(sessionKey);
    return known?.sessionId === sessionId ? remember(sessionKey, known) : undefined;
  };
  const build = async (session: SessionEntry, path: string, isSettled: boolean): Promise<OpenTranscript> => {
    const { sessionKey, sessionId } = session;
    const leaf = await readLeaf(files, path);
    return remember(sessionKey, { path, sessionId, isSettled, leaf, recent: undefined, isBig: false });
  };

  /** For reading: the present life's file, wherever it still lies; undefined when it has none yet. */
  const openToRead = async (session: SessionEntry): Promise<OpenTranscript | undefined> => {
    const known = findOpen(session);
    if (known) return known;
    const file = await lifeFiles.find(session, session.sessionId);
    return file && build(session, file.path, false);
  };
  /** For writing: in its place, begun if new. */
  const openToWrite = async (session: SessionEntry): Promise<OpenTranscript> => {
    const known = findOpen(session);
    if (known?.isSettled) return known;
    const { path, isNew } = await lifeFiles.settle(session);
    // Whatever else was known to lie there is now beside it.
    for (const [key, { path: taken }] of opened) if (taken === path && key !== session.sessionKey) opened.delete(key);
    if (known && !isNew) return Object.assign(known, { path, isSettled: true });
    if (!isNew) return build(session, path, true);
    await files.append(path, [buildHeader(session, layout.workspaceDir, clock.now())]);
    const recent = buildPathEnd([], false);
    const { sessionKey, sessionId } = session;
    return remember(sessionKey, { path, sessionId, isSettled: true, leaf: null, recent, isBig: false });
  };

  const write = async (session: SessionEntry, transcript: OpenTranscript, { entries, parentId }: Chain) => {
    const start = parentId === undefined ? transcript.leaf : parentId;
    let last = start;
    const chained = entries.map((entry): TranscriptEntry => {
      const { type, id, timestamp, ...rest } = entry;
      const line = { type, id, parentId: last, timestamp, ...rest } as TranscriptEntry;
      last = id;
      return line;
    });
    let lengths: number[];
    try {
      const header = buildHeader(session, layout.workspaceDir, clock.now());
      lengths = await files.append(transcript.path, chained, header);
    } catch (error) {
      opened.delete(session.sessionKey);
      throw error;
    }
    const isOnPath = start === transcript.leaf;
    const isShortened = chained.some(({ type }) => type === "compaction");
    transcript.leaf = last;
    const lines = chained.map((entry, n) => weigh(entry, lengths[n] ?? 0));
    keepRecent(transcript, isOnPath && transcript.recent ? addLines(transcript.recent, lines, limits) : undefined);
    if (!isOnPath || isShortened) transcript.isBig = false;
  };
  /** Files of one channel's folder one after the other: sessions there may change places. */
  const inFolder = <T>(session: SessionEntry, work: () => Promise<T>) =>
    queue.run(layout.channelDir(session.channel), work);

  const readKept = async (transcript: OpenTranscript, maxEntries: number) => {
    const known = transcript.recent;
    if (known && (!known.cut || known.lines.length >= maxEntries)) return takeNewest(known, maxEntries);
    const wanted = transcript.isBig ? maxEntries : Math.max(maxEntries, limits.entries);
    const read = await readContext(files, transcript.path, wanted);
    const kept = addLines(buildPathEnd([], read.cut), read.lines, limits);
    transcript.isBig = kept === undefined;
    keepRecent(transcript, kept);
    return takeNewest(read, maxEntries);
  };

  const copyLife = async (session: SessionEntry, upTo: EntryId, id: SessionId) => {
    const transcript = await openToRead(session);
    if (!transcript) throw entryUnknown(session.sessionKey, upTo);
    await ensureReadable(grounds.root, transcript.path);
    const path: TranscriptEntry[] = [];
    for await (const { entry } of walkBack(files, transcript.path, upTo)) path.push(entry);
    const root = path.at(-1);
    if (!root) throw entryUnknown(session.sessionKey, upTo);
    path.reverse();
    // The parent of the first one may have been lost with a bad line; a copy has no use for it.
    path[0] = { ...root, parentId: null };
    const name = path.findLast((entry) => entry.type === "session_info");
    if (name?.type === "session_info") sessions.nameLife(session.sessionKey, id, name.name);
    const header: TranscriptHeader = {
      ...buildHeader({ ...session, sessionId: id }, layout.workspaceDir, clock.now()),
      parentSession: session.sessionId,
    };
    await lifeFiles.create(session, id, [header, ...path]);
  };

  const forgetBelow = (dir: string) => {
    for (const [key, { path }] of opened) if (path.startsWith(dir + sep)) opened.delete(key);
  };

  return {
    forget: (session) =>
      inFolder(session, async () => {
        opened.delete(session.sessionKey);
        await lifeFiles.remove(session);
      }),
    exclusively: (channel, work) =>
      queue.run(layout.channelDir(channel), async () => {
        forgetBelow(layout.channelDir(channel));
        await work();
      }),
    append(route, chain) {
      const session = sessions.ensure(route);
      return inFolder(session, async () => write(session, await openToWrite(session), chain));
    },
    async ensure(route, chains) {
      const ids = chains.flatMap(({ entries }) => entries.map(({ id }) => id));
      if (ids.length === 0) return;
      const session = sessions.ensure(route);
      await inFolder(session, async () => {
        const transcript = await openToWrite(session);
        const present = await readLastIds(files, transcript.path, ids.length + linesBetween);
        for (const { entries, parentId } of chains) {
          const missing = entries.filter(({ id }) => !present.has(id));
          // Where its first entries have arrived, the rest goes on behind them.
          const isWhole = missing.length === entries.length && parentId !== undefined;
          if (missing.length > 0) await write(session, transcript, { entries: missing, ...(isWhole && { parentId }) });
        }
      });
    },
    ensureEntry(route, id) {
      const session = sessions.ensure(route);
      return inFolder(session, async () => {
        const transcript = await openToRead(session);
        if (transcript?.recent?.lines.some(({ entry }) => entry.id === id)) return;
        if (transcript) for await (const _ of walkBack(files, transcript.path, id)) return;
        throw entryUnknown(session.sessionKey, id);
      });
    },
    async ensureLife(key, id) {
      const session = sessions.find(key);
      if (!session || session.sessionId === id) return;
      if (await inFolder(session, () => lifeFiles.name(session, id))) return;
      throw new StoreError("LIFE_UNKNOWN", `The session ${key} has no earlier conversation ${id}`, {
        hint: "`/resume` without a name lists the ones there are.",
      });
    },
    async context(key, maxEntries) {
      const session = sessions.find(key);
      if (!session) return { entries: [], cut: false };
      return inFolder(session, async () => {
        const transcript = await openToRead(session);
        return transcript ? readKept(transcript, maxEntries) : { entries: [], cut: false };
      });
    },
    async whole(key) {
      const session = sessions.find(key);
      if (!session) return undefined;
      return inFolder(session, async () => {
        const transcript = await openToRead(session);
        return transcript && readWhole(files, grounds.root, transcript.path, session);
      });
    },
    async path(key) {
      const session = sessions.find(key);
      return session && inFolder(session, async () => (await openToRead(session))?.path);
    },
    async lives(key) {
      const session = sessions.find(key);
      if (!session) return [];
      const lives = await inFolder(session, () => lifeFiles.list(session));
      return lives.map(({ isNameSure, ...life }): SessionLife => {
        const name = isNameSure ? undefined : sessions.nameOfLife(key, life.sessionId);
        return name === undefined ? life : { ...life, name };
      });
    },
    async fork(key, upTo, by) {
      const session = sessions.find(key);
      if (!session) throw entryUnknown(key, upTo);
      const id = toForkId(key, by);
      return inFolder(session, async () => {
        const isThere = session.sessionId === id || (await lifeFiles.find(session, id)) !== undefined;
        if (!isThere) await copyLife(session, upTo, id);
        return id;
      });
    },
  };
}

function entryUnknown(key: SessionKey, id: EntryId): StoreError {
  return new StoreError("ENTRY_UNKNOWN", `The present conversation of ${key} has no entry ${id}`, {
    hint: "`/tree` shows the entries there are.",
  });
}

/** The same command makes the same life, however often it is resumed. In the shape of the others. */
function toForkId(key: SessionKey, by: TurnId): SessionId {
  const hash = createHash("sha256")
    .update(JSON.stringify(["fork", key, by]))
    .digest("hex");
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") as SessionId;
}

function buildHeader(session: SessionEntry, cwd: string, nowMs: number): TranscriptHeader {
  const timestamp = new Date(nowMs).toISOString();
  return { type: "session", version: 3, id: session.sessionId, timestamp, cwd, ...toOwner(session) };
}

async function readLeaf(files: JsonlFiles, path: string): Promise<EntryId | null> {
  for await (const { entry } of walkBack(files, path)) return entry.id;
  return null;
}

/** Of the last lines, on whatever branch they are. */
async function readLastIds(files: JsonlFiles, path: string, maxLines: number): Promise<Set<EntryId>> {
  const ids = new Set<EntryId>();
  let lines = 0;
  for await (const { value } of files.backwards(path)) {
    if (lines++ >= maxLines) break;
    if (isEntry(value)) ids.add(value.id);
  }
  return ids;
}

async function ensureReadable(root: string, path: string): Promise<void> {
  const file = await openFileToRead(root, path);
  const size = await file?.stat().then(
    (info) => info.size,
    () => 0,
  );
  await file?.close();
  if (size === undefined || size <= mostWholeBytes) return;
  throw new StoreError("TRANSCRIPT_TOO_LARGE", `${path} has ${size} bytes, too many to be read as a whole`, {
    hint: "Begin a new conversation with /new; the old file stays where it is.",
  });
}

async function readWhole(files: JsonlFiles, root: string, path: string, session: SessionEntry) {
  await ensureReadable(root, path);
  // A file that another program has begun may lack what ours say of themselves.
  let header = buildHeader(session, root, session.createdAt);
  const entries: TranscriptEntry[] = [];
  for await (const value of files.forwards(path)) {
    const found = entries.length === 0 ? parseHeader(value) : undefined;
    if (found) header = toHeader(found.line, header);
    else if (isEntry(value)) entries.push(value);
  }
  return { path, header, entries, leaf: entries.at(-1)?.id ?? null };
}

function toHeader(line: Record<string, unknown>, usual: TranscriptHeader): TranscriptHeader {
  const { timestamp, cwd, parentSession } = line;
  return {
    ...usual,
    ...(typeof timestamp === "string" && { timestamp }),
    ...(typeof cwd === "string" && { cwd }),
    ...(typeof parentSession === "string" && { parentSession }),
  };
}

function takeNewest({ lines, cut }: PathEnd, maxEntries: number): { entries: TranscriptEntry[]; cut: boolean } {
  const first = Math.max(0, lines.length - maxEntries);
  return { entries: lines.slice(first).map(({ entry }) => entry), cut: cut || first > 0 };
}
