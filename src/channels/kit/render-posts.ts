/**
 * Markdown → the posts of a platform: parsed once, cut where a reader would cut it, each post a whole text in its dialect and
 * within the limit. Blocks are put behind each other as long as they fit; one that does not fit is cut at a line, else at a
 * word, else between two characters.
 */
import { cutDocument } from "./cut-document.ts";
import { listCutPlaces, snapPlace } from "./cut-places.ts";
import type { Dialect } from "./dialect.ts";
import { plainDialect } from "./dialects/plain.ts";
import type { Block } from "./document.ts";
import { hasInk } from "./ink.ts";
import { type LengthUnit, measure } from "./measure.ts";
import { buildParagraph, parseDocument } from "./parse-document.ts";
import { createRenderer, renderDocument } from "./render-document.ts";

export interface PostLimit {
  /** The most that one post may measure; at least 64, so that some words fit whatever they stand in. */
  maxLength: number;
  unit: LengthUnit;
  /** Where a platform counts something else than all of the rendered text; used instead of `unit`. */
  measure?: (rendered: string) => number;
}

/** How far behind a place one must look to see whether it is within a character. UTF-16 units. */
const lookahead = 1_024;
/** Shown for a text in which there is nothing to see: platforms refuse that. */
const emptyNote = "(empty)";

/** Never an empty post, and none at all only for blank text. */
export function renderPosts(markdown: string, dialect: Dialect, limit: PostLimit): string[] {
  if (markdown.trim() === "") return [];
  const press = createPress(dialect, limit);
  const posts = fillPosts(parseDocument(markdown, dialect.mentions), press);
  return posts.length > 0 ? posts : [dialect.text(emptyNote, true)];
}

/** Blocks in print, and whether they fit. */
interface Press {
  print(blocks: Block[]): Piece;
  maxLength: number;
  /** Text behind this does not fit, whatever it looks like. UTF-16 units. */
  reach: number;
  gap: Piece;
}

interface Piece {
  text: string;
  length: number;
  isHeading?: boolean;
}

function createPress(dialect: Dialect, { maxLength, unit, measure: own }: PostLimit): Press {
  const lengthOf = own ?? ((rendered: string) => measure(rendered, unit));
  const render = createRenderer(dialect);
  return {
    print(blocks) {
      const text = render(blocks).replace(/^\n+/, "").trimEnd();
      return { text, length: lengthOf(text), isHeading: blocks[0]?.type === "heading" };
    },
    maxLength,
    reach: unit === "codepoint" ? 2 * maxLength : maxLength,
    gap: { text: dialect.blockGap, length: lengthOf(dialect.blockGap) },
  };
}

function fillPosts(blocks: Block[], press: Press): string[] {
  const posts: string[] = [];
  const waiting = blocks.toReversed();
  const post = createPost(press, posts);
  for (let block = waiting.pop(); block; block = waiting.pop()) {
    const [near, far] = cutDocument([block], press.reach + lookahead);
    const whole = far.length === 0 ? press.print(near) : undefined;
    if (whole && (!hasInk(whole.text) || post.take(whole))) continue;
    if (post.isWellFilled) {
      post.end();
      waiting.push(block);
      continue;
    }
    const place = findCut(near, press, post.room);
    if (place !== undefined) {
      const [head, rest] = cutDocument([block], place);
      post.take(press.print(head));
      post.end();
      waiting.push(...rest.toReversed());
    } else if (!post.isEmpty) {
      post.end();
      waiting.push(block);
    } else {
      waiting.push(...simplify(block, posts, press).toReversed());
    }
  }
  post.end(true);
  return posts;
}

/** The post that is being filled. */
function createPost({ maxLength, gap }: Press, posts: string[]) {
  let pieces: Piece[] = [];
  let length = 0;
  const lengthWith = (added: number) => (pieces.length > 0 ? length + gap.length : 0) + added;
  const add = (piece: Piece) => {
    length = lengthWith(piece.length);
    pieces.push(piece);
  };
  return {
    get room() {
      return maxLength - lengthWith(0);
    },
    get isEmpty() {
      return pieces.length === 0;
    },
    /** Full enough that the next block may begin a new post. */
    get isWellFilled() {
      return length * 4 >= maxLength;
    },
    take(piece: Piece): boolean {
      const fits = lengthWith(piece.length) <= maxLength;
      if (fits) add(piece);
      return fits;
    },
    /** A heading goes with what follows it. */
    end(isLast = false): void {
      const kept = !isLast && pieces.length > 1 && pieces.at(-1)?.isHeading ? pieces.splice(-1) : [];
      const text = pieces.map((piece) => piece.text).join(gap.text);
      if (hasInk(text)) posts.push(text);
      pieces = [];
      length = 0;
      kept.forEach(add);
    },
  };
}

/** The best place at which the first of two parts measures at most `room`; undefined where not even one character does. */
function findCut(blocks: Block[], press: Press, room: number): number | undefined {
  const places = listCutPlaces(blocks);
  const printed = new Map<number, Piece>();
  const print = (place: number) => {
    const piece = printed.get(place) ?? press.print(cutDocument(blocks, place)[0]);
    printed.set(place, piece);
    return piece;
  };
  const lengthAt = (place: number) => print(place).length;
  const isWorthIt = (place = 0) => place > 0 && hasInk(print(place).text);
  const words = [...places.lines, ...places.words].sort((a, b) => a - b);
  const word = findLast(words.length, (index) => words[index] ?? 0, lengthAt, room);
  const lines = places.lines.filter((place) => place <= (word ?? 0));
  const line = lines.findLast((place) => lengthAt(place) <= room);
  if (line !== undefined && word !== undefined && line * 4 >= word && isWorthIt(line)) return line;
  if (isWorthIt(word)) return word;
  const character = findLast(Math.min(press.reach, places.end), (index) => index + 1, lengthAt, room) ?? 0;
  // Within a character only where that alone is too long.
  return snapPlace(places, character).find(isWorthIt);
}

/**
 * The last of `count` ascending places up to which the text fits, or one that fills nearly all of `room`. Length grows about
 * evenly, so the next guess is where it would be just right; should it not, halving ends the search.
 */
function findLast(
  count: number,
  placeOf: (index: number) => number,
  lengthAt: (place: number) => number,
  room: number,
): number | undefined {
  let [from, to] = [-1, count];
  let guess = room;
  for (let tries = 0; to - from > 1; tries++) {
    const index = tries < 4 ? findIndex(from, to, placeOf, guess) : (from + to) >> 1;
    const place = placeOf(index);
    const length = lengthAt(place);
    if (length <= room) from = index;
    else to = index;
    if (length <= room && length * 16 >= room * 15) break;
    guess = length === 0 ? Infinity : (place * room * 31) / (length * 32);
  }
  return from < 0 ? undefined : placeOf(from);
}

/** Between `from` and `to`, both excluded: the last index whose place is not behind `guess`. */
function findIndex(from: number, to: number, placeOf: (index: number) => number, guess: number): number {
  let [low, high] = [from + 1, to];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (placeOf(middle) <= guess) low = middle;
    else high = middle;
  }
  return low;
}

/** What cannot be kept up within the limit is written as plain words, and where even that does not help, sent as it is. */
function simplify(block: Block, posts: string[], press: Press): Block[] {
  const [node, ...others] = block.type === "paragraph" ? block.inner : [];
  if (node?.type !== "text" || others.length > 0) return [buildParagraph(renderDocument([block], plainDialect))];
  const first = String.fromCodePoint(node.words.codePointAt(0) ?? 0);
  const { text } = press.print([buildParagraph(first)]);
  if (hasInk(text)) posts.push(text);
  const rest = node.words.slice(first.length);
  return rest === "" ? [] : [buildParagraph(rest)];
}
