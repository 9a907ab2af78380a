/**
 * Every dialect with what a check must know about it: how to read its posts back, what must be closed, and what a platform
 * would obey.
 */
import assert from "node:assert/strict";
import type { Token } from "marked";
import type { Dialect } from "../../src/channels/kit/dialect.ts";
import { createDiscordDialect } from "../../src/channels/kit/dialects/discord.ts";
import { createMatrixHtmlDialect } from "../../src/channels/kit/dialects/matrix-html.ts";
import { createMrkdwnDialect } from "../../src/channels/kit/dialects/mrkdwn.ts";
import { plainDialect } from "../../src/channels/kit/dialects/plain.ts";
import { createRichMarkdownDialect } from "../../src/channels/kit/dialects/rich-markdown.ts";
import { measureSignal, signalDialect, toStyledText } from "../../src/channels/kit/dialects/signal.ts";
import { createTelegramHtmlDialect, measureTelegramHtml } from "../../src/channels/kit/dialects/telegram-html.ts";
import { createWhatsappDialect } from "../../src/channels/kit/dialects/whatsapp.ts";
import { lex } from "../../src/channels/kit/lex.ts";
import { renderMarkdown } from "../../src/channels/kit/markdown.ts";
import type { LengthUnit } from "../../src/channels/kit/measure.ts";
import type { MentionWriter } from "../../src/channels/kit/mentions.ts";

export interface Rig {
  name: string;
  dialect: Dialect;
  unit: LengthUnit;
  measure?: (post: string) => number;
  /** What a reader sees in a post; a link as `label (address)`, a mention as its name. */
  read(post: string): string;
  /** A post without code, where a platform may look for what it obeys. */
  outsideCode(post: string): string;
  /** Throws where something is not closed, or is no markup of the dialect. */
  assertBalanced(post: string): void;
  /** What a platform would obey, if it stood outside code. */
  commands: RegExp;
  /** An item that goes on in the next post shows its number again. */
  repeatsMarkers?: true;
  /** Its reader counts the items of a list by itself, and takes two lists in a row for one. */
  countsItems?: true;
}

/** Known to everybody: `@ann`, `@ann.lee` and `#dev`. */
const createWriter = (write: (sign: string, name: string) => string): MentionWriter => ({
  user: (name) => (["ann", "ann.lee"].includes(name) ? write("@", name) : undefined),
  channel: (name) => (name === "dev" ? write("#", name) : undefined),
});
const angles = createWriter((sign, name) => `<${sign}KNOWN.${name}>`);
const readAngles = (post: string) => post.replace(/<([@#])KNOWN\.([a-z.]+)>/g, "$1$2");
const dropAngles = (post: string) => post.replace(/<[@#]KNOWN\.[a-z.]+>/g, " ");
const anchors = createWriter((sign, name) => `<a href="tg://user?id=7">${sign}${name}</a>`);

const massMention = /@(?:everyone|here|(?:channel|all|room)\b)/i;
function formatLink(label: string, url: string): string {
  const address = url.replace(/^mailto:/i, "");
  return label === "" || label === url || label === address ? label || address : `${label} (${address})`;
}
const unescapeHtml = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

const plain: Rig = {
  name: "plain",
  dialect: plainDialect,
  unit: "utf16",
  read: (post) => post,
  outsideCode: () => "",
  assertBalanced() {},
  commands: /(?!)/,
};

const stripTicks = (post: string) => post.replace(/```[\s\S]*?```/g, " ").replace(/`[^`\n]*`/g, " ");
const assertFences = (post: string) => assert.equal((post.match(/```/g) ?? []).length % 2, 0, "an open fence");

const mrkdwn: Rig = {
  name: "mrkdwn",
  dialect: createMrkdwnDialect(angles),
  unit: "utf16",
  read: (post) =>
    unescapeHtml(readAngles(post).replace(/<([^|>]*)(?:\|([^>]*))?>/g, (_, url, label = "") => formatLink(label, url))),
  outsideCode: (post) => stripTicks(dropAngles(post)),
  assertBalanced(post) {
    assertFences(post);
    const bare = readAngles(post).replace(/<(?:https?:\/\/|mailto:)[^<>]*>/gi, "");
    assert.doesNotMatch(bare.replace(/^(?:[ >•☐☑]|\d+\.)+/gm, ""), /[<>]/, "a bracket that is no link");
    assert.doesNotMatch(bare, /&(?!amp;|lt;|gt;)/, "an ampersand that is not escaped");
  },
  commands: /<[!@#]/,
};

const whatsapp: Rig = {
  name: "whatsapp",
  dialect: createWhatsappDialect(),
  unit: "utf16",
  read: (post) => post,
  outsideCode: stripTicks,
  assertBalanced: assertFences,
  commands: /(?!)/,
};

const telegram: Rig = {
  name: "telegram",
  dialect: createTelegramHtmlDialect(anchors),
  unit: "utf16",
  measure: measureTelegramHtml,
  read: readHtml,
  outsideCode: (post) => post.replace(/<(code|pre)[^>]*>[\s\S]*?<\/\1>/g, " ").replace(/<[^>]*>/g, " "),
  assertBalanced(post) {
    assertTags(post, /^(?:b|i|s|code|pre|blockquote|a)$/);
    assert.doesNotMatch(post, /<blockquote>(?:(?!<\/blockquote>)[\s\S])*<blockquote>/, "a quote in a quote");
  },
  commands: /(?!)/,
};

const matrix: Rig = {
  name: "matrix",
  dialect: createMatrixHtmlDialect(anchors),
  unit: "byte",
  read: readHtml,
  outsideCode: telegram.outsideCode,
  assertBalanced: (post) =>
    assertTags(post, /^(?:strong|em|del|code|pre|blockquote|a|p|h[1-6]|ul|ol|li|table|thead|tbody|tr|th|td)$/),
  commands: /(?!)/,
  repeatsMarkers: true,
};

const discord: Rig = {
  name: "discord",
  dialect: createDiscordDialect(angles),
  unit: "codepoint",
  // It knows no HTML and no entities.
  read: (post) => renderMarkdown(readAngles(post).replaceAll("<", "‹").replaceAll("&", "﹠"), plainDialect),
  outsideCode: (post) =>
    dropAngles(post).replace(/```[\s\S]*?```|\\[^\p{L}\p{N}]|(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)/gu, " "),
  assertBalanced: (post) => assert.doesNotMatch(discord.outsideCode(post), /```/, "an open fence"),
  commands: /<(?:@[!&]?\w+|#\w+|a?:\w+:\w+|t:-?\w+(?::\w)?|id:\w+|\/[^>\n]*:\w+)>/i,
  countsItems: true,
};

const rich: Rig = {
  name: "rich",
  dialect: createRichMarkdownDialect(angles),
  unit: "utf16",
  read: (post) => renderMarkdown(readAngles(post), plainDialect),
  outsideCode: (post) => collectWords(lex(dropAngles(post)).tokens),
  assertBalanced: (post) => assertClosed(lex(post).tokens),
  commands: /<[!@#/a-z]/i,
  countsItems: true,
  repeatsMarkers: true,
};

const signal: Rig = {
  name: "signal",
  dialect: signalDialect,
  unit: "byte",
  measure: measureSignal,
  read: (post) => toStyledText(post).text,
  outsideCode: (post) => {
    const { text, ranges } = toStyledText(post);
    const code = ranges.filter(({ style }) => style === "MONOSPACE");
    return [...text.split("").keys()]
      .map((at) => (code.some(({ start, length }) => at >= start && at < start + length) ? " " : (text[at] ?? "")))
      .join("");
  },
  assertBalanced(post) {
    const { text, ranges } = toStyledText(post);
    assert.equal(ranges.length * 2, (post.match(/[\ufdd2-\ufdd9]/g) ?? []).length, "a style that is not ended");
    assert.ok(ranges.every(({ start, length }) => length > 0 && start + length <= text.length));
  },
  commands: /(?!)/,
};

export const rigs: Rig[] = [plain, mrkdwn, whatsapp, telegram, matrix, discord, rich, signal];
export { massMention };

/** Tags are closed in the order they were opened, and nothing else looks like one. */
function assertTags(html: string, known: RegExp): void {
  const open: string[] = [];
  const rest = html.replace(/<(\/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)>/g, (_, slash: string, name: string) => {
    if (name === "br" || name === "hr") return "";
    assert.match(name, known, "an unknown tag");
    if (slash === "") open.push(name);
    else assert.equal(open.pop(), name, "tags that cross");
    return "";
  });
  assert.deepEqual(open, [], "an open tag");
  assert.doesNotMatch(rest, /[<>]/, "a bracket that is no tag");
  assert.doesNotMatch(rest, /&(?!amp;|lt;|gt;|quot;)/, "an ampersand that is not escaped");
}

/** Numbers of ordered lists are written out, as plain text has them. */
function readHtml(html: string): string {
  const lists: (number | undefined)[] = [];
  const text = html
    .replace(/<a href="tg:[^"]*">([^<]*)<\/a>/g, "$1")
    .replace(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_, url: string, label: string) => formatLink(label, url))
    .replace(/<(\/?)([a-z0-9]+)(?: start="(\d+)")?[^>]*>/g, (_, slash: string, name: string, start = "1") => {
      if (name === "ol" || name === "ul") {
        if (slash) lists.pop();
        else lists.push(name === "ol" ? Number(start) : undefined);
      }
      const number = lists.at(-1);
      if (name !== "li" || slash || number === undefined) return name === "br" ? "\n" : "";
      lists[lists.length - 1] = number + 1;
      return `${number}. `;
    });
  return unescapeHtml(text);
}

/** Everything in Markdown that is not code or an address. */
function collectWords(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "code" || token.type === "codespan") return " ";
      if (token.type === "html") return token.raw;
      if (token.type === "list") return token.items.map((item: Token) => collectWords([item])).join(" ");
      if (token.type === "table") {
        const cells: { tokens: Token[] }[] = [...token.header, ...token.rows.flat()];
        return cells.map((cell) => collectWords(cell.tokens)).join(" ");
      }
      return "tokens" in token && token.tokens ? collectWords(token.tokens) : token.raw;
    })
    .join("");
}

function assertClosed(tokens: Token[]): void {
  for (const token of tokens) {
    if (token.type === "code" && token.codeBlockStyle !== "indented") {
      const fence = /^\s*(`+|~+)/.exec(token.raw)?.[1] ?? "";
      assert.ok(token.raw.trimEnd().endsWith(fence) && token.raw.trim() !== fence, "an open fence");
    }
    if (token.type === "list") assertClosed(token.items);
    else if ("tokens" in token && token.tokens) assertClosed(token.tokens);
  }
}
