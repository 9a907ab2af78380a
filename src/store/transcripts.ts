/**
 * `context.jsonl`: transcripts in the coding-agent format, one file per session in the folder of the channel that opened
 * it. The file of the session's present life is `context.jsonl`; earlier lives are kept as `context-<session id>.jsonl`.
 */
import { rename } from "node:fs/promises";
import { join } from "node:path";
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
  sessionId: string;
  leaf: EntryId | null;
  /** The last entries, while they are small enough to keep. `cut`: there are older ones. */
  recent: { entries: TranscriptEntry[]; cut: boolean; bytes: number } | undefined;
}

const mostOpen = 128;
const mostRecentEntries = 600;
const mostRecentBytes = 1024 * 1024;

export function createTranscripts({ files, layout, clock, sessionOf, findSession }: TranscriptDeps): TranscriptFiles {
  const queue = createKeyedQueue();
  const opened = new Map<string, OpenTranscript>();

  const folderOf = (session: SessionEntry) => join(layout.channelDir(session.channel), subfolderOf(session));
  const pathOf = (session: SessionEntry) => join(folderOf(session), "context.jsonl");
  const remember = (path: string, transcript: OpenTranscript) => {
    opened.delete(path);
    opened.set(path, transcript);
    const oldest = opened.keys().next().value;
    if (opened.size > mostOpen && oldest !== undefined) opened.delete(oldest);
    return transcript;
  };

  /** Finds or begins the session's file; one that belongs to an earlier life is put beside it first. */
  const openFor = async (session: SessionEntry): Promise<OpenTranscript> => {
    const path = pathOf(session);
    const known = opened.get(path);
    if (known?.sessionId === session.sessionId) return remember(path, known);
    const header = await readHeader(files, path);
    if (header && header.id !== session.sessionId) {
      const archive = join(folderOf(session), `context-${encodeId(header.id)}.jsonl`);
      await files.exclusively(path, () => rename(path, archive));
    }
    if (header?.id !== session.sessionId) {
      const begun = buildHeader(session, layout.workspaceDir, clock.now());
      await files.append(path, [begun]);
      const recent = { entries: [], cut: false, bytes: 0 };
      return remember(path, { sessionId: session.sessionId, leaf: null, recent });
    }
    const last = (await readPath(files, path, 1)).entries[0];
    return remember(path, { sessionId: session.sessionId, leaf: last?.id ?? null, recent: undefined });
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
      bytes = await files.append(pathOf(session), chained);
    } catch (error) {
      opened.delete(pathOf(session));
      throw error;
    }
    transcript.leaf = parentId;
    if (transcript.recent) transcript.recent = addRecent(transcript.recent, chained, bytes);
  };
  const inFile = <T>(session: SessionEntry, work: (transcript: OpenTranscript) => Promise<T>) =>
    queue.run(pathOf(session), async () => work(await openFor(session)));

  return {
    append(route, entries) {
      const session = sessionOf(route);
      return inFile(session, (transcript) => write(session, transcript, entries));
    },
    ensure(route, entries) {
      const session = sessionOf(route);
      return inFile(session, async (transcript) => {
        const { entries: last } = await readPath(files, pathOf(session), entries.length + 1);
        const present = new Set(last.map((entry) => entry.id));
        const missing = entries.filter((entry) => !present.has(entry.id));
        if (missing.length > 0) await write(session, transcript, missing);
      });
    },
    async tail(key, maxEntries) {
      const session = findSession(key);
      if (!session) return { entries: [], cut: false };
      return inFile(session, async (transcript) => {
        if (!transcript.recent || (transcript.recent.cut && transcript.recent.entries.length < maxEntries)) {
          const read = await readPath(files, pathOf(session), Math.max(maxEntries, mostRecentEntries));
          transcript.recent = addRecent({ entries: [], cut: read.cut, bytes: 0 }, read.entries, read.bytes);
          if (!transcript.recent) return lastEntries(read, maxEntries);
        }
        return lastEntries(transcript.recent, maxEntries);
      });
    },
  };
}

/** The channel's own conversation lies in its folder; others that were opened there have folders of their own. */
function subfolderOf({ sessionKey, type, agentId }: SessionEntry): string {
  const isOwn = agentId === "main" && (type === "main" || type === "dm" || type === "group");
  return isOwn ? "" : join("sessions", encodeId(sessionKey));
}

function buildHeader(session: SessionEntry, cwd: string, nowMs: number): TranscriptHeader {
  const { sessionId: id, sessionKey, type: sessionType, agentId } = session;
  const timestamp = new Date(nowMs).toISOString();
  return { type: "session", version: 3, id, timestamp, cwd, sessionKey, sessionType, agentId };
}

async function readHeader(files: JsonlFiles, path: string): Promise<{ id: string } | undefined> {
  for await (const value of files.forwards(path)) {
    return isObject(value) && value["type"] === "session" && typeof value["id"] === "string"
      ? { id: value["id"] }
      : { id: "unknown" };
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
