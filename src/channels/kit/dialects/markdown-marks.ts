/** Ordinary Markdown written out again: what Discord and the platforms that take GitHub's Markdown have in common. */
import type { ListItem } from "../dialect.ts";
import { inertMark } from "../mentions.ts";

/**
 * Marks inside of lines, where they could mean something: not a star between spaces, not an underscore within a word, no tilde
 * that could only begin something, no bracket that is not the end of a label, no backslash before a letter.
 */
const inlineMarks =
  /`|(?<![ \t])\*|\*(?![ \t])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=\S)~|~(?=~|$)|\](?=[([:]|$)|\|(?=\|)|(?<=\|)\||\\(?=[!-/:-@[-`{-~\n]|$)/gu;
/** What makes a line an item, a heading, a quote, a task, an underline or the rule of a table. */
const lineMarks = /^([^\S\n]*)([-+*](?=[ \t#]|$)|#(?=#{0,5}(?:[ \t]|$))|>|\[|[-=|:](?=[-=|: \t]*$))/gm;
const lineNumbers = /^([^\S\n]*\d{1,9})([.)])(?=[ \t]|$)/gm;

/** Plain words that stay plain words. Platforms do not know every escape, so there are no more of them than needed. */
export function escapeMarks(words: string, isLineStart: boolean): string {
  const escaped = words.replace(inlineMarks, "\\$&");
  if (isLineStart) return escapeLines(escaped);
  const end = escaped.indexOf("\n") + 1;
  const first = end === 0 ? escaped : escaped.slice(0, end);
  return first.replace(/^~/, "\\~") + (end === 0 ? "" : escapeLines(escaped.slice(end)));
}

const escapeLines = (lines: string): string => lines.replace(lineMarks, "$1\\$2").replace(lineNumbers, "$1\\$2");

/** Two spans whose marks would run together are kept apart. */
export function partMarks(before: string, after: string): string {
  const last = before.at(-1) ?? "";
  return /^[*~`]$/.test(last) && after.startsWith(last) && !before.endsWith(`\\${last}`) ? inertMark : "";
}

/** `[label](url)`; nothing in the label or the address ends it early. */
export function buildMarkdownLink(label: string, url: string): string {
  const words = label.replaceAll("\n", " ");
  const shown = words.includes("`")
    ? words
    : words.replace(/\\.|[[\]]/g, (sign) => (sign.length > 1 ? sign : `\\${sign}`));
  return `[${shown}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** A heading is one line, and `#` at its end would not be shown. */
export const buildHeading = (inner: string, depth: number): string =>
  `${"#".repeat(depth)} ${inner
    .replaceAll("\n", " ")
    .trim()
    .replace(/(?<!#)#+$/, "\\$&")}`;

/** The longest row of backticks in a text. */
export const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);

/** Code between enough backticks to hold those inside. */
export function buildCodeSpan(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const pad = /^`|`$|^ .* $/.test(code) ? " " : "";
  return fence + pad + code + pad + fence;
}

/** To Markdown a box is part of the text: what belongs to the item is indented by its bullet alone. */
export function boxItems(items: ListItem[], boxes: [string, string]): ListItem[] {
  return items.map(({ isChecked, ...item }) =>
    isChecked === undefined || item.isContinued
      ? item
      : { ...item, body: (room) => `${boxes[isChecked ? 1 : 0]} ${item.body(room)}` },
  );
}
