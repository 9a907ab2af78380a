/** Words without marks: for pipes, and for platforms that show text as it is. */
import type { Dialect } from "../dialect.ts";
import { buildList, buildTable, prefixLines } from "../layout.ts";

export const plainDialect: Dialect = {
  text: (words) => words,
  strong: (inner) => inner,
  emphasis: (inner) => inner,
  strike: (inner) => inner,
  codeSpan: (code) => code,
  link: (label, url) => formatLink(label, url),
  image: (alt, url) => formatLink(alt, url),
  lineBreak: "\n",
  paragraph: (inner) => inner,
  heading: (inner) => inner,
  codeBlock: (code) => code,
  quote: (body, room) => prefixLines("> ", body(room - 2)),
  list: (items, isLoose, room) => buildList(items, isLoose, room, "-"),
  table: (table, room) => buildTable(table, room, (cell) => cell),
  rule: () => "---",
  blockGap: "\n\n",
};

/** The address is always in sight: a label alone could claim another one. */
export function formatLink(label: string, url: string): string {
  const isSame = label === "" || label === url || `mailto:${label}` === url;
  return isSame ? label || url : `${label} (${url})`;
}
