/**
 * Reads the Markdown of a rich message: what a reader sees of it, what it had besides words (tags, formulas, media: what a
 * model must not be able to slip in), and whether it keeps within Telegram's limits.
 */
import { Lexer, type MarkedToken, type Token } from "marked";
import { badRequest } from "./bot-error.ts";

export interface ParsedRich {
  text: string;
  /** Things beyond ordinary Markdown, by kind: `<u>`, `math`, `spoiler`, `mark`, `media`. */
  extras: string[];
}

const maxCharacters = 32_768;
const maxBlocks = 500;
const maxDepth = 16;
const maxColumns = 20;

export function parseRichMarkdown(markdown: string): ParsedRich {
  const walk = { blocks: 0, extras: [] as string[] };
  const text = blocksText(new Lexer({ gfm: true }).lex(markdown), walk, 1).trim();
  if (text === "" && walk.extras.length === 0) throw badRequest("message text is empty");
  if (Array.from(text).length > maxCharacters) throw badRequest("rich message is too long");
  if (walk.blocks > maxBlocks) throw badRequest("rich message has too many blocks");
  return { text, extras: walk.extras };
}

interface Walk {
  blocks: number;
  extras: string[];
}

function blocksText(tokens: Token[], walk: Walk, depth: number, gap = "\n\n"): string {
  if (depth > maxDepth) throw badRequest("rich message is nested too deeply");
  return tokens
    .map((token) => blockText(token as MarkedToken, walk, depth))
    .filter((text) => text !== "")
    .join(gap);
}

function blockText(token: MarkedToken, walk: Walk, depth: number): string {
  if (token.type === "space" || token.type === "def" || token.type === "checkbox") return "";
  walk.blocks++;
  switch (token.type) {
    case "heading":
    case "paragraph":
      return inlineText(token.tokens, walk);
    case "text":
      return token.tokens ? inlineText(token.tokens, walk) : words(token.text, walk);
    case "code":
      return token.text;
    case "blockquote":
      return blocksText(token.tokens, walk, depth + 1);
    case "list":
      return token.items
        .map((item) => {
          walk.blocks++;
          const box = item.task ? `[${item.checked ? "x" : " "}] ` : "";
          return `- ${box}${blocksText(item.tokens, walk, depth + 1, "\n")}`;
        })
        .join("\n");
    case "table":
      if (token.header.length > maxColumns) throw badRequest("rich message has a table with too many columns");
      walk.blocks += token.rows.length + 1;
      return [token.header, ...token.rows]
        .map((row) => row.map((cell) => inlineText(cell.tokens, walk)).join(" | "))
        .join("\n");
    case "html":
      walk.extras.push(token.text.trim());
      return "";
    case "hr":
      return "---";
    default:
      return token.raw;
  }
}

function inlineText(tokens: Token[], walk: Walk): string {
  return tokens
    .map((token) => {
      const known = token as MarkedToken;
      switch (known.type) {
        case "strong":
        case "em":
        case "del":
        case "link":
          return inlineText(known.tokens, walk);
        case "escape":
        case "codespan":
          return known.text;
        case "text":
          return known.tokens ? inlineText(known.tokens, walk) : words(known.text, walk);
        case "br":
          return "\n";
        case "checkbox":
          return "";
        case "html":
          walk.extras.push(known.text);
          return "";
        case "image":
          walk.extras.push("media");
          return known.text;
        default:
          return token.raw;
      }
    })
    .join("");
}

const marks: [string, RegExp][] = [
  ["math", /\$(?=\S)([^$\n]*\S)\$/g],
  ["spoiler", /\|\|([^|\n]+)\|\|/g],
  ["mark", /==([^=\n]+)==/g],
  ["footnote", /\[\^([\w-]+)\]/g],
];
const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Words between marks of Markdown; Telegram's own marks are taken away and noted. A line end is a space. */
function words(text: string, walk: Walk): string {
  const bare = marks.reduce(
    (rest, [kind, pattern]) =>
      rest.replace(pattern, (_whole, inner: string) => {
        walk.extras.push(kind);
        return inner;
      }),
    text,
  );
  return bare
    .replace(/ *\n */g, " ")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return named[name] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
    });
}
