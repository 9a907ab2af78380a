/**
 * Discord reads Markdown itself, but no tables, and `<…>` and `@everyone` mean something to it. Text is written so that only
 * what was meant is markup.
 */
import type { Dialect } from "../dialect.ts";
import { buildCodeTable, buildList, keepLines, prefixLines } from "../layout.ts";
import { breakMassMentions, inertMark, type MentionWriter } from "../mentions.ts";
import { boxItems, buildCodeSpan, buildHeading, buildMarkdownLink, escapeMarks, partMarks } from "./markdown-marks.ts";
import { formatLink } from "./plain.ts";

/** Mentions of people, roles, chats and commands, emoji, times, places of the server; links without a preview. */
const commands = /<(?=[@#:]|\/[^>\n]{1,200}:|[a-z]+:)/gi;

export function createDiscordDialect(mentions?: MentionWriter): Dialect {
  return {
    text: writeWords,
    strong,
    emphasis: (inner) => `*${inner}*`,
    strike: (inner) => `~~${inner}~~`,
    // Three backticks begin a block wherever they stand.
    codeSpan: (code) => buildCodeSpan(code.replace(/`(?=`)/g, `\`${inertMark}`)),
    link: writeLink,
    image: writeLink,
    lineBreak: "\n",
    // An address goes on up to the next space.
    seam: (before, after) =>
      /^https?:\/\/\S+$/i.test(before) && /^[^\s.,;:!?)\]'"]/.test(after) ? " " : partMarks(before, after),
    paragraph: (inner) => inner,
    heading: (inner, depth) => (depth > 3 ? strong(inner) : buildHeading(inner, depth)),
    codeBlock: writeCode,
    quote: (body, room) => prefixLines("> ", body(room)),
    list: (items, isLoose, room) => buildList(boxItems(items, ["☐", "☑"]), isLoose, room, { bullet: "-" }),
    table: (table) => buildCodeTable(table, (grid) => writeCode(grid, ""), strong),
    rule: () => "──────────",
    blockGap: "\n\n",
    mentions,
  };
}

const strong = (inner: string): string => `**${inner}**`;

const writeWords = (words: string, isLineStart = false): string =>
  escapeMarks(breakMassMentions(words), isLineStart).replace(commands, `<${inertMark}`);

/** Its links lead to the web only. */
function writeLink(label: string, url: string): string {
  if (/^mailto:/i.test(url)) return formatLink(label, url, writeWords);
  return label === "" ? url : buildMarkdownLink(label, url);
}

const writeCode = (code: string, language: string): string =>
  keepLines(`\`\`\`${language}\n${code.replace(/`(?=``)/g, `\`${inertMark}`)}\n\`\`\``);
