/**
 * Brings the index in step with the files: one transaction a file, so that a process that is killed leaves each file as it was
 * or as it is. Pieces whose text has not changed keep their vectors, which hang on the text and not on the file.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import { chunkLines } from "../chunk/chunk-text.ts";
import { type ListedSource, listSources, mostSkipped } from "../sources/list-sources.ts";
import { readSource } from "../sources/read-source.ts";
import type { SourcePlan } from "../sources/source.ts";
import { toLines } from "../sources/to-lines.ts";
import { tokenise } from "../text/tokenise.ts";
import type { IndexFile } from "./index-file.ts";
import { writeMeta } from "./meta.ts";

export interface FileSync {
  readonly left: number;
  readonly total: number;
  /** Absolute: where files were looked for. */
  readonly folders: string[];
  /** Works for about so long; at least one file. */
  step(maxMs: number, nowMs: number): Promise<void>;
}

/** Told what went and what came, by ids of pieces. */
export interface ChangedChunks {
  removed: number[];
  added: number[];
}

export async function planSync(
  index: IndexFile,
  plan: SourcePlan,
  {
    force,
    clock,
    onChange,
  }: { force: boolean; clock: Pick<Clock, "monotonic">; onChange(changed: ChangedChunks): void },
): Promise<FileSync> {
  if (force) forget(index);
  const { sources, folders, skipped } = await listSources(plan);
  const changed = findChanged(index, sources);
  removeVanished(index, sources, onChange);
  let at = 0;
  const skip = (path: string, reason: string) => {
    if (skipped.length < mostSkipped) skipped.push({ path, reason });
  };
  const finish = (nowMs: number) => {
    writeMeta(index, "skipped", JSON.stringify(skipped));
    writeMeta(index, "lastSyncAt", String(nowMs));
  };
  return {
    get left() {
      return changed.length - at;
    },
    total: changed.length,
    folders,
    async step(maxMs, nowMs) {
      const endMs = clock.monotonic() + maxMs;
      while (at < changed.length) {
        const source = changed[at++];
        if (source) await syncFile(index, source, { skip, onChange });
        if (clock.monotonic() > endMs) break;
      }
      if (at >= changed.length) finish(nowMs);
    },
  };
}

/** As if nothing had been indexed; text goes on being found until each file has had its turn. */
function forget(index: IndexFile): void {
  index.transaction(() => {
    index.run("UPDATE files SET stamp = ''");
    for (const table of ["signs", "vectors", "generations"]) index.run(`DELETE FROM ${table}`);
    index.run("DELETE FROM meta WHERE key = 'settled'");
  });
}

function findChanged(index: IndexFile, sources: readonly ListedSource[]): ListedSource[] {
  const known = new Map<string, string>();
  const rows = index.iterate("SELECT f.path, f.stamp, s.name FROM files f JOIN scopes s ON s.id = f.scope");
  for (const { path, stamp, name } of rows) known.set(String(path), `${name}\n${stamp}`);
  return sources.filter(({ path, scope, stamp }) => known.get(path) !== `${scope}\n${stamp}`);
}

function removeVanished(
  index: IndexFile,
  sources: readonly ListedSource[],
  onChange: (changed: ChangedChunks) => void,
): void {
  const present = new Set(sources.map(({ path }) => path));
  const vanished = index
    .all("SELECT path FROM files")
    .flatMap(({ path }) => (present.has(String(path)) ? [] : [String(path)]));
  for (const path of vanished) onChange({ removed: removeFile(index, path), added: [] });
}

async function syncFile(
  index: IndexFile,
  source: ListedSource,
  { skip, onChange }: { skip(path: string, reason: string): void; onChange(changed: ChangedChunks): void },
): Promise<void> {
  const read = await readSource(source);
  if (read.type !== "text") {
    if (read.type === "unusable") skip(source.path, read.reason);
    return onChange({ removed: removeFile(index, source.path), added: [] });
  }
  const chunks = chunkLines(toLines(read.text, source.type));
  const pieces = chunks.map((chunk) => {
    const head = chunk.headings.join(" > ");
    // The name of a file often says what it is about, or of which day it is.
    const words = tokenise(`${source.path.replace(/\.\w+$/, "")}\n${head}\n${chunk.text}`);
    return { ...chunk, head, hash: hashOf(head, chunk.text), words };
  });
  onChange(
    index.transaction(() => {
      const scope = ensureScope(index, source.scope);
      const removed = deleteFileRows(index, source.path);
      const file = index.run(
        "INSERT INTO files (path, scope, stamp, changed_at) VALUES (?, ?, ?, ?)",
        ...[source.path, scope, read.stamp, Math.round(read.changedAtMs)],
      );
      const added = pieces.map(({ fromLine, toLine, hash, head, text, words }) => {
        const id = index.run(
          "INSERT INTO chunks (file, scope, from_line, to_line, hash, head, text, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          ...[file, scope, fromLine, toLine, hash, head, text, words.length],
        );
        index.run("INSERT INTO search (rowid, words, scope) VALUES (?, ?, ?)", id, words.join(" "), toScopeWord(scope));
        return id;
      });
      return { removed, added };
    }),
  );
}

const removeFile = (index: IndexFile, path: string): number[] => index.transaction(() => deleteFileRows(index, path));

function deleteFileRows(index: IndexFile, path: string): number[] {
  const file = index.get("SELECT id FROM files WHERE path = ?", path)?.["id"];
  if (file === undefined) return [];
  const ids = index.all("SELECT id FROM chunks WHERE file = ?", file).map(({ id }) => Number(id));
  for (const id of ids) index.run("DELETE FROM search WHERE rowid = ?", id);
  index.run("DELETE FROM chunks WHERE file = ?", file);
  index.run("DELETE FROM files WHERE id = ?", file);
  return ids;
}

function ensureScope(index: IndexFile, name: string): number {
  index.run("INSERT OR IGNORE INTO scopes (name) VALUES (?)", name);
  return Number(index.get("SELECT id FROM scopes WHERE name = ?", name)?.["id"]);
}

/** Letters alone make words of texts, so none is like this. */
export const toScopeWord = (scope: number): string => `§${scope}`;

/** What is embedded: the headings, then the text. */
export const toEmbedText = (head: string, text: string): string => (head === "" ? text : `${head}\n\n${text}`);

const hashOf = (head: string, text: string) =>
  createHash("sha256").update(toEmbedText(head, text)).digest("hex").slice(0, 32);
