/**
 * HTML to what a model reads: the content picked, turned into Markdown or plain text block by block until there is enough,
 * and what can be told about the page itself. Pure but for the reader it is given; runs in the page thread. Of a very long
 * page the first part is parsed, since mostly no more is asked for; what comes of it is the beginning of the whole.
 */
import { leanHtml } from "./lean-html.ts";
import { isElement, type PageDocument, type PageElement, type PageNode } from "./page-dom.ts";
import { type PageContent, type PageReader, pickContent } from "./pick-content.ts";
import { createToMarkdown } from "./to-markdown.ts";
import { toPlainText } from "./to-plain-text.ts";

export interface PageJob {
  html: string;
  url: string;
  format: "markdown" | "text";
  /** No more blocks are turned once there is so much text. */
  enoughChars: number;
}

export interface ReadPage {
  title: string;
  byline?: string;
  siteName?: string;
  publishedTime?: string;
  text: string;
  /** There is more than `text` has. */
  isCut: boolean;
  /** The article was found; false: the main part or the whole page. */
  isArticle: boolean;
  /** Hardly any text, but scripts that would make it. */
  needsScripts: boolean;
  /** Asks for a password and says little else. */
  wantsLogin: boolean;
}

/** Of markup without scripts and styles. */
const longPageChars = 400_000;
const fewChars = 200;
const littleChars = 1500;

export function readPage({ html, url, format, enoughChars }: PageJob, reader: PageReader): ReadPage {
  const lean = leanHtml(html);
  const base = /<base\b[^>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(lean)?.[1];
  const convert = format === "text" ? toPlainText : createToMarkdown(reader, URL.parse(base ?? "", url)?.href ?? url);
  const { content, text, isCut } = readContent({ lean, convert, enoughChars }, reader);
  return {
    ...describe(content),
    text,
    isCut,
    isArticle: content?.isArticle ?? false,
    needsScripts: text.length < fewChars && /<script\b/i.test(html),
    wantsLogin: text.length < littleChars && /<input\b[^>]{0,500}?\btype\s*=\s*["']?password/i.test(lean),
  };
}

interface Reading {
  content: PageContent | undefined;
  text: string;
  isCut: boolean;
}
interface ReadingJob {
  lean: string;
  convert: Convert;
  enoughChars: number;
}
type Convert = (element: PageElement) => string;

function readContent({ lean, convert, enoughChars }: ReadingJob, reader: PageReader): Reading {
  const read = (markup: string, isPart: boolean): Reading => {
    const whole = /<(?:html|body)\b/i.test(markup) ? markup : `<html><body>${markup}</body></html>`;
    const parse = (): PageDocument => reader.parseHTML(whole).document;
    const content = pickContent({ parse, mayHaveArticle: lean.length <= longPageChars }, reader);
    if (content === undefined) return { content, text: "", isCut: false };
    return { content, ...convertBlocks(content.root, convert, { enoughChars, isPart }) };
  };
  if (lean.length > longPageChars && Number.isFinite(enoughChars)) {
    const part = read(lean.slice(0, longPageChars), true);
    if (part.text.length >= enoughChars / 2) return part;
  }
  return read(lean, false);
}

function describe(content: PageContent | undefined): Pick<ReadPage, "title" | "byline" | "siteName" | "publishedTime"> {
  const { title = "", byline, siteName, publishedTime } = content ?? {};
  return {
    title,
    ...(byline === undefined ? {} : { byline }),
    ...(siteName === undefined ? {} : { siteName }),
    ...(publishedTime === undefined ? {} : { publishedTime }),
  };
}

/** Of a part the last block is left out: it may go on behind the cut. */
function convertBlocks(root: PageElement, convert: Convert, limits: { enoughChars: number; isPart: boolean }) {
  const blocks = listBlocks(root);
  const whole = limits.isPart ? blocks.slice(0, -1) : blocks;
  const parts: string[] = [];
  let length = 0;
  for (const block of whole) {
    if (length >= limits.enoughChars) return { text: parts.join("\n\n"), isCut: true };
    const text = convert(block).trim();
    if (text === "") continue;
    parts.push(text);
    length += text.length + 2;
  }
  return { text: parts.join("\n\n"), isCut: limits.isPart };
}

/** Parts of containers that hold nothing but blocks, in order; everything else stays in one piece. */
function listBlocks(element: PageElement): PageElement[] {
  const children = Array.from(element.childNodes);
  const isContainer = containers.has(element.nodeName.toUpperCase());
  if (!isContainer || !children.every(isBlockOrBlank)) return [element];
  return children.filter(isElement).flatMap(listBlocks);
}

const containers: ReadonlySet<string> = new Set(["BODY", "DIV", "MAIN", "ARTICLE", "SECTION"]);
const blockNames =
  /^(?:DIV|MAIN|ARTICLE|SECTION|ASIDE|NAV|HEADER|FOOTER|P|H[1-6]|UL|OL|DL|TABLE|PRE|BLOCKQUOTE|FIGURE|HR)$/i;

function isBlockOrBlank(node: PageNode): boolean {
  if (isElement(node)) return blockNames.test(node.nodeName);
  return node.nodeType !== 3 || (node.textContent ?? "").trim() === "";
}
