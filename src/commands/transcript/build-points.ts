/**
 * The points of a conversation that a person can go back to: what people said, numbered in the order of the file (so a
 * number never means another message later), each below the one it was said after. `/tree` and `/fork` share the numbers.
 */
import type { EntryId } from "../../contracts/ids.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { isSaid, readSaid, roleOf, type Said } from "./read-said.ts";

export interface Point {
  number: number;
  entry: TranscriptEntry;
  said: Said;
  /** What was said before it, on its branch. */
  parent: Point | undefined;
  children: Point[];
  /** The last entry of the answer to it; its own while it has none. */
  end: EntryId;
}

export interface Points {
  all: Point[];
  /** Those that follow nothing else. */
  roots: Point[];
  /** The point that the conversation stands at; undefined: before everything. */
  here: Point | undefined;
}

export function buildPoints(entries: readonly TranscriptEntry[], leaf: EntryId | null): Points {
  const all: Point[] = [];
  const roots: Point[] = [];
  const pointOf = new Map<string, Point | undefined>();
  for (const entry of entries) {
    const parent = entry.parentId === null ? undefined : pointOf.get(entry.parentId);
    if (isSaid(entry)) {
      const point = { number: all.length + 1, entry, said: readSaid(entry), parent, children: [], end: entry.id };
      all.push(point);
      (parent?.children ?? roots).push(point);
      pointOf.set(entry.id, point);
      continue;
    }
    pointOf.set(entry.id, parent);
    const role = roleOf(entry);
    if (parent && (role === "assistant" || role === "toolResult")) parent.end = entry.id;
  }
  return { all, roots, here: leaf === null ? undefined : pointOf.get(leaf) };
}

/** From the first point of its branch to the point itself. */
export function listPath(point: Point | undefined): Point[] {
  const path: Point[] = [];
  for (let each = point; each; each = each.parent) path.push(each);
  return path.reverse();
}
