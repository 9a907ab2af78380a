/**
 * Reads a transcript from its end: the way from the leaf to the root, as far as it belongs to what a model is sent. Lines
 * that are not on the way are passed over unread, so that a long file costs what its end costs. `transcripts` keeps what
 * is read here.
 */
import type { EntryId } from "../contracts/ids.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import { buildPathEnd, type PathEnd, type PathLine, toFirstKept, trimToContext, weigh } from "./path-end.ts";
import { isEntry } from "./transcript-lines.ts";

/** No context needs more, whatever somebody has written into the file. */
const mostContextBytes = 64 * 1024 * 1024;

/** Back to where the latest compaction begins to keep, or to the root; at most `maxEntries`. */
export async function readContext(files: JsonlFiles, path: string, maxEntries: number): Promise<PathEnd> {
  const newestFirst: PathLine[] = [];
  let bytes = 0;
  let firstKept: string | undefined;
  const take = (cut: boolean): PathEnd => trimToContext(buildPathEnd(newestFirst.reverse(), cut));
  for await (const line of walkBack(files, path)) {
    if (newestFirst.length >= maxEntries || bytes > mostContextBytes) return take(true);
    const { entry, textBytes, pictureBytes } = line;
    newestFirst.push(line);
    bytes += textBytes + pictureBytes;
    if (firstKept === undefined && entry.type === "compaction") firstKept = toFirstKept(entry);
    if (entry.id === firstKept) break;
  }
  return take(false);
}

/** From the leaf, or from the last entry called `from`, to the root. */
export async function* walkBack(files: JsonlFiles, path: string, from?: EntryId): AsyncGenerator<PathLine> {
  let wanted: string | undefined = from;
  for await (const { value, bytes } of files.backwards(path, () => toNeedle(wanted))) {
    if (!isEntry(value) || (wanted !== undefined && value.id !== wanted)) continue;
    yield weigh(value, bytes);
    if (value.parentId === null) return;
    wanted = value.parentId;
  }
}

/** What stands in the line of an entry with this id, whoever wrote it; undefined where that cannot be said. */
const toNeedle = (id: string | undefined) => (id !== undefined && /^[\w-]+$/.test(id) ? `"${id}"` : undefined);
