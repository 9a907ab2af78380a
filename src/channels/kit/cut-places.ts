/** Where a document may be cut: between blocks and lines, between words, or at worst between two characters. */
import { lengthOf, lengthOfRow } from "./cut-document.ts";
import type { Block, Inline } from "./document.ts";
import { boundaryAtOrBefore, pairStart } from "./graphemes.ts";

/** Places as `cutDocument` counts them, ascending; each leaves something on both sides. */
export interface CutPlaces {
  lines: number[];
  words: number[];
  texts: { from: number; text: string }[];
  end: number;
}

/** A newline; a space; the end of a sentence in languages that put no spaces. */
const seams = /\n|[ \t]+|[。！？；，、：]/g;

export function listCutPlaces(blocks: Block[]): CutPlaces {
  const places: CutPlaces = { lines: [], words: [], texts: [], end: 0 };
  visitBlocks(places, blocks);
  return places;
}

/** The next places at or before `place` that are not within what a reader takes for one character, and what a computer does. */
export function snapPlace({ texts }: CutPlaces, place: number): [number, number] {
  const within = texts.find(({ from, text }) => from < place && place < from + text.length);
  if (!within) return [place, place];
  const { from, text } = within;
  return [from + boundaryAtOrBefore(text, place - from), from + pairStart(text, place - from)];
}

function visitBlocks(places: CutPlaces, blocks: Block[]): void {
  for (const [index, block] of blocks.entries()) {
    begin(places, index);
    if (block.type === "paragraph" || block.type === "heading") visitSpans(places, block.inner);
    else if (block.type === "code") visitText(places, block.code);
    else if (block.type === "quote") visitBlocks(places, block.blocks);
    else if (block.type === "table") {
      places.end += lengthOfRow(block.header);
      for (const [number, row] of block.rows.entries()) {
        begin(places, number);
        places.end += lengthOfRow(row) - 1;
      }
    } else if (block.type === "list") {
      for (const [number, item] of block.items.entries()) {
        begin(places, number);
        visitBlocks(places, item.blocks);
      }
    }
  }
}

/** A block, an item or a row, which counts one; between two of them is a place. */
function begin(places: CutPlaces, index: number): void {
  if (index > 0) places.lines.push(places.end);
  places.end++;
}

function visitSpans(places: CutPlaces, nodes: Inline[]): void {
  for (const node of nodes) {
    if (node.type === "text") visitText(places, node.words);
    else if (node.type === "code") visitText(places, node.code);
    else if (node.type === "break") visitText(places, "\n");
    else if ("inner" in node && node.inner.length > 0) visitSpans(places, node.inner);
    else places.end += lengthOf(node);
  }
}

function visitText(places: CutPlaces, text: string): void {
  const { lines, words, texts, end } = places;
  for (const { 0: seam, index } of text.matchAll(seams)) {
    const at = seam.trim() === "" ? index : index + 1;
    if (at > 0 || texts.length > 0) (seam === "\n" ? lines : words).push(end + at);
  }
  texts.push({ from: end, text });
  places.end += text.length;
}
