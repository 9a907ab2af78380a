/** How mom's Markdown becomes Slack's: Markdown that Slack reads itself, or mrkdwn where a server does not take that. */
import type { Dialect } from "../kit/dialect.ts";
import { createMrkdwnDialect } from "../kit/dialects/mrkdwn.ts";
import { createRichMarkdownDialect } from "../kit/dialects/rich-markdown.ts";
import type { Directory } from "../kit/directory.ts";
import type { MentionWriter } from "../kit/mentions.ts";
import { renderPosts } from "../kit/render-posts.ts";
import { maxPostLength } from "./capabilities.ts";

/** `@ann` and `#general`, for people and channels that mom knows. */
const buildMentionWriter = (directory: Directory): MentionWriter => ({
  user: (name) => asMention("@", directory.userByName(name)?.id),
  channel: (name) => asMention("#", directory.channelByName(name)?.id),
});

const asMention = (sign: string, id: string | undefined) => (id === undefined ? undefined : `<${sign}${id}>`);

export function createRender(directory: Directory): (markdown: string) => string[] {
  const dialect = createRichMarkdownDialect(buildMentionWriter(directory));
  return (markdown) => renderPosts(markdown, dialect, { maxLength: maxPostLength, unit: "utf16" });
}

/** Mentions in rendered text are mom's own: what models write so was escaped. */
const mention = /<([@#][A-Z0-9]+)>/g;
/** Stands for a mention while the text around it is rendered anew. */
const masked = /\ue000([@#][A-Z0-9]+)\ue001/g;
const unmask = (text: string) => text.replace(masked, "<$1>");

const mrkdwn = createMrkdwnDialect();
/** In code nothing is a mention, also not what looks like ours. */
const maskedMrkdwn: Dialect = {
  ...mrkdwn,
  codeSpan: (code) => mrkdwn.codeSpan(unmask(code)),
  codeBlock: (code, language) => mrkdwn.codeBlock(unmask(code), language),
};

/** A rendered post in mrkdwn, in pieces that measure `maxLength` at most. */
export function toMrkdwn(rendered: string, maxLength: number): string[] {
  const text = rendered.replace(/[\ue000\ue001]/g, "").replace(mention, "\ue000$1\ue001");
  return renderPosts(text, maskedMrkdwn, { maxLength, unit: "utf16" }).map(unmask);
}

/** Words that mean nothing to Slack. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
