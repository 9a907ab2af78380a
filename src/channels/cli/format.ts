/** How things look on a terminal. Posts stay Markdown until they are shown, because only then the width is known. */

import { plainDialect } from "../kit/dialects/plain.ts";
import { createTerminalDialect } from "../kit/dialects/terminal.ts";
import { renderMarkdown } from "../kit/markdown.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import { splitText } from "../kit/split.ts";

/** A terminal has no limit; this keeps one write within reason. UTF-16 units. */
export const maxPartLength = 1_048_576;
export const repeatedNote = "(sent again after a restart; it may have appeared before)";

/** The posts of a reply: Markdown, in parts. */
export function toParts(markdown: string): string[] {
  return splitText(markdown, { maxLength: maxPartLength, unit: "utf16" });
}

export const formatPlain = (markdown: string): string => renderMarkdown(markdown, plainDialect);

/** Lines for a terminal of `room` columns. */
export function formatStyled(markdown: string, room: number, color: boolean): string[] {
  return renderMarkdown(markdown, createTerminalDialect(color), room).split("\n");
}

/** One line with the caption, the name and the path. */
export function formatFile(file: { path: string; filename: string; caption?: string }): string {
  const caption = file.caption === undefined ? "" : `${neutraliseLine(file.caption)}: `;
  return `📎 ${caption}${neutraliseLine(file.filename)} (${neutraliseLine(file.path)})`;
}
