/**
 * Markdown → HTML, without trust in its writer. HTML that stands in the text is shown as text, links lead only to the web or
 * to mail, pictures are only those that are in the text itself. sanitise.ts is a second wall behind this one. Pure.
 */
import { Marked, type Token, type Tokens } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";

/** Marks that models use where Markdown has none. Nothing of them can carry an attribute. */
const harmlessTag = /^<(?:\/?(?:sub|sup|kbd|mark|u|b|i|em|strong|code)|br\s*\/?)>$/i;
const imageData = /^(?:data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+|blob:[^\s"'<>]+)$/i;
const languageName = /^[\w+#.-]{1,32}$/;
/** Under the heading of the page and the name of who speaks. */
const headingOffset = 2;

function createMarked(breaks: boolean): Marked {
  return new Marked({
    gfm: true,
    breaks,
    renderer: {
      html: ({ text }) => (harmlessTag.test(text.trim()) ? text : escapeHtml(text)),
      code: ({ text, lang = "" }) => {
        const language = lang.trim().split(/\s/, 1)[0] ?? "";
        const mark = languageName.test(language) ? ` class="language-${language}"` : "";
        return `<pre><code${mark}>${escapeHtml(text)}</code></pre>\n`;
      },
      heading({ tokens, depth }) {
        const level = Math.min(6, depth + headingOffset);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const address = toSafeAddress(href);
        return address === undefined ? inside : formatLink(address, inside);
      },
      image: ({ href, text }) => {
        if (imageData.test(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
        const address = toSafeAddress(href);
        const name = escapeHtml(text === "" ? (address ?? "picture") : text);
        return address === undefined ? name : formatLink(address, name);
      },
    },
  });
}

const answers = createMarked(false);
/** People end lines where they mean them to end. */
const messages = createMarked(true);

/** Web and mail only, whole addresses only: mom's own page must not be reached by a link in a message. */
export function toSafeAddress(href: string): string | undefined {
  const url = URL.parse(href.trim());
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

const formatLink = (address: string, inside: string) =>
  `<a href="${escapeHtml(address)}" title="${escapeHtml(address)}" target="_blank" rel="noopener noreferrer">${inside}</a>`;

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

export type Style = "answer" | "message";

/** One piece between two blank lines, a list, a block of code …: what is drawn, and drawn again, by itself. */
export interface Block {
  raw: string;
  kind: string;
  tokens: Token[];
}

/** What cannot be read as Markdown, or would take too long, is one block of kind `plain`. */
export function splitBlocks(text: string, style: Style): Block[] {
  try {
    return lexBlocks(text, style);
  } catch {
    return [toPlain(text)];
  }
}

function lexBlocks(text: string, style: Style): Block[] {
  const tokens = new BoundedLexer(markedOf(style).defaults, text.length).lex(text);
  const links = tokens.links;
  return tokens.flatMap((token) => {
    if (token.type === "space" || token.type === "def") return [];
    // The parser looks up links of the form [name] in the list it is given.
    const own = Object.assign([token], { links });
    return [{ raw: token.raw, kind: token.type, tokens: own }];
  });
}

const toPlain = (text: string): Block => ({ raw: text, kind: "plain", tokens: [] });

export function blockToHtml({ raw, kind, tokens }: Block, style: Style): string {
  if (kind === "plain") return plainHtml(raw);
  try {
    return markedOf(style).parser(tokens);
  } catch {
    return plainHtml(raw);
  }
}

const markedOf = (style: Style): Marked => (style === "answer" ? answers : messages);
const plainHtml = (text: string) => `<p>${escapeHtml(text).replaceAll("\n", "<br>")}</p>\n`;

/** The text of a block that is nothing but code. */
export function codeOf({ tokens }: Block): { text: string; language: string } | undefined {
  const token = tokens[0];
  if (token?.type !== "code") return undefined;
  const { text, lang = "" } = token as Tokens.Code;
  const language = lang.trim().split(/\s/, 1)[0] ?? "";
  return { text, language: languageName.test(language) ? language : "" };
}
