/** The HTML that Telegram's Bot API takes: only tags that it knows, because one that it does not know fails the whole post. */
import type { Dialect } from "../dialect.ts";
import { escapeHtml, tag } from "../html.ts";
import { buildCodeTable, buildList, keepLines, prefixLines } from "../layout.ts";
import { breakMassMentions, type MentionWriter } from "../mentions.ts";
import { formatLink } from "./plain.ts";

export function createTelegramHtmlDialect(mentions?: MentionWriter): Dialect {
  const strong = tag("b");
  return {
    text: (words) => escapeHtml(breakMassMentions(words)),
    strong,
    emphasis: tag("i"),
    strike: tag("s"),
    codeSpan: (code) => tag("code")(escapeHtml(code)),
    link: writeLink,
    image: writeLink,
    lineBreak: "\n",
    paragraph: (inner) => inner,
    heading: strong,
    codeBlock: writeCode,
    quote: (body, room) => tag("blockquote")(flattenQuotes(body(room))),
    list: (items, isLoose, room) => buildList(items, isLoose, room, { bullet: "•", boxes: ["☐", "☑"] }),
    table: (table) => buildCodeTable(table, (grid) => writeCode(grid, ""), strong),
    rule: () => "──────────",
    blockGap: "\n\n",
    mentions,
  };
}

/** Length as Telegram counts it: UTF-16 units of the text that is left when tags and entities are read. */
export function measureTelegramHtml(html: string): number {
  return html.replace(/<[^>]*>/g, "").replace(/&(?:amp|lt|gt|quot);/g, "&").length;
}

/** Telegram links to the web only; a mail address is found by the reader's phone. */
function writeLink(label: string, url: string): string {
  if (/^mailto:/i.test(url)) return formatLink(label, url, escapeHtml);
  return tag("a", ` href="${escapeHtml(url)}"`)(label === "" ? escapeHtml(url) : label);
}

function writeCode(code: string, language: string): string {
  const text = keepLines(escapeHtml(code));
  return tag("pre")(language === "" ? text : tag("code", ` class="language-${escapeHtml(language)}"`)(text));
}

/** A quote cannot stand in a quote. All other text is escaped, so the tags can only be those of quotes. */
function flattenQuotes(html: string): string {
  return html.replace(/<blockquote>([\s\S]*?)<\/blockquote>/g, (_, inner: string) => prefixLines("&gt; ", inner));
}
