/** What the chat adds to the scrollback, piece by piece, and the empty lines between the pieces. */
import type { Paints } from "../../kit/ansi.ts";
import { hangLines } from "../../kit/layout.ts";
import { neutralise } from "../../kit/neutralise.ts";
import { truncate, wrapWords } from "../../kit/wrap.ts";
import { formatStyled } from "../format.ts";

export interface Block {
  type: "user" | "reply" | "tool" | "note";
  /** Lines for a terminal of `room` columns. */
  toLines(room: number): string[];
}

export interface Blocks {
  /** What was entered; of a long paste only the beginning. */
  user(text: string): Block;
  /** None for blank Markdown. */
  reply(markdown: string): Block[];
  note(text: string): Block;
  /** A headline with its end (a duration) always in sight, and output below it. */
  tool(head: { sign: string; label: string; end: string }, output: string[]): Block;
}

const maxUserLines = 20;

export function createBlocks({ paint, color }: { paint: Paints; color: boolean }): Blocks {
  return {
    user(text) {
      const lines = neutralise(text).split("\n");
      const more = lines.length - maxUserLines;
      const shown = more > 0 ? [...lines.slice(0, maxUserLines), `… ${more} more lines`] : lines;
      return {
        type: "user",
        toLines: (room) =>
          hangLines(paint.cyan("❯ "), wrapWords(shown.map(paint.bold).join("\n"), room - 2)).split("\n"),
      };
    },
    reply: (markdown) =>
      markdown.trim() === "" ? [] : [{ type: "reply", toLines: (room) => formatStyled(markdown, room, color) }],
    note: (text) => ({
      type: "note",
      toLines: (room) => wrapWords(neutralise(text).trimEnd(), room).split("\n").map(paint.dim),
    }),
    tool: ({ sign, label, end }, output) => ({
      type: "tool",
      toLines: (room) => [
        `${sign} ${truncate(label, room - end.length - 4)} ${paint.dim(end)}`,
        ...output.map((line) => paint.dim(`  ${truncate(line, room - 2)}`)),
      ],
    }),
  };
}

/** Tool lines and notes stand close together; everything else has air around it. */
export function hasGap(previous: Block["type"] | undefined, next: Block["type"]): boolean {
  if (previous === undefined) return false;
  return !(previous === next && (next === "tool" || next === "note"));
}
