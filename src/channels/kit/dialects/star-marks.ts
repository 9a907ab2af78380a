/**
 * What Slack's mrkdwn and WhatsApp have in common: `*bold* _italic_ ~struck~`, code in backticks, quotes with `>`, and no way
 * to escape a mark. Marks count only around whole words on one line.
 */
import type { Dialect } from "../dialect.ts";
import { buildCodeTable, buildList, keepLines, prefixLines } from "../layout.ts";
import { breakMassMentions, inertMark } from "../mentions.ts";

/** `encode` is applied to all text, code included. */
export function buildStarMarks(encode: (text: string) => string, link: Dialect["link"]): Dialect {
  const strong = markLines("*");
  const codeBlock = (code: string) => keepLines(`\`\`\`\n${encode(breakFences(code))}\n\`\`\``);
  return {
    text: (words, isLineStart = true) => encode(maskQuotes(maskTicks(breakMassMentions(words)), isLineStart)),
    strong,
    emphasis: markLines("_"),
    strike: markLines("~"),
    codeSpan: (code) => `\`${encode(maskTicks(code))}\``,
    link,
    image: link,
    lineBreak: "\n",
    seam: (before, after) => (isTouching(before, after) ? inertMark : ""),
    paragraph: (inner) => inner,
    heading: strong,
    codeBlock,
    quote: (body, room) => prefixLines("> ", body(room)),
    list: (items, isLoose, room) => buildList(items, isLoose, room, { bullet: "•", boxes: ["☐", "☑"] }),
    table: (table) => buildCodeTable(table, codeBlock, strong),
    rule: () => "──────────",
    blockGap: "\n\n",
  };
}

const markLines = (sign: string) => (inner: string) => inner.replace(/\S.*\S|\S/g, (line) => sign + line + sign);

/** A backtick that is not to begin or end code cannot be written; this one looks the same. */
const maskTicks = (text: string): string => text.replaceAll("`", "ˋ");

/** At the start of a line it would be a quote. */
const maskQuotes = (words: string, isLineStart: boolean): string =>
  words.replace(/^>/gm, (sign, at: number) => (at > 0 || isLineStart ? inertMark + sign : sign));

/** Inside a block only three of them end it, and code is copied. */
const breakFences = (text: string): string => text.replace(/`(?=``)/g, `\`${inertMark}`);

/** A mark beside a letter or another mark is not taken for one: `un*believ*able`. */
function isTouching(before: string, after: string): boolean {
  const end = before.slice(-2);
  return (
    (/[*_~`]$/.test(end) && /^[^\s\p{P}]|^[*_~`]/u.test(after)) || (/^[*_~`]/.test(after) && /[^\s\p{P}]$/u.test(end))
  );
}
