/**
 * The blocks of a text that grows at its end. Only the last block can still change, so only it is read again: the rest stays the
 * same objects, and is not drawn again. Pure.
 */
import { type Block, type Style, splitBlocks } from "./to-html.ts";

export interface Growing {
  text: string;
  /** Finished. */
  blocks: readonly Block[];
  /** Where the unfinished rest begins. */
  restAt: number;
  rest: readonly Block[];
}

export const startGrowing: Growing = { text: "", blocks: [], restAt: 0, rest: [] };

export function growBlocks(before: Growing, text: string, style: Style): Growing {
  if (text === before.text) return before;
  // Not longer, but another: begin anew.
  const base = text.startsWith(before.text) ? before : startGrowing;
  const rest = splitBlocks(text.slice(base.restAt), style);
  const last = rest.at(-1);
  if (!last || rest.length === 1) return { ...base, text, rest };
  const lastAt = text.lastIndexOf(last.raw);
  // A block whose raw text is not found as it stands (tabs are rewritten) cannot be cut at: all of it is read again.
  if (lastAt < base.restAt) return { ...base, text, rest };
  return { text, blocks: [...base.blocks, ...rest.slice(0, -1)], restAt: lastAt, rest: [last] };
}
