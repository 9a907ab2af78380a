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
  list: (items, isLoose, room) => buildList(items, isLoose, room, { bullet: "-", isAligned: true }),
  table: (table, room) => buildTable(table, room, (cell) => cell),
  rule: () => "---",
  blockGap: "\n\n",
};

/** The address is always in sight, written with `write`: a label alone could claim another one. */
export function formatLink(label: string, url: string, write = (address: string): string => address): string {
  if (label === url) return write(url);
  const address = url.replace(/^mailto:/i, "");
  const isSame = label === "" || label === address || label === write(address);
  return isSame ? write(address) : `${label} (${write(address)})`;
}
