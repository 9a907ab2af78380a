/**
 * Markdown → document: the tokens of the lexer, cleaned. Control characters are removed (also those written as entities),
 * only web and mail addresses become links, raw HTML is text, and names that the platform knows become mentions.
 */
import type { MarkedToken, Token, Tokens } from "marked";
import type { Block, Inline, Item } from "./document.ts";
import { decodeEntities } from "./entities.ts";
import { hasInk } from "./ink.ts";
import { lex } from "./lex.ts";
import { encodeMassMentions, type MentionWriter, splitMentions } from "./mentions.ts";
import { neutralise } from "./neutralise.ts";
import { trimStart } from "./trim-start.ts";

type Style = "strong" | "emphasis" | "strike";

/** What holds for everything inside a node. */
interface Surroundings {
  mentions?: MentionWriter | undefined;
  usedAddresses: ReadonlySet<string>;
  /** Inside a link nothing else can be clicked. */
  isLabel?: boolean;
  /** A style inside the same style says nothing more. Headings are strong. */
  styles: readonly Style[];
}

/** Empty only where there is nothing to see in `markdown` at all, not even its marks. */
export function parseDocument(markdown: string, mentions?: MentionWriter): Block[] {
  const text = neutralise(markdown).toWellFormed();
  try {
    const { tokens, usedAddresses } = lex(text);
    const blocks = toBlocks(tokens, { mentions, usedAddresses, styles: [] });
    if (blocks.length > 0) return blocks;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return hasInk(text) ? [buildParagraph(text.trim())] : [];
}

export const buildParagraph = (words: string): Block => ({ type: "paragraph", inner: [{ type: "text", words }] });

function toBlocks(tokens: Token[], around: Surroundings): Block[] {
  return tokens.flatMap((token) => toBlock(token as MarkedToken, around) ?? []);
}

function toBlock(token: MarkedToken, around: Surroundings): Block | undefined {
  switch (token.type) {
    case "space":
      return undefined;
    case "heading":
      return keepVisible(toInlines(token.tokens, { ...around, styles: ["strong"] }), token.depth);
    case "paragraph":
    case "text":
      return keepVisible(toInlines(token.tokens ?? [token], around));
    case "code":
      return hasInk(token.text) ? { type: "code", code: token.text, language: pickLanguage(token.lang) } : undefined;
    case "blockquote": {
      const blocks = toBlocks(token.tokens, around);
      return blocks.length > 0 ? { type: "quote", blocks } : undefined;
    }
    case "list": {
      const items = toItems(token, around);
      return items.length > 0 ? { type: "list", isLoose: token.loose, items } : undefined;
    }
    case "table":
      return toTable(token, around);
    case "hr":
      return { type: "rule" };
    case "def":
      return around.usedAddresses.has(token.href) ? undefined : buildParagraph(token.raw.trim());
    default:
      return hasInk(token.raw) ? buildParagraph(token.raw.trim()) : undefined;
  }
}

/** A heading, where it has a depth. */
function keepVisible(nodes: Inline[], depth?: number): Block | undefined {
  if (!nodes.some(isVisible)) return undefined;
  const inner = trimStart(nodes);
  return depth === undefined ? { type: "paragraph", inner } : { type: "heading", depth, inner };
}

function isVisible(node: Inline): boolean {
  if (node.type === "text") return hasInk(node.words);
  if (node.type === "break") return false;
  return !("inner" in node) || node.type === "link" || node.inner.some(isVisible);
}

const pickLanguage = (info = ""): string => /^[\w+#.-]{1,32}(?=\s|$)/.exec(info)?.[0] ?? "";

/** A bullet with nothing behind it is nothing; several of them would be a rule to Markdown. */
function toItems(list: Tokens.List, around: Surroundings): Item[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const items = list.items.map(({ tokens }, index) => ({
    ...(list.ordered ? { number: first + index } : {}),
    ...toTask(takeBox(tokens), toBlocks(tokens, around)),
  }));
  return items.filter(({ number, blocks }) => number !== undefined || blocks.length > 0);
}

/** The box of a task stands before words; where there are none it is a word itself. */
function toTask(isChecked: boolean | undefined, blocks: Block[]): Pick<Item, "blocks" | "isChecked"> {
  if (isChecked === undefined) return { blocks };
  if (blocks[0]?.type === "paragraph") return { blocks, isChecked };
  return { blocks: [buildParagraph(isChecked ? "[x]" : "[ ]"), ...blocks] };
}

/** Whether the box before the words of an item is checked; it is taken out of the tokens. */
function takeBox([first]: Token[]): boolean | undefined {
  const words = first?.type === "text" || first?.type === "paragraph" ? first.tokens?.[0] : undefined;
  const box = words?.type === "text" ? /^\[([ xX])\][ \t]+/.exec(words.raw) : null;
  if (!words || !box) return undefined;
  words.raw = words.raw.slice(box[0].length);
  return box[1] !== " ";
}

function toTable(token: Tokens.Table, around: Surroundings): Block | undefined {
  const header = token.header.map((cell) => toInlines(cell.tokens, { ...around, styles: ["strong"] }));
  const rows = token.rows.map((row) => row.map((cell) => toInlines(cell.tokens, around)));
  if (![header, ...rows].flat(2).some(isVisible)) return undefined;
  return { type: "table", header, rows, align: token.align.map((align) => align ?? "left") };
}

function toInlines(tokens: Token[], around: Surroundings): Inline[] {
  const joined: Inline[] = [];
  for (const node of tokens.flatMap((token) => toInline(token as MarkedToken, around))) {
    const last = joined.at(-1);
    if (node.type === "text" && last?.type === "text") joined[joined.length - 1] = buildText(last.words + node.words);
    else joined.push(node);
  }
  const { mentions, isLabel } = around;
  if (!mentions || isLabel) return joined;
  return joined.flatMap((node) => (node.type === "text" ? splitMentions(node.words, mentions) : node));
}

const buildText = (words: string): Inline => ({ type: "text", words });

function toInline(token: MarkedToken, around: Surroundings): Inline[] {
  switch (token.type) {
    case "text":
      // Not `text`, in which the lexer has decoded some of the entities already.
      return "tokens" in token && token.tokens ? toInlines(token.tokens, around) : [toWords(token.raw)];
    case "escape":
      return [buildText(token.text)];
    case "strong":
      return toStyled("strong", token.tokens, around);
    case "em":
      return toStyled("emphasis", token.tokens, around);
    case "del":
      return toStyled("strike", token.tokens, around);
    case "codespan":
      return hasInk(token.text) ? [{ type: "code", code: token.text }] : [buildText(token.text)];
    case "br":
      return [{ type: "break" }];
    case "link":
      return toLink(token as Tokens.Link, around);
    case "image":
      return toImage(token, around);
    case "html":
      return /^<br\s*\/?>$/i.test(token.text) ? [{ type: "break" }] : [buildText(token.text)];
    default:
      return [buildText(token.raw)];
  }
}

function toStyled(type: Style, tokens: Token[], around: Surroundings): Inline[] {
  const inner = toInlines(tokens, { ...around, styles: [...around.styles, type] });
  return around.styles.includes(type) || !inner.some(isVisible) ? inner : [{ type, inner }];
}

function toLink({ href, tokens }: Pick<Tokens.Link, "href" | "tokens">, around: Surroundings): Inline[] {
  const label = toInlines(tokens, { ...around, isLabel: true });
  if (around.isLabel) return label;
  const url = toUrl(href);
  const words = label.length === 1 && label[0]?.type === "text" ? label[0].words : undefined;
  const isSame = words !== undefined && cleanUrl(words) === url;
  if (!isSafe(url)) return url === "" || isSame ? label : [...label, buildText(` (${url})`)];
  const isBlank = !label.some(isVisible);
  // The scheme of a mail address is nothing to read.
  if (/^mailto:/i.test(url)) return [{ type: "link", url, inner: isBlank ? [buildText(url.slice(7))] : label }];
  return [{ type: "link", url, inner: isSame || isBlank ? [] : label }];
}

function toImage(token: Tokens.Image, around: Surroundings): Inline[] {
  const alt = toWords(token.text);
  const url = toUrl(token.href);
  if (around.isLabel || url === "") return [alt];
  if (isSafe(url)) return [{ type: "image", url, alt: alt.words }];
  return [buildText(`${alt.words} (${url})`)];
}

const isSafe = (url: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(url);

const toUrl = (href: string): string => cleanUrl(neutralise(decodeEntities(href)));

/** What could end an address in one of the dialects is encoded, and so is what some platforms would find in it. */
function cleanUrl(address: string): string {
  const url = address.replace(/\s/g, "").replace(/["<>\\^`{|}]/g, (sign) => encodeURIComponent(sign));
  return /^https?:/i.test(url) ? encodeMassMentions(url) : url;
}

/** Entities may spell control characters too, so the text is made harmless once more. */
const toWords = (raw: string): { type: "text"; words: string } => ({
  type: "text",
  words: raw.includes("&") ? neutralise(decodeEntities(raw)) : raw,
});
