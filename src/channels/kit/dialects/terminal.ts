/** Markdown for a terminal: weights and colours where it has them, wrapped at words, code left as it is for copying. */
import { createPaints } from "../ansi.ts";
import type { Dialect } from "../dialect.ts";
import { buildList, buildTable, minRoom, prefixLines } from "../layout.ts";
import { wrapWords } from "../wrap.ts";
import { formatLink, plainDialect } from "./plain.ts";

export function createTerminalDialect(color: boolean): Dialect {
  const paint = createPaints(color);
  return {
    ...plainDialect,
    strong: paint.bold,
    emphasis: paint.italic,
    strike: color ? paint.strike : (inner) => `~${inner}~`,
    codeSpan: color ? paint.cyan : (code) => `\`${code}\``,
    link: (label, url) => formatLink(label, url, paint.underline),
    image: (alt, url) => formatLink(alt, url, paint.underline),
    paragraph: wrapWords,
    heading: (inner, depth, room) =>
      wrapWords(
        color ? paint.bold(depth === 1 ? paint.underline(inner) : inner) : `${"#".repeat(depth)} ${inner}`,
        room,
      ),
    codeBlock: (code) => prefixLines("  ", code.split("\n").map(paint.cyan).join("\n")),
    quote: (body, room) => prefixLines(paint.dim("│ "), body(Math.max(minRoom, room - 2))),
    list: (items, isLoose, room) => buildList(items, isLoose, room, { bullet: "•", isAligned: true }),
    table: (table, room) => buildTable(table, room, paint.bold),
    rule: (room) => paint.dim("─".repeat(Math.min(room, 40))),
  };
}
