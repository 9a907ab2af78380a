/**
 * The files of a session's lives: which there are, and how one takes the place of another. The present life is
 * `context.jsonl`, the others lie beside it as `context-<session id>.jsonl`. The session's row says which life is the
 * present one; the files follow when it is next written to, in steps that can each be the last one before a crash.
 */
import { lstat, opendir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../base/atomic-file.ts";
import { systemCode } from "../base/errors.ts";
import { useFolder } from "../base/open-within.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { SessionLife } from "../contracts/store.ts";
import { encodeId } from "./encode-id.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";
import {
  clearName,
  createFile,
  ensureDirOf,
  type Grounds,
  openDir,
  openDirOf,
  openToRead,
  putObstacleAside,
} from "./open-regular.ts";
import { readLifeEnds } from "./read-life-ends.ts";
import { removeFolder } from "./remove-folder.ts";
import { removeWithin } from "./remove-within.ts";
import { type FoundHeader, isObject, parseHeader, readHeader } from "./transcript-lines.ts";

export interface LifeFile {
  path: string;
  header: FoundHeader;
}

export interface LifeFiles {
  /** The file of one life, wherever it lies, by its name. Changes nothing. */
  find(session: SessionEntry, id: string): Promise<LifeFile | undefined>;
  /** Looks for a life among all that are listed; one that another program has called differently gets its name. False: none. */
  name(session: SessionEntry, id: string): Promise<boolean>;
  /**
   * Puts the present life's file in its place; what lies there of another life is put beside it first. `isNew`: there is no
   * file of this life yet, and the place is free.
   */
  settle(session: SessionEntry): Promise<{ path: string; isNew: boolean }>;
  /** Newest first; a bounded number. Names only as far as they stand near either end of a file. */
  list(session: SessionEntry): Promise<(SessionLife & { isNameSure: boolean })[]>;
  /** A new life beside the present one: whole or not at all. */
  create(session: SessionEntry, id: string, lines: Iterable<object>): Promise<void>;
  /** Every file that says it is the session's, and its own folder. What other programs have written and nobody took up stays. */
  remove(session: SessionEntry): Promise<void>;
}

interface Place {
  path: string;
  /** Of what lies there now. */
  header: FoundHeader | undefined;
}

const mostListed = 100;
/** Tools can fill a folder; beyond this a name is not looked at. */
const mostNames = 20_000;
const copyBytes = 1024 * 1024;
const newline = 0x0a;

interface LifeFilesDeps {
  files: JsonlFiles;
  layout: Layout;
  grounds: Grounds;
}

export function createLifeFiles({ files, layout, grounds }: LifeFilesDeps): LifeFiles {
  const { root } = grounds;
  const ownDirOf = (session: SessionEntry) =>
    join(layout.channelDir(session.channel), "sessions", encodeId(session.sessionKey));

  /**
   * The first session of a channel has its transcript right in the channel's folder; another that is opened there later
   * (the owner's beside the chat's own, a named one) gets a folder of its own, and keeps it.
   */
  const locate = async (session: SessionEntry): Promise<Place> => {
    const own = join(ownDirOf(session), "context.jsonl");
    const ownHeader = await readHeader(files, own);
    if (ownHeader) return { path: own, header: ownHeader };
    const path = join(layout.channelDir(session.channel), "context.jsonl");
    const header = await readHeader(files, path);
    if (header?.sessionKey === session.sessionKey) return { path, header };
    const isFree = header?.sessionKey === undefined && (await listLifeNames(root, dirname(own))).length === 0;
    return isFree ? { path, header } : { path: own, header: undefined };
  };
  const foldersOf = (session: SessionEntry, place: Place) =>
    new Set([dirname(place.path), layout.channelDir(session.channel), ownDirOf(session)]);
  /** Everything that can be a life of the session, the present place included, newest first. */
  const listCandidates = async (session: SessionEntry, place: Place): Promise<Candidate[]> => {
    const found: Candidate[] = [];
    for (const dir of foldersOf(session, place)) {
      for (const { name, changedAt } of await listLifeTimes(root, dir)) {
        found.push({ path: join(dir, name), changedAt, isBeside: dir === dirname(place.path) });
      }
    }
    return found.sort(
      (a, b) => Number(b.path === place.path) - Number(a.path === place.path) || b.changedAt - a.changedAt,
    );
  };
  const readOurs = async (session: SessionEntry, id: string, path: string): Promise<LifeFile | undefined> => {
    const header = await readHeader(files, path).catch(() => undefined);
    const isOurs = header?.sessionKey === undefined || header.sessionKey === session.sessionKey;
    return header?.id === id && isOurs ? { path, header } : undefined;
  };
  /** One that was taken up and not written to since does not have the session's name yet. */
  const isOf = async (session: SessionEntry, path: string): Promise<boolean> => {
    const header = await readHeader(files, path).catch(() => undefined);
    const owner = header?.sessionKey ?? (header?.id === session.sessionId ? session.sessionKey : undefined);
    return owner === session.sessionKey;
  };
  /** By name: a life that the session has, or was told to take up, has its id there. */
  const findFrom = async (session: SessionEntry, id: string, place: Place): Promise<LifeFile | undefined> => {
    if (place.header?.id === id) return { path: place.path, header: place.header };
    for (const dir of foldersOf(session, place)) {
      const names = (await listLifeNames(root, dir)).filter((name) => name.startsWith(toStem(id)));
      for (const name of names.sort()) {
        const file = await readOurs(session, id, join(dir, name));
        if (file) return file;
      }
    }
    return undefined;
  };
  /** A file that names no session gets the name of the one that takes it up, so that no other can take it away. */
  const adopt = ({ path, header }: LifeFile, session: SessionEntry) => {
    if (header.sessionKey !== undefined) return Promise.resolve();
    const line = { ...header.line, ...toOwner(session) };
    return files.exclusively(path, () => replaceFile(grounds, path, copyWithHeader(root, path, line)));
  };

  return {
    async find(session, id) {
      return findFrom(session, id, await locate(session));
    },
    async name(session, id) {
      const place = await locate(session);
      if (await findFrom(session, id, place)) return true;
      const candidates = await listCandidates(session, place);
      for (const { path, isBeside } of candidates.slice(0, mostListed)) {
        const file = await readOurs(session, id, path);
        if (!file || (file.header.sessionKey === undefined && !isBeside)) continue;
        await files.exclusively(path, () => archive(root, path, id));
        return true;
      }
      return false;
    },
    async settle(session) {
      const place = await locate(session);
      const { path, header } = place;
      if (header?.id === session.sessionId) {
        await adopt({ path, header }, session);
        return { path, isNew: false };
      }
      const kept = await findFrom(session, session.sessionId, place);
      await files.exclusively(path, () => archive(root, path, header?.id ?? "unknown"));
      if (!kept) return { path, isNew: true };
      await adopt(kept, session);
      const isMoved = await files.exclusively(path, () => move(grounds, kept.path, path));
      return { path, isNew: !isMoved };
    },
    async list(session) {
      const place = await locate(session);
      const candidates = (await listCandidates(session, place)).slice(0, mostListed);
      const lives = await Promise.all(
        candidates.map(async ({ path, isBeside }) => {
          const ends = await readLifeEnds(root, path).catch(() => undefined);
          if (!ends) return [];
          const { sessionKey, life } = ends;
          if (sessionKey === undefined ? !isBeside : sessionKey !== session.sessionKey) return [];
          return [{ ...life, isPresent: life.sessionId === session.sessionId }];
        }),
      );
      const byId = new Map<string, SessionLife & { isNameSure: boolean }>();
      for (const life of lives.flat()) if (!byId.has(life.sessionId)) byId.set(life.sessionId, life);
      return [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt || Number(b.isPresent) - Number(a.isPresent));
    },
    async create(session, id, lines) {
      const { path } = await locate(session);
      const target = join(dirname(path), `${toStem(id)}.jsonl`);
      await files.exclusively(target, () => replaceFile(grounds, target, toChunks(lines)));
    },
    async remove(session) {
      const dir = layout.channelDir(session.channel);
      for (const name of await listLifeNames(root, dir)) {
        const path = join(dir, name);
        if (await isOf(session, path)) await files.exclusively(path, () => removeFile(root, path));
      }
      const own = ownDirOf(session);
      // Closed first; whatever else lies there goes with the folder.
      await files.exclusively(join(own, "context.jsonl"), () => removeFolder(root, own));
    },
  };
}

interface Candidate {
  path: string;
  changedAt: number;
  /** In the folder of the present life. */
  isBeside: boolean;
}

/** Whose a transcript is, as its header says it. */
export const toOwner = ({ sessionKey, type, agentId }: SessionEntry) => ({ sessionKey, sessionType: type, agentId });

const toStem = (id: string) => `context-${encodeId(id)}`;

/** Names in a folder that a life can have. */
async function listLifeNames(root: string, dir: string): Promise<string[]> {
  const folder = await openDir(root, dir);
  return folder ? useFolder(folder, ({ entry }) => readNames(entry("."))) : [];
}

/** Those of regular files, and when each was last changed. */
async function listLifeTimes(root: string, dir: string): Promise<{ name: string; changedAt: number }[]> {
  const folder = await openDir(root, dir);
  if (!folder) return [];
  return useFolder(folder, async ({ entry }) => {
    const found: { name: string; changedAt: number }[] = [];
    for (const name of await readNames(entry("."))) {
      const info = await lstat(entry(name)).catch(() => undefined);
      if (info?.isFile()) found.push({ name, changedAt: info.mtimeMs });
    }
    return found;
  });
}

async function readNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (names.length >= mostNames) break;
    if (name.endsWith(".jsonl") && !name.startsWith(".") && name !== "log.jsonl") names.push(name);
  }
  return names;
}

/** Puts a file beside itself. Never onto another archive, whatever ids the files claim. */
async function archive(root: string, path: string, id: string): Promise<void> {
  const folder = await openDirOf(root, path);
  if (!folder) return;
  await useFolder(folder, async ({ entry }) => {
    const isThere = async (name: string) => (await lstat(entry(name)).catch(() => undefined)) !== undefined;
    if (!(await lstat(entry(basename(path))).catch(() => undefined))?.size) return;
    let name = `${toStem(id)}.jsonl`;
    for (let n = 2; await isThere(name); n++) name = `${toStem(id)}-${n}.jsonl`;
    await rename(entry(basename(path)), entry(name));
    // The next step must not outlive this one.
    await syncFolder(entry("."));
  });
}

/** False: it is not there any more. */
async function move(grounds: Grounds, path: string, target: string): Promise<boolean> {
  const from = await openDirOf(grounds.root, path);
  if (!from) return false;
  return useFolder(from, async () =>
    useFolder(await ensureDirOf(grounds, target), async (to) => {
      try {
        await rename(from.entry(basename(path)), to.entry(basename(target)));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return false;
        throw error;
      }
      await syncFolder(to.entry("."));
      await syncFolder(from.entry("."));
      return true;
    }),
  );
}

/** With the half lines and half copies that crashes have left of it. */
async function removeFile(root: string, path: string): Promise<void> {
  const folder = await openDirOf(root, path);
  if (!folder) return;
  const name = basename(path);
  await useFolder(folder, async () => {
    for (const each of [name, `${name}.torn`, `.${name}.part`]) await removeWithin(folder, each);
    await syncFolder(folder.entry("."));
  });
}

/** The old file or the new one, never half. What an earlier try has left behind goes. */
async function replaceFile(grounds: Grounds, path: string, chunks: AsyncIterable<Uint8Array> | Iterable<string>) {
  const { onAside } = grounds;
  const temporary = join(dirname(path), `.${basename(path)}.part`);
  await useFolder(await ensureDirOf(grounds, path), async (folder) => {
    await clearName(folder, temporary, onAside);
    const file = await createFile(folder, basename(temporary));
    try {
      for await (const chunk of chunks) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await putObstacleAside(folder, path, onAside);
    await rename(folder.entry(basename(temporary)), folder.entry(basename(path)));
    await syncFolder(folder.entry("."));
  });
}

/** Lines are written some at a time, so that a long path is not one string. */
function* toChunks(lines: Iterable<object>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${JSON.stringify(line)}\n`;
    if (chunk.length < copyBytes) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/** The file's bytes behind another header. */
async function* copyWithHeader(root: string, path: string, header: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(header)}\n`);
  const file = await openToRead(root, path);
  if (!file) return;
  try {
    const buffer = Buffer.allocUnsafe(copyBytes);
    const { bytesRead } = await file.read(buffer, 0, copyBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(newline);
    const hasHeader = end !== -1 && isHeaderLine(buffer.toString("utf8", 0, end));
    for (let position = hasHeader ? end + 1 : 0; ; ) {
      const { bytesRead: length } = await file.read(buffer, 0, copyBytes, position);
      if (length === 0) return;
      position += length;
      yield buffer.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}

function isHeaderLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && parseHeader(value) !== undefined;
  } catch {
    return false;
  }
}
