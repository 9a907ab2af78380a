/**
 * Signal takes plain text and, beside it, which stretches of it are bold and so on. The dialect writes private signs around
 * those; at the very end the signs are taken out and become ranges, so that nothing before needs to know where it stands.
 */
import type { Dialect } from "../dialect.ts";
import { buildCodeTable, buildList, keepLines, prefixLines } from "../layout.ts";
import { renderMarkdown } from "../markdown.ts";
import { breakMassMentions } from "../mentions.ts";
import { formatLink } from "./plain.ts";

const styles = ["BOLD", "ITALIC", "STRIKETHROUGH", "MONOSPACE"] as const;

export interface StyleRange {
  /** UTF-16 units. */
  start: number;
  length: number;
  style: (typeof styles)[number];
}

/** No characters, so text cannot hold them: even ones begin a style, odd ones end it. */
const firstSign = 0xfdd2;
const signs = /[\ufdd2-\ufdd9]/g;

const paint = (style: StyleRange["style"]) => {
  const sign = firstSign + 2 * styles.indexOf(style);
  return (inner: string) => String.fromCharCode(sign) + inner + String.fromCharCode(sign + 1);
};
const monospace = paint("MONOSPACE");
const codeBlock = (code: string) => monospace(keepLines(code));

export const signalDialect: Dialect = {
  text: breakMassMentions,
  strong: paint("BOLD"),
  emphasis: paint("ITALIC"),
  strike: paint("STRIKETHROUGH"),
  codeSpan: monospace,
  link: formatLink,
  image: formatLink,
  lineBreak: "\n",
  paragraph: (inner) => inner,
  heading: paint("BOLD"),
  codeBlock,
  quote: (body, room) => prefixLines("> ", body(room)),
  list: (items, isLoose, room) => buildList(items, isLoose, room, { bullet: "•", boxes: ["☐", "☑"] }),
  table: (table) => buildCodeTable(table, codeBlock, paint("BOLD")),
  rule: () => "──────────",
  blockGap: "\n\n",
};

export const renderSignal = (markdown: string): { text: string; ranges: StyleRange[] } =>
  toStyledText(renderMarkdown(markdown, signalDialect));

/** For `measure` of `renderPosts`: the signs are not sent. Bytes, as Signal counts. */
export const measureSignal = (rendered: string): number => Buffer.byteLength(rendered.replace(signs, ""));

/** What the dialect wrote (a post of `renderPosts`) as Signal takes it. */
export function toStyledText(rendered: string): { text: string; ranges: StyleRange[] } {
  const ranges: StyleRange[] = [];
  const open: { start: number; style: StyleRange["style"] }[] = [];
  let text = "";
  let done = 0;
  for (const { 0: sign, index } of rendered.matchAll(signs)) {
    text += rendered.slice(done, index);
    done = index + 1;
    const number = sign.charCodeAt(0) - firstSign;
    const style = styles[number >> 1] ?? "BOLD";
    if (number % 2 === 0) open.push({ start: text.length, style });
    else {
      const begun = open.pop();
      if (begun) ranges.push({ start: begun.start, length: text.length - begun.start, style });
    }
  }
  return { text: text + rendered.slice(done), ranges: ranges.sort((a, b) => a.start - b.start || b.length - a.length) };
}
