/**
 * The one Markdown renderer: the lexer of `marked` finds the structure, a dialect writes it. Foreign text, so: control
 * characters are removed (also those written as entities), only web and mail addresses become links, and no input may take
 * long or end the process.
 */
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import type { Body, Dialect, ListItem } from "./dialect.ts";
import { decodeEntities } from "./entities.ts";
import { neutralise } from "./neutralise.ts";

/** The lexer's inline rules are not linear; a longer block is shown as plain words. */
const maxInlineLength = 16_384;
/** Words up to the next mark. Unlike the lexer's own rule it does not look for mail addresses, which takes quadratic time. */
const plainWords =
  /^(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|[\s\S]*?(?:(?=[\\<![`*~_]|\b_|\bhttps?:\/\/|$)|[^ ](?= {2,}\n)))/;

/** Markdown in `dialect`, its lines made for `room` columns. Empty only for blank text. */
export function renderMarkdown(markdown: string, dialect: Dialect, room = Infinity): string {
  const text = neutralise(markdown);
  const tokens = lexSafely(text);
  if (!tokens) return dialect.text(text.trim());
  return renderBlocks(tokens, dialect)(room) || dialect.text(text.trim());
}

/** Cuts a text that is still growing: the blocks that nothing can change any more, and the rest. */
export function splitFinishedBlocks(markdown: string): { finished: string; rest: string } {
  const none = { finished: "", rest: markdown };
  let tokens: Token[];
  try {
    tokens = new Lexer().blockTokens(markdown, []);
  } catch {
    return none;
  }
  const last = tokens.findLastIndex((token) => token.type !== "space");
  if (last <= 0) return none;
  const end = tokens.slice(0, last).reduce((sum, token) => sum + token.raw.length, 0);
  const rest = markdown.slice(end);
  return rest.startsWith(tokens[last]?.raw.trimEnd() ?? "") ? { finished: markdown.slice(0, end), rest } : none;
}

/** Undefined where the nesting is deeper than the lexer can follow. */
function lexSafely(text: string): Token[] | undefined {
  try {
    const lexer = new Lexer({ gfm: true, tokenizer: new HouseTokenizer() });
    const { rules } = lexer.options.tokenizer ?? {};
    if (rules) rules.inline = { ...rules.inline, text: plainWords };
    const tokens = lexer.blockTokens(text, []);
    for (const { src, tokens: inline } of lexer.inlineQueue) {
      if (src.length > maxInlineLength) inline.push({ type: "text", raw: src, text: src });
      else lexer.inlineTokens(src, inline);
    }
    return tokens;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Bare addresses are words; they are tokens only so that marks inside them mean nothing. */
class HouseTokenizer extends Tokenizer {
  override url(src: string): Tokens.Link | undefined {
    const url = /^https?:\/\/[^\s<]*[^\s<?!.,:;*_~'")\]]/i.exec(src)?.[0];
    if (!url) return undefined;
    return {
      type: "link",
      raw: url,
      text: url,
      href: url,
      title: null,
      tokens: [{ type: "text", raw: url, text: url }],
    };
  }
}

function renderBlocks(tokens: Token[], dialect: Dialect, gap = dialect.blockGap): Body {
  return (room) =>
    tokens
      .map((token) => renderBlock(token, dialect, room))
      .filter((block) => block !== "")
      .join(gap);
}

function renderBlock(token: Token, dialect: Dialect, room: number): string {
  const known = token as MarkedToken;
  switch (known.type) {
    case "space":
    case "checkbox":
      return "";
    case "heading":
      return dialect.heading(renderInline(known.tokens, dialect), known.depth, room);
    case "paragraph":
      return dialect.paragraph(renderInline(known.tokens, dialect), room);
    case "text":
      return dialect.paragraph(known.tokens ? renderInline(known.tokens, dialect) : words(known.text, dialect), room);
    case "code":
      return dialect.codeBlock(known.text, known.lang?.split(/\s/, 1)[0] ?? "");
    case "blockquote":
      return dialect.quote(renderBlocks(known.tokens, dialect), room);
    case "list":
      return dialect.list(toListItems(known, dialect), known.loose, room);
    case "table":
      return dialect.table(
        {
          header: known.header.map((cell) => renderInline(cell.tokens, dialect)),
          rows: known.rows.map((row) => row.map((cell) => renderInline(cell.tokens, dialect))),
          align: known.align.map((align) => align ?? "left"),
        },
        room,
      );
    case "hr":
      return dialect.rule(room);
    default:
      return dialect.paragraph(dialect.text(token.raw.trim()), room);
  }
}

function toListItems(list: Tokens.List, dialect: Dialect): ListItem[] {
  const first = typeof list.start === "number" ? list.start : 1;
  return list.items.map((item, index) => ({
    ...(list.ordered ? { number: first + index } : {}),
    ...(item.task ? { isChecked: item.checked === true } : {}),
    body: renderBlocks(item.tokens, dialect, list.loose ? dialect.blockGap : "\n"),
  }));
}

function renderInline(tokens: Token[], dialect: Dialect): string {
  return tokens.map((token) => renderSpan(token, dialect)).join("");
}

function renderSpan(token: Token, dialect: Dialect): string {
  const known = token as MarkedToken;
  switch (known.type) {
    case "text":
      return known.tokens ? renderInline(known.tokens, dialect) : words(known.text, dialect);
    case "escape":
      return dialect.text(known.text);
    case "strong":
      return dialect.strong(renderInline(known.tokens, dialect));
    case "em":
      return dialect.emphasis(renderInline(known.tokens, dialect));
    case "del":
      return dialect.strike(renderInline(known.tokens, dialect));
    case "codespan":
      return dialect.codeSpan(known.text);
    case "br":
      return dialect.lineBreak;
    case "checkbox":
      return "";
    case "link":
      return renderLink(renderInline(known.tokens, dialect), known.href, dialect, dialect.link);
    case "image":
      return renderLink(words(known.text, dialect), known.href, dialect, dialect.image);
    case "html":
      return /^<br\s*\/?>$/i.test(known.text) ? dialect.lineBreak : dialect.text(known.text);
    default:
      return dialect.text(token.raw);
  }
}

function renderLink(label: string, href: string, dialect: Dialect, write: Dialect["link"]): string {
  const url = neutralise(decodeEntities(href)).replace(/\s/g, "");
  if (/^(?:https?:\/\/|mailto:)/i.test(url)) return write(label, url);
  return url === "" ? label : `${label}${dialect.text(` (${url})`)}`;
}

/** Entities may spell control characters too, so the text is made harmless once more. */
const words = (text: string, dialect: Dialect): string => dialect.text(neutralise(decodeEntities(text)));
