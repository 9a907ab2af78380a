/**
 * Cuts a long text into parts that fit: at a paragraph, else at a line, else at a word, and only then inside one. A code
 * fence that is cut is closed and opened again with its language. For places that show Markdown only later, when they know
 * their width; `render-posts.ts` is for those that post it.
 */
import { closesFence, closingLine, type Fence, fenceAfter, openingLine } from "./fence.ts";
import { boundaryAtOrBefore } from "./graphemes.ts";
import { indexAfter, type LengthUnit, measure } from "./measure.ts";

export interface SplitLimit {
  /** The most that one part may measure; at least 64, so that a fence and a few words fit. */
  maxLength: number;
  unit: LengthUnit;
}

/** Where the next part starts, and the fence that it starts in. */
interface Place {
  at: number;
  fence: Fence | undefined;
}
/** A possible end of a part, relative to where the part began: what follows up to `next` is dropped. */
interface Cut {
  end: number;
  next: number;
  fence: Fence | undefined;
}

/** At least one part for a text that is not empty, none for one that is. Whitespace at a cut is dropped. */
export function splitText(text: string, { maxLength, unit }: SplitLimit): string[] {
  if (text === "") return [];
  if (maxLength === Infinity || measure(text, unit) <= maxLength) return [text];
  const parts: string[] = [];
  let place: Place = { at: 0, fence: undefined };
  while (place.at < text.length) {
    const taken = takePart(text, place, maxLength, unit);
    if (taken.part.trim() !== "") parts.push(taken.part);
    place = taken.place;
  }
  return parts.length > 0 ? parts : [text.slice(0, indexAfter(text, 0, maxLength, unit))];
}

function takePart(text: string, place: Place, budget: number, unit: LengthUnit): { part: string; place: Place } {
  const fence = place.fence && isAffordable(place.fence, budget, unit) ? place.fence : undefined;
  const opening = fence ? openingLine(fence) : "";
  // No unit counts less than half a UTF-16 unit, so nothing beyond this can fit.
  const window = text.slice(place.at, place.at + 2 * budget + 2);
  const cut = pickCut(window, fence, budget - measure(opening, unit), unit);
  const next = { at: place.at + cut.next, fence: cut.fence };
  const closing = cut.fence && next.at < text.length ? closingLine(cut.fence) : "";
  return { part: opening + window.slice(0, cut.end) + closing, place: skipClosingLine(text, next) };
}

/** The best end within `budget`, looking at the lines of `window` from its start. */
function pickCut(window: string, fence: Fence | undefined, budget: number, unit: LengthUnit): Cut {
  let paragraph: Cut | undefined;
  let line: Cut | undefined;
  let open = fence;
  let position = 0;
  let left = budget;
  while (position <= window.length) {
    const newline = window.indexOf("\n", position);
    const end = newline < 0 ? window.length : newline;
    const content = window.slice(position, end);
    const size = measure(content, unit);
    const after = keepAffordable(open, fenceAfter(open, content), size, budget, unit);
    if (size + closingSize(after, unit) > left) break;
    const next = Math.min(end + 1, window.length);
    if (end === window.length) return { end, next: end, fence: after };
    if (content.trim() === "" && !open) {
      if (position > 0)
        paragraph = { end: paragraph?.next === position ? paragraph.end : position - 1, next, fence: open };
    } else if (open || !after) {
      // The line that opens a fence is no place to stop: it would leave an empty one behind.
      line = { end, next, fence: after };
    }
    left -= size + 1;
    position = next;
    open = after;
  }
  const room = left - closingSize(open, unit);
  return pickBest({ paragraph, line, word: cutInLine(window, position, room, open, unit) }, window, budget, unit);
}

interface Candidates {
  paragraph: Cut | undefined;
  line: Cut | undefined;
  word: Cut & { isClean: boolean };
}

/** The first kind that does not leave the part nearly empty; code is cut between lines wherever there are any. */
function pickBest({ paragraph, line, word }: Candidates, window: string, budget: number, unit: LengthUnit): Cut {
  const isFull = (cut: Cut | undefined) => cut !== undefined && measure(window.slice(0, cut.end), unit) * 4 >= budget;
  if (paragraph && isFull(paragraph)) return paragraph;
  if (line && (line.fence || isFull(line))) return line;
  if (word.isClean) return word;
  return line ?? paragraph ?? word;
}

/** A cut inside the line that did not fit: behind a word, or in code and in endless words between two characters. */
function cutInLine(window: string, position: number, room: number, fence: Fence | undefined, unit: LengthUnit) {
  const most = indexAfter(window, position, Math.max(0, room), unit);
  if (!fence) {
    const space = lastSpace(window, position, most);
    if (space > position) {
      const rest = /^[ \t\n]+/.exec(window.slice(space))?.[0].length ?? 0;
      return { end: space, next: space + rest, fence, isClean: true };
    }
  }
  const boundary = boundaryAtOrBefore(window, most);
  const end = boundary > position ? boundary : most > position ? most : indexAfter(window, position, 4, "byte");
  return { end, next: end, fence, isClean: false };
}

function lastSpace(window: string, from: number, to: number): number {
  for (let index = Math.min(to, window.length - 1); index > from; index--) {
    if (/[ \t\n]/.test(window[index] ?? "") && !/[ \t]/.test(window[index - 1] ?? "")) return index;
  }
  return -1;
}

/** Where the cut falls just before the end of a fence, that end has been written already. */
function skipClosingLine(text: string, place: Place): Place {
  if (!place.fence) return place;
  const line = text.slice(place.at, place.at + 1_000).split("\n", 1)[0] ?? "";
  if (!closesFence(place.fence, line)) return place;
  return { at: Math.min(place.at + line.length + 1, text.length), fence: undefined };
}

/** A fence whose marks would take half of the room is not kept up. */
function isAffordable(fence: Fence, budget: number, unit: LengthUnit): boolean {
  return measure(openingLine(fence) + closingLine(fence), unit) * 2 <= budget;
}

/** The fence after a line; one whose opening line alone fills the part is taken for text. */
function keepAffordable(
  open: Fence | undefined,
  after: Fence | undefined,
  size: number,
  budget: number,
  unit: LengthUnit,
): Fence | undefined {
  if (open || !after) return after;
  return (size + closingSize(after, unit)) * 2 <= budget ? after : undefined;
}

const closingSize = (fence: Fence | undefined, unit: LengthUnit): number =>
  fence ? measure(closingLine(fence), unit) : 0;
