/** The HTML of Matrix clients (`formatted_body`): headings, lists and tables are real ones. */
import type { Cell, Dialect, ListItem, Table } from "../dialect.ts";
import { escapeHtml, tag } from "../html.ts";
import { keepLines } from "../layout.ts";
import { breakMassMentions, type MentionWriter } from "../mentions.ts";

export function createMatrixHtmlDialect(mentions?: MentionWriter): Dialect {
  return {
    text: (words) => escapeHtml(breakMassMentions(words)).replaceAll("\n", "<br>"),
    strong: tag("strong"),
    emphasis: tag("em"),
    strike: tag("del"),
    codeSpan: (code) => tag("code")(escapeHtml(code)),
    link: writeLink,
    image: writeLink,
    lineBreak: "<br>",
    paragraph: tag("p"),
    heading: (inner, depth) => tag(`h${depth}`)(inner),
    codeBlock: writeCode,
    quote: (body, room) => tag("blockquote")(body(room)),
    list: writeList,
    table: writeTable,
    rule: () => "<hr>",
    blockGap: "\n",
    mentions,
  };
}

const writeLink = (label: string, url: string): string =>
  tag("a", ` href="${escapeHtml(url)}"`)(label === "" ? escapeHtml(url) : label);

function writeCode(code: string, language: string): string {
  const attribute = language === "" ? "" : ` class="language-${escapeHtml(language)}"`;
  return tag("pre")(tag("code", attribute)(keepLines(escapeHtml(code))));
}

function writeList(items: ListItem[], isLoose: boolean, room: number): string {
  const written = items.map((item) => tag("li")(writeItem(item, isLoose, room))).join("\n");
  const first = items[0]?.number;
  if (first === undefined) return tag("ul")(written);
  return tag("ol", first === 1 ? "" : ` start="${first}"`)(written);
}

/** In a list without blank lines the text of an item is no paragraph of its own. */
function writeItem({ isChecked, body }: ListItem, isLoose: boolean, room: number): string {
  const box = isChecked === undefined ? "" : isChecked ? "☑ " : "☐ ";
  const inner = body(room);
  return isLoose ? inner.replace(/^(<p>)?/, `$1${box}`) : box + inner.replace(/^<p>([\s\S]*?)<\/p>/, "$1");
}

function writeTable({ header, rows }: Table): string {
  const writeRow = (cells: Cell[], name: string) => tag("tr")(cells.map(({ inner }) => tag(name)(inner)).join(""));
  const body = rows.length === 0 ? "" : tag("tbody")(rows.map((row) => writeRow(row, "td")).join("\n"));
  return tag("table")(`${tag("thead")(writeRow(header, "th"))}${body}`);
}
