/**
 * Cuts a document in two that are whole documents again: whatever was open at the cut is ended and begun anew. Places are
 * counted in UTF-16 units of text; every block, item and row counts one more, so that empty ones count too.
 */
import type { Block, Inline, Item } from "./document.ts";
import { trimStart } from "./trim-start.ts";

/** How far it is to the cut. */
interface Way {
  left: number;
}
/** Before the cut and behind it; a thing that is not cut is on one side only. */
type Halves<T> = [T | undefined, T | undefined];

/** Whitespace at the cut is dropped, except in code. */
export function cutDocument(blocks: Block[], place: number): [Block[], Block[]] {
  return cutAll(blocks, { left: place }, cutBlock);
}

function cutAll<T>(things: T[], way: Way, cutOne: (thing: T, way: Way) => Halves<T>): [T[], T[]] {
  for (let index = 0; index < things.length; index++) {
    if (way.left <= 0) return [things.slice(0, index), things.slice(index)];
    const [head, rest] = cutOne(things[index] as T, way);
    if (rest === undefined) continue;
    const before = things.slice(0, index);
    if (head !== undefined) before.push(head);
    const behind = things.slice(index);
    behind[0] = rest;
    return [before, behind];
  }
  return [things, []];
}

function cutBlock(block: Block, way: Way): Halves<Block> {
  way.left--;
  switch (block.type) {
    case "paragraph":
    case "heading":
      return join(cutSpans(block.inner, way), block, (inner) => ({ ...block, inner }));
    case "quote":
      return join(cutAll(block.blocks, way, cutBlock), block, (blocks) => ({ ...block, blocks }));
    case "list":
      return join(cutAll(block.items, way, cutItem), block, (items) => ({ ...block, items }));
    case "table":
      way.left -= lengthOfRow(block.header);
      return join(cutAll(block.rows, way, cutRow), block, (rows) => ({ ...block, rows }));
    case "code": {
      const [head, rest] = cutText(block.code, way, (code) => code.replace(/^\n/, ""));
      return [withValue(block, "code", head), withValue(block, "code", rest)];
    }
    case "rule":
      return [block, undefined];
  }
}

/** The whole thing, where one side has nothing of it. */
function join<T, P>([head, rest]: [P[], P[]], whole: T, build: (parts: P[]) => T): Halves<T> {
  if (rest.length === 0) return [whole, undefined];
  return head.length === 0 ? [undefined, whole] : [build(head), build(rest)];
}

const withValue = <T, K extends keyof T>(thing: T, key: K, value: T[K] | undefined): T | undefined =>
  value === undefined ? undefined : value === thing[key] ? thing : { ...thing, [key]: value };

function cutItem(item: Item, way: Way): Halves<Item> {
  way.left--;
  const [head, rest] = cutAll(item.blocks, way, cutBlock);
  if (rest.length === 0) return [item, undefined];
  if (head.length === 0) return [undefined, item];
  return [
    { ...item, blocks: head },
    { ...item, blocks: rest, isContinued: true },
  ];
}

function cutRow(row: Inline[][], way: Way): Halves<Inline[][]> {
  return cutWhole(row, lengthOfRow(row), way);
}

function cutSpan(node: Inline, way: Way): Halves<Inline> {
  switch (node.type) {
    case "text": {
      const [head, rest] = cutText(node.words, way, (words) => words.trimStart());
      return [withValue(node, "words", head?.trimEnd() || undefined), withValue(node, "words", rest)];
    }
    case "code": {
      const [head, rest] = cutText(node.code, way, (code) => code);
      return [withValue(node, "code", head), withValue(node, "code", rest)];
    }
    default:
      if (!("inner" in node) || node.inner.length === 0) return cutWhole(node, lengthOf(node), way);
      return join(cutSpans(node.inner, way), node, (inner) => ({ ...node, inner }));
  }
}

function cutSpans(nodes: Inline[], way: Way): [Inline[], Inline[]] {
  const [head, rest] = cutAll(nodes, way, cutSpan);
  return [head, trimStart(rest)];
}

/** Goes to the one side or the other. */
function cutWhole<T>(thing: T, length: number, way: Way): Halves<T> {
  const fits = length <= way.left;
  way.left = fits ? way.left - length : 0;
  return fits ? [thing, undefined] : [undefined, thing];
}

function cutText(text: string, way: Way, trimRest: (rest: string) => string): Halves<string> {
  const place = way.left;
  way.left = Math.max(0, place - text.length);
  if (text.length <= place) return [text, undefined];
  const rest = trimRest(text.slice(place));
  if (rest === "") return [text, undefined];
  return [place === 0 ? undefined : text.slice(0, place), rest];
}

export const lengthOfRow = (row: Inline[][]): number =>
  1 + row.reduce((sum, cell) => sum + cell.reduce((length, node) => length + lengthOf(node), 0), 0);

export function lengthOf(node: Inline): number {
  switch (node.type) {
    case "text":
    case "mention":
      return node.words.length;
    case "code":
      return node.code.length;
    case "image":
      return node.alt.length + node.url.length;
    case "break":
      return 1;
    case "link":
      if (node.inner.length === 0) return node.url.length;
  }
  return node.inner.reduce((sum, inner) => sum + lengthOf(inner), 0);
}
