/**
 * How texts look on Telegram. A post is Markdown, as rich messages are; when it is sent it gets the form that the server
 * takes: that, HTML, or plain words. Posts are cut so that each fits in every form.
 */
import type { Dialect } from "../kit/dialect.ts";
import { plainDialect } from "../kit/dialects/plain.ts";
import { createRichMarkdownDialect } from "../kit/dialects/rich-markdown.ts";
import { createTelegramHtmlDialect } from "../kit/dialects/telegram-html.ts";
import type { Directory } from "../kit/directory.ts";
import { boundaryAtOrBefore } from "../kit/graphemes.ts";
import { escapeHtml } from "../kit/html.ts";
import { renderMarkdown } from "../kit/markdown.ts";
import type { MentionWriter } from "../kit/mentions.ts";
import { neutralise, neutraliseLine } from "../kit/neutralise.ts";
import { renderPosts } from "../kit/render-posts.ts";
import { maxTextLength, telegramCapabilities } from "./capabilities.ts";
import { measurePart } from "./measure-part.ts";

/** The best first. */
export type Form = "rich" | "html" | "plain";

export const repeatedNote = "(sent again; it may have appeared before)";
/** Of a caption, UTF-16 units. */
export const maxCaptionLength = 1_024;

export interface Formatter {
  /** For the adapter's `render`. */
  toParts(markdown: string): string[];
  /** One part as it is sent. */
  toForm(part: string, form: Form): string;
}

export function createFormatter(directory: Directory): Formatter {
  const rich = createRichDialect(createMentions(directory, (name, url) => `[${name}](${url})`, escapeMarkdown));
  const html = createTelegramHtmlDialect(
    createMentions(directory, (name, url) => `<a href="${url}">${name}</a>`, escapeHtml),
  );
  const bare = createRichDialect();
  const dialects = { rich, html, plain: plainDialect };
  const toForm = (part: string, form: Form) => renderMarkdown(part, dialects[form]);
  return {
    // Who is meant by a name is looked up when the post is sent.
    toParts: (markdown) => renderPosts(markdown, bare, limit),
    toForm: (part, form) => (form === "plain" ? cut(toForm(part, form), maxTextLength) : toForm(part, form)),
  };
}

const limit = {
  maxLength: telegramCapabilities.maxMessageLength,
  unit: telegramCapabilities.lengthUnit,
  measure: measurePart,
};

/** Never through a character. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, boundaryAtOrBefore(text, maxLength - 1))}…`;
}

/**
 * Telegram's Markdown has more marks than GitHub's: what was only a price or an equation must not become a formula. And the
 * lines of a paragraph, which it would join, stay lines as in every other form.
 */
function createRichDialect(mentions?: MentionWriter): Dialect {
  const dialect = createRichMarkdownDialect(mentions);
  return {
    ...dialect,
    text: (words) =>
      words
        .split(/(\$|={2,})/)
        .map((piece, index) => (index % 2 === 0 ? dialect.text(piece) : escapeMarkdown(piece)))
        .join(""),
    paragraph: (inner, room) => dialect.paragraph(inner, room).replace(/ *\n/g, "  \n"),
  };
}

/** A caption as it is sent: plain words, cut where they are too many. */
export function toCaption(caption: string | undefined, isRepeated: boolean): string | undefined {
  const words = [caption === undefined ? "" : neutralise(caption).trim(), isRepeated ? repeatedNote : ""];
  const text = words.filter((word) => word !== "").join("\n\n");
  return text === "" ? undefined : cut(text, maxCaptionLength);
}

/** People with a username are found by Telegram itself, the others are called by their id. It has no mention of a chat. */
function createMentions(
  directory: Directory,
  link: (name: string, url: string) => string,
  toWords: (words: string) => string,
): MentionWriter {
  return {
    user(name) {
      const user = directory.userByName(name);
      if (!user) return undefined;
      if (!user.username.includes("-")) return toWords(`@${user.username}`);
      return link(toWords(neutraliseLine(user.displayName ?? user.username)), `tg://user?id=${user.id}`);
    },
    channel: () => undefined,
  };
}

const escapeMarkdown = (words: string) => words.replace(/[!-/:-?[-`{-~]/g, "\\$&");
