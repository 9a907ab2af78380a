/**
 * GitHub's Markdown out again, cleaned: for platforms that take it as it is (Slack's `markdown_text`, Telegram's rich
 * messages). Words that were no markup stay words there too, and a platform's own commands (`<!here>`, `<@U1>`) are words.
 */
import type { Cell, Dialect, ListItem, Table } from "../dialect.ts";
import { buildCodeTable, buildList, prefixLines } from "../layout.ts";
import { breakMassMentions, type MentionWriter } from "../mentions.ts";
import {
  boxItems,
  buildCodeSpan,
  buildHeading,
  buildMarkdownLink,
  escapeMarks,
  longestRun,
  partMarks,
} from "./markdown-marks.ts";

/** Telegram shows no more. */
const maxColumns = 20;

export function createRichMarkdownDialect(mentions?: MentionWriter): Dialect {
  const strong = (inner: string) => `**${inner}**`;
  return {
    text: writeWords,
    strong,
    emphasis: (inner) => `*${inner}*`,
    strike: (inner) => `~~${inner}~~`,
    codeSpan: buildCodeSpan,
    link: writeLink,
    image: writeLink,
    lineBreak: "  \n",
    seam: partMarks,
    // Four spaces at the start of a line would make it code, and a blank line ends whatever is open.
    paragraph: (inner) => inner.replace(/\n\s+/g, "\n").trim(),
    heading: buildHeading,
    codeBlock: writeCode,
    quote: (body, room) => prefixLines("> ", body(room)),
    list: (items, isLoose, room) => buildList(writeItems(items), isLoose, room, { bullet: "-" }),
    table: (table) =>
      isWritable(table) ? writeTable(table) : buildCodeTable(table, (grid) => writeCode(grid, ""), strong),
    // Below a line of text the other kind would make it a heading.
    rule: () => "***",
    blockGap: "\n\n",
    mentions,
  };
}

/** `&lt;` is a plain `<` to Markdown and to Slack's own parser alike. */
const writeWords = (words: string, isLineStart = true): string =>
  escapeMarks(keepEntities(breakMassMentions(words)), isLineStart).replaceAll("<", "&lt;");

function writeLink(label: string, url: string): string {
  const address = keepEntities(url);
  return label === "" ? `<${address}>` : buildMarkdownLink(label, address);
}

/** An item that goes on is an item again: a line that is only indented like one would be code. */
const writeItems = (items: ListItem[]): ListItem[] =>
  boxItems(items, ["[ ]", "[x]"]).map(({ isContinued: _, ...item }) => item);

/** What looks like an entity was none. */
const keepEntities = (text: string): string => text.replace(/&(?=#?\w+;)/g, "&amp;");

function writeCode(code: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

/** A line between columns cannot be told from one inside a cell by every reader of Markdown. */
const isWritable = ({ header, rows }: Table): boolean =>
  header.length <= maxColumns && ![header, ...rows].flat().some(({ plain }) => plain.includes("|"));

function writeTable({ header, rows, align }: Table): string {
  const toLine = ({ inner }: Cell) =>
    inner
      .split("\n")
      .map((line) => line.trim())
      .join(" ");
  const writeRow = (cells: Cell[]) => `| ${cells.map(toLine).join(" | ")} |`;
  const lines = { left: "---", center: ":-:", right: "--:" };
  const rule = `| ${align.map((side) => lines[side]).join(" | ")} |`;
  return [writeRow(header), rule, ...rows.map(writeRow)].join("\n");
}
