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
/** Before the cut and behind it, where it is on one side of something inside; undefined where all of it is before the cut. */
type Halves<T> = [T | undefined, T | undefined] | undefined;

/** Whitespace at the cut is dropped, except in code. */
export function cutDocument(blocks: Block[], place: number): [Block[], Block[]] {
  return cutAll(blocks, { left: place }, cutBlock) ?? [blocks, []];
}

function cutAll<T>(things: T[], way: Way, cutOne: (thing: T, way: Way) => Halves<T>): [T[], T[]] | undefined {
  for (let index = 0; index < things.length; index++) {
    if (way.left <= 0) return [things.slice(0, index), things.slice(index)];
    const halves = cutOne(things[index] as T, way);
    if (!halves) continue;
    const [head, rest] = halves;
    const before = things.slice(0, index);
    if (head !== undefined) before.push(head);
    const behind = things.slice(rest === undefined ? index + 1 : index);
    if (rest !== undefined) behind[0] = rest;
    return [before, behind];
  }
  return undefined;
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
      const cut = cutText(block.code, way);
      return cut && toHalves(cut[0], cut[1].replace(/^\n/, ""), (code) => ({ ...block, code }));
    }
    case "rule":
      return undefined;
  }
}

/** The whole thing, where one side has nothing of it. */
function join<T, P>(cut: [P[], P[]] | undefined, whole: T, build: (parts: P[]) => T): Halves<T> {
  if (!cut) return undefined;
  const [head, rest] = cut;
  if (head.length === 0) return [undefined, whole];
  return rest.length === 0 ? [whole, undefined] : [build(head), build(rest)];
}

function cutItem(item: Item, way: Way): Halves<Item> {
  way.left--;
  const cut = join(cutAll(item.blocks, way, cutBlock), item, (blocks) => ({ ...item, blocks }));
  return cut?.[0] && cut[1] ? [cut[0], { ...cut[1], isContinued: true }] : cut;
}

const cutRow = (row: Inline[][], way: Way): Halves<Inline[][]> => cutWhole(row, lengthOfRow(row), way);

function cutSpan(node: Inline, way: Way): Halves<Inline> {
  if (node.type === "text") {
    const cut = cutText(node.words, way);
    return cut && toHalves(cut[0].trimEnd(), cut[1].trimStart(), (words) => ({ ...node, words }));
  }
  if (node.type === "code") {
    const cut = cutText(node.code, way);
    return cut && toHalves(cut[0], cut[1], (code) => ({ ...node, code }));
  }
  if (!("inner" in node) || node.inner.length === 0) return cutWhole(node, lengthOf(node), way);
  return join(cutSpans(node.inner, way), node, (inner) => ({ ...node, inner }));
}

function cutSpans(nodes: Inline[], way: Way): [Inline[], Inline[]] | undefined {
  const cut = cutAll(nodes, way, cutSpan);
  return cut && [cut[0], trimStart(cut[1])];
}

/** Goes to the one side or the other. */
function cutWhole<T>(thing: T, length: number, way: Way): Halves<T> {
  const fits = length <= way.left;
  way.left = fits ? way.left - length : 0;
  return fits ? undefined : [undefined, thing];
}

function cutText(text: string, way: Way): [string, string] | undefined {
  const place = way.left;
  way.left = Math.max(0, place - text.length);
  return text.length <= place ? undefined : [text.slice(0, place), text.slice(place)];
}

const toHalves = <T>(head: string, rest: string, build: (text: string) => T): Halves<T> => [
  head === "" ? undefined : build(head),
  rest === "" ? undefined : build(rest),
];

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
