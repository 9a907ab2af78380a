/**
 * `context.jsonl`: transcripts in the coding-agent format, one file per session, below the folder of the channel that
 * opened it. The file of the session's present life is `context.jsonl`; earlier lives are kept as `context-<session id>.jsonl`.
 */
import { access, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { EntryId, SessionKey } from "../contracts/ids.ts";
import type { SessionEntry, SessionRoute } from "../contracts/session.ts";
import type { Transcripts } from "../contracts/store.ts";
import type { TranscriptEntry, TranscriptHeader } from "../contracts/transcript.ts";
import type { NewEntry } from "../contracts/turn.ts";
import { encodeId } from "./encode-id.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";

export interface TranscriptFiles extends Transcripts {
  /** Chains the entries to the session's last one and writes them; on disk when it resolves. */
  append(route: SessionRoute, entries: readonly NewEntry[]): Promise<void>;
  /** Writes those of the entries that are not there yet. They are the newest the session has. */
  ensure(route: SessionRoute, entries: readonly NewEntry[]): Promise<void>;
}

interface TranscriptDeps {
  files: JsonlFiles;
  layout: Layout;
  clock: Clock;
  /** The session's row, made if new. */
  sessionOf(route: SessionRoute): SessionEntry;
  findSession(key: SessionKey): SessionEntry | undefined;
}

/** What is known of a file without reading it again. */
interface OpenTranscript {
  path: string;
  sessionId: string;
  leaf: EntryId | null;
  /** The last entries, while they are small enough to keep. `cut`: there are older ones. */
  recent: { entries: TranscriptEntry[]; cut: boolean; bytes: number } | undefined;
  /** Its last entries are too much to keep. */
  isBig: boolean;
}

interface FoundHeader {
  id: string;
  /** Absent in files that another program has begun. */
  sessionKey: string | undefined;
}

const mostOpen = 64;
const mostRecentEntries = 600;
const mostRecentBytes = 512 * 1024;

export function createTranscripts({ files, layout, clock, sessionOf, findSession }: TranscriptDeps): TranscriptFiles {
  const queue = createKeyedQueue();
  const opened = new Map<string, OpenTranscript>();

  const remember = (path: string, transcript: OpenTranscript) => {
    opened.delete(path);
    opened.set(path, transcript);
    const oldest = opened.keys().next().value;
    if (opened.size > mostOpen && oldest !== undefined) opened.delete(oldest);
    return transcript;
  };
  /**
   * The first session of a channel has its transcript right in the channel's folder; another that is opened there later
   * (the owner's beside the chat's own, a named one) gets a folder of its own.
   */
  const locate = async (session: SessionEntry): Promise<{ path: string; header: FoundHeader | undefined }> => {
    const channelDir = layout.channelDir(session.channel);
    const own = join(channelDir, "sessions", encodeId(session.sessionKey), "context.jsonl");
    const ownHeader = await readHeader(files, own);
    if (ownHeader) return { path: own, header: ownHeader };
    const path = join(channelDir, "context.jsonl");
    const header = await readHeader(files, path);
    const isOurs = header?.sessionKey === undefined || header.sessionKey === session.sessionKey;
    return isOurs ? { path, header } : { path: own, header: undefined };
  };

  /** Finds or begins the session's file; one that belongs to an earlier life is put beside it first. */
  const openFor = async (session: SessionEntry): Promise<OpenTranscript> => {
    const known = opened.get(session.sessionKey);
    if (known?.sessionId === session.sessionId) return remember(session.sessionKey, known);
    const { path, header } = await locate(session);
    if (header && header.id !== session.sessionId) await files.exclusively(path, () => archive(path, header.id));
    if (header?.id === session.sessionId) {
      const last = (await readPath(files, path, 1)).entries[0];
      const transcript = {
        path,
        sessionId: session.sessionId,
        leaf: last?.id ?? null,
        recent: undefined,
        isBig: false,
      };
      return remember(session.sessionKey, transcript);
    }
    await files.append(path, [buildHeader(session, layout.workspaceDir, clock.now())]);
    const recent = { entries: [], cut: false, bytes: 0 };
    return remember(session.sessionKey, { path, sessionId: session.sessionId, leaf: null, recent, isBig: false });
  };
  const write = async (session: SessionEntry, transcript: OpenTranscript, entries: readonly NewEntry[]) => {
    let parentId = transcript.leaf;
    const chained = entries.map((entry) => {
      const { type, id, timestamp, ...rest } = entry;
      const line: TranscriptEntry = { type, id, parentId, timestamp, ...rest };
      parentId = id;
      return line;
    });
    let bytes: number;
    try {
      bytes = await files.append(transcript.path, chained);
    } catch (error) {
      opened.delete(session.sessionKey);
      throw error;
    }
    transcript.leaf = parentId;
    if (transcript.recent) transcript.recent = addRecent(transcript.recent, chained, bytes);
  };
  const inFile = <T>(session: SessionEntry, work: (transcript: OpenTranscript) => Promise<T>) =>
    queue.run(layout.channelDir(session.channel), async () => work(await openFor(session)));

  return {
    append(route, entries) {
      const session = sessionOf(route);
      return inFile(session, (transcript) => write(session, transcript, entries));
    },
    ensure(route, entries) {
      const session = sessionOf(route);
      return inFile(session, async (transcript) => {
        const { entries: last } = await readPath(files, transcript.path, entries.length + 1);
        const present = new Set(last.map((entry) => entry.id));
        const missing = entries.filter((entry) => !present.has(entry.id));
        if (missing.length > 0) await write(session, transcript, missing);
      });
    },
    async tail(key, maxEntries) {
      const session = findSession(key);
      if (!session) return { entries: [], cut: false };
      return inFile(session, async (transcript) => {
        const known = transcript.recent;
        if (known && (!known.cut || known.entries.length >= maxEntries)) return lastEntries(known, maxEntries);
        const wanted = transcript.isBig ? maxEntries : Math.max(maxEntries, mostRecentEntries);
        const read = await readPath(files, transcript.path, wanted);
        transcript.recent = addRecent({ entries: [], cut: read.cut, bytes: 0 }, read.entries, read.bytes);
        transcript.isBig = transcript.recent === undefined;
        return lastEntries(read, maxEntries);
      });
    },
  };
}

/** Never onto another archive, whatever ids the files claim. */
async function archive(path: string, id: string): Promise<void> {
  const stem = join(dirname(path), `context-${encodeId(id)}`);
  for (let n = 1; ; n++) {
    const name = `${stem}${n === 1 ? "" : `-${n}`}.jsonl`;
    const isTaken = await access(name).then(
      () => true,
      () => false,
    );
    if (!isTaken) return rename(path, name);
  }
}

function buildHeader(session: SessionEntry, cwd: string, nowMs: number): TranscriptHeader {
  const { sessionId: id, sessionKey, type: sessionType, agentId } = session;
  const timestamp = new Date(nowMs).toISOString();
  return { type: "session", version: 3, id, timestamp, cwd, sessionKey, sessionType, agentId };
}

async function readHeader(files: JsonlFiles, path: string): Promise<FoundHeader | undefined> {
  for await (const value of files.forwards(path)) {
    const header = isObject(value) && value["type"] === "session" ? value : {};
    const { id, sessionKey } = header as { id?: unknown; sessionKey?: unknown };
    return {
      id: typeof id === "string" ? id : "unknown",
      sessionKey: typeof sessionKey === "string" ? sessionKey : undefined,
    };
  }
  return undefined;
}

/** The last entries on the way from the leaf to the root, oldest first. What is on side branches is passed over. */
async function readPath(
  files: JsonlFiles,
  path: string,
  maxEntries: number,
): Promise<{ entries: TranscriptEntry[]; cut: boolean; bytes: number }> {
  const entries: TranscriptEntry[] = [];
  let wanted: string | null | undefined;
  let bytes = 0;
  for await (const value of files.backwards(path)) {
    if (!isEntry(value) || (wanted !== undefined && value.id !== wanted)) continue;
    if (entries.length >= maxEntries) return { entries: entries.reverse(), cut: true, bytes };
    entries.push(value);
    bytes += JSON.stringify(value).length;
    wanted = value.parentId;
    if (wanted === null) break;
  }
  return { entries: entries.reverse(), cut: false, bytes };
}

/** Undefined when there is too much to keep. */
function addRecent(
  recent: { entries: TranscriptEntry[]; cut: boolean; bytes: number },
  added: readonly TranscriptEntry[],
  bytes: number,
): OpenTranscript["recent"] {
  const total = recent.bytes + bytes;
  if (total > mostRecentBytes) return undefined;
  const entries = [...recent.entries, ...added];
  if (entries.length <= 2 * mostRecentEntries) return { entries, cut: recent.cut, bytes: total };
  const kept = entries.slice(-mostRecentEntries);
  return { entries: kept, cut: true, bytes: Math.ceil((total * kept.length) / entries.length) };
}

/** At most `maxEntries`, beginning with something a person said: a context that starts in mid-air is refused by models. */
function lastEntries(
  { entries, cut }: { entries: readonly TranscriptEntry[]; cut: boolean },
  maxEntries: number,
): { entries: TranscriptEntry[]; cut: boolean } {
  const last = entries.slice(-maxEntries);
  const start = last.findIndex((entry) => entry.message?.role === "user");
  const kept = start === -1 ? [] : last.slice(start);
  return { entries: kept, cut: cut || kept.length < entries.length };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function isEntry(value: unknown): value is TranscriptEntry {
  return isObject(value) && typeof value["id"] === "string" && "parentId" in value && value["type"] !== "session";
}
