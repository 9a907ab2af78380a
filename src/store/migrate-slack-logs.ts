/**
 * Brings the logs of the first mom, which knew Slack only, into today's layout: `<channelId>/log.jsonl` right under a folder
 * becomes `workspace/channels/<adapter>/<channelId>/`. Reads the old files and never changes them; a second run adds nothing.
 */
import { constants } from "node:fs";
import { copyFile, mkdir, readdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { StoreError, systemCode } from "../base/errors.ts";
import { useFolder } from "../base/open-within.ts";
import type { LogLine } from "../contracts/message.ts";
import { isLogLine } from "./channel-logs.ts";
import { encodeId } from "./encode-id.ts";
import type { Layout } from "./layout.ts";
import { clearName, ensureDirOf, type Grounds, openToRead, putObstacleAside } from "./open-regular.ts";
import { type OldAttachment, parseSlackLog } from "./parse-slack-log.ts";
import { readHolder, takeProcessLock } from "./process-lock.ts";

export interface SlackMigration {
  layout: Layout;
  /** The old data directory; may be the same as the new one. */
  fromDir: string;
  /** The adapter that the channels will belong to. */
  adapter: string;
  /** Nothing is written. */
  dryRun: boolean;
  nowMs: number;
}

export interface MigratedChannel {
  channelId: string;
  /** The new folder. */
  folder: string;
  /** Lines added, and lines that were there already. */
  added: number;
  present: number;
  /** Files copied, relative to the new folder. */
  copied: string[];
  /** Attachments that a line names and nobody has. */
  missing: string[];
  /** Where links and the like were put that stood in the place of new files or folders. */
  setAside: string[];
  /** Lines that could not be read, counted from 1; they stay in the old file. */
  badLines: { line: number; reason: string }[];
}

/** Folders of today's layout, which lie beside the old ones when both share a data directory. */
const ownFolders = new Set(["state", "workspace", "tools", "plugins"]);

/** Throws `DATA_DIR_IN_USE` while a mom runs there, unless it is a dry run, and `MIGRATION_SOURCE_MISSING`. */
export async function migrateSlackLogs(migration: SlackMigration): Promise<MigratedChannel[]> {
  const channelIds = await listOldChannels(migration.fromDir);
  const migrateAll = async () => {
    const done: MigratedChannel[] = [];
    for (const channelId of channelIds) done.push(await migrateChannel(migration, channelId));
    return done;
  };
  if (migration.dryRun || channelIds.length === 0) return migrateAll();
  await mkdir(migration.layout.stateDir, { recursive: true, mode: 0o700 });
  const crashed = readHolder(migration.layout);
  const lock = await takeProcessLock(migration.layout, migration.nowMs);
  try {
    await mkdir(migration.layout.workspaceDir, { recursive: true });
    return await migrateAll();
  } finally {
    lock.release({ clean: !lock.afterCrash });
    // The trace of a crash is for the next start, which looks at the database because of it.
    if (lock.afterCrash) await writeFile(migration.layout.runningPath, `${JSON.stringify(crashed)}\n`, { mode: 0o600 });
  }
}

async function listOldChannels(fromDir: string): Promise<string[]> {
  const items = await readdir(fromDir, { withFileTypes: true }).catch((error: unknown) => {
    throw new StoreError("MIGRATION_SOURCE_MISSING", `${fromDir} cannot be read (${systemCode(error) ?? "unknown"})`, {
      hint: "Name the old data directory with --from.",
      cause: error,
    });
  });
  const folders = items.filter((item) => item.isDirectory() && !ownFolders.has(item.name)).map(({ name }) => name);
  const isOld = await Promise.all(folders.map((name) => isFile(join(fromDir, name, "log.jsonl"))));
  return folders.filter((_, at) => isOld[at]).sort();
}

async function migrateChannel(migration: SlackMigration, channelId: string): Promise<MigratedChannel> {
  const { layout, adapter, fromDir, dryRun } = migration;
  const oldFolder = join(fromDir, channelId);
  const folder = layout.channelDir({ adapter, channelId });
  const counts = { added: 0, present: 0 };
  const report: MigratedChannel = { channelId, folder, ...counts, copied: [], missing: [], setAside: [], badLines: [] };
  const grounds: Grounds = { root: layout.workspaceDir, onAside: (_, aside) => void report.setAside.push(aside) };
  const copy = async (source: string, name: string) => {
    if (await hasFile(grounds, join(folder, name))) return;
    report.copied.push(name);
    if (!dryRun) await copyWhole(grounds, source, join(folder, name));
  };

  const parsed = parseSlackLog(await readFile(join(oldFolder, "log.jsonl"), "utf8"));
  report.badLines = parsed.badLines;
  const localFolder = join(layout.channelFolder({ adapter, channelId }), "attachments");
  const lines: LogLine[] = [];
  for (const { line, attachments } of parsed.messages) {
    for (const attachment of attachments) {
      const source = await findAttachment(fromDir, oldFolder, attachment);
      if (source === undefined) report.missing.push(attachment.local);
      const name = encodeId(
        source === undefined ? attachment.local : relative(join(await realpath(oldFolder), "attachments"), source),
      );
      if (source !== undefined) await copy(source, join("attachments", name));
      line.attachments.push({ filename: attachment.original, localPath: join(localFolder, name) });
    }
    lines.push(line);
  }
  for (const name of ["MEMORY.md", "context.jsonl"]) {
    if (await isFile(join(oldFolder, name))) await copy(join(oldFolder, name), name);
  }
  // Last, so that a log never names a file that is not there yet.
  const merged = mergeInto(await readIfThere(grounds, join(folder, "log.jsonl")), lines);
  report.added = merged.added;
  report.present = lines.length - merged.added;
  if (merged.added > 0 && !dryRun) await replaceLog(grounds, join(folder, "log.jsonl"), merged.text);
  return report;
}

/** The file of an attachment, with links resolved, if it lies in its channel's old folder. Paths in a log are only claims. */
async function findAttachment(
  fromDir: string,
  oldFolder: string,
  { local }: OldAttachment,
): Promise<string | undefined> {
  const root = await realpath(oldFolder);
  for (const candidate of [resolve(fromDir, local), resolve(oldFolder, local)]) {
    const path = await realpath(candidate).catch(() => undefined);
    if (path?.startsWith(root + sep) && (await isFile(path))) return path;
  }
  return undefined;
}

/** What is there keeps its order and its very characters; lines that are missing go where their time puts them. */
function mergeInto(old: string, lines: readonly LogLine[]): { text: string; added: number } {
  const fragment = pickFragment(old);
  const present = old
    .slice(0, old.length - fragment.length)
    .split("\n")
    .filter((line) => line !== "");
  const known = present.map(toKey);
  const ids = new Set(known.map((key) => key?.id));
  const missing = lines.filter(({ id }) => !ids.has(id));
  const merged: string[] = [];
  let next = 0;
  const addUntil = (ts: string | undefined) => {
    for (let line = missing[next]; line && (ts === undefined || line.ts <= ts); line = missing[++next]) {
      merged.push(JSON.stringify(line));
    }
  };
  for (const [at, line] of present.entries()) {
    const key = known[at];
    if (key) addUntil(key.ts);
    merged.push(line);
  }
  addUntil(undefined);
  return { text: merged.map((line) => `${line}\n`).join("") + fragment, added: missing.length };
}

/** Half a line that a crash left at the end: it stays there, for the store to mend as always. */
function pickFragment(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return toKey(last) ? "" : last;
}

function toKey(line: string): { id: string; ts: string } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isLogLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Under its name only when it is whole, so that a run that was cut off is made good by the next one. */
async function copyWhole(grounds: Grounds, source: string, target: string): Promise<void> {
  await useFolder(await ensureDirOf(grounds, target), async (folder) => {
    const half = `${target}.part`;
    await clearName(folder, half, grounds.onAside);
    await copyFile(source, folder.entry(basename(half)), constants.COPYFILE_EXCL);
    await putObstacleAside(folder, target, grounds.onAside);
    await rename(folder.entry(basename(half)), folder.entry(basename(target)));
  });
}

async function replaceLog(grounds: Grounds, path: string, text: string): Promise<void> {
  await useFolder(await ensureDirOf(grounds, path), async (folder) => {
    await putObstacleAside(folder, path, grounds.onAside);
    await writeFileAtomic(folder.entry(basename(path)), text);
  });
}

/** What is no plain file below the workspace is not there. */
async function readIfThere({ root }: Grounds, path: string): Promise<string> {
  const file = await openToRead(root, path);
  if (!file) return "";
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function hasFile({ root }: Grounds, path: string): Promise<boolean> {
  const file = await openToRead(root, path);
  await file?.close();
  return file !== undefined;
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
