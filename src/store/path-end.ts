/**
 * The end of a transcript's path as it is held in memory, and what it weighs. `read-context` reads it, `transcripts` keeps it
 * and adds to it. A line weighs what it has in the file: nothing is turned into text again to be measured.
 */
import type { TranscriptEntry } from "../contracts/transcript.ts";
import { isObject } from "./transcript-lines.ts";

export interface PathLine {
  entry: TranscriptEntry;
  /** Everything but the pictures. */
  textBytes: number;
  pictureBytes: number;
}

/** The last entries of a path, oldest first. */
export interface PathEnd {
  lines: PathLine[];
  /** There are older ones that belong. */
  cut: boolean;
  textBytes: number;
  pictureBytes: number;
}

/** What is kept of one path, so that a turn need not read it again. */
export interface KeepLimits {
  /** Twice as many may gather before the oldest go. */
  entries: number;
  textBytes: number;
  /** Pictures are few and large, and reading them again is what costs most. */
  pictureBytes: number;
}

export function weigh(entry: TranscriptEntry, lineBytes: number): PathLine {
  const pictureBytes = countPictureBytes(entry);
  return { entry, textBytes: lineBytes - pictureBytes, pictureBytes };
}

export function buildPathEnd(lines: PathLine[], cut: boolean): PathEnd {
  const end: PathEnd = { lines, cut, textBytes: 0, pictureBytes: 0 };
  for (const { textBytes, pictureBytes } of lines) {
    end.textBytes += textBytes;
    end.pictureBytes += pictureBytes;
  }
  return end;
}

/** Leaves out what the latest compaction has replaced. */
export function trimToContext(end: PathEnd): PathEnd {
  const { lines, cut } = end;
  const at = lines.findLastIndex(({ entry }) => entry.type === "compaction");
  const compaction = lines[at]?.entry;
  if (compaction?.type !== "compaction") return end;
  const firstKept = toFirstKept(compaction);
  const keptAt = lines.findIndex(({ entry }) => entry.id === firstKept);
  // Not among these: it is older than they are, or it is nowhere and nothing is kept.
  if (keptAt === -1 && cut) return end;
  return buildPathEnd(lines.slice(keptAt === -1 ? at : Math.min(keptAt, at)), false);
}

/** Undefined when there is too much to keep. */
export function addLines(end: PathEnd, added: readonly PathLine[], limits: KeepLimits): PathEnd | undefined {
  const all = trimToContext(buildPathEnd([...end.lines, ...added], end.cut));
  if (all.textBytes > limits.textBytes || all.pictureBytes > limits.pictureBytes) return undefined;
  return all.lines.length <= 2 * limits.entries ? all : buildPathEnd(all.lines.slice(-limits.entries), true);
}

/** A compaction that does not say what it keeps keeps nothing. */
export const toFirstKept = (entry: Extract<TranscriptEntry, { type: "compaction" }>): string =>
  typeof entry.firstKeptEntryId === "string" ? entry.firstKeptEntryId : entry.id;

/** Anybody can have written the line, so its shape is looked at first. */
function countPictureBytes(entry: TranscriptEntry): number {
  const message: unknown = entry.type === "message" ? entry.message : undefined;
  const content = isObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return 0;
  let bytes = 0;
  for (const block of content) {
    if (isObject(block) && block["type"] === "image" && typeof block["data"] === "string")
      bytes += block["data"].length;
  }
  return bytes;
}
