/**
 * Text of people, models and files inside a reply: short, and unable to end the code span or block it stands in, to start a
 * line of its own or to look like something mom says.
 */
import { toPrintable } from "../../base/printable.ts";

/** One line, cut to `maxChars`, nothing of it invisible. Not yet safe as Markdown. */
export function toLine(text: string, maxChars: number): string {
  return toPrintable(cut(text.trim().replace(/\s+/g, " "), maxChars));
}

/** A code span. */
export function toCode(text: string, maxChars = 200): string {
  const line = toLine(text, maxChars).replaceAll("`", "'");
  return line === "" ? "(empty)" : `\`${line}\``;
}

/** A fenced block; lines stay lines. Longer text is cut, and a note behind the block says so. */
export function toBlock(text: string, { maxChars = 4000, language = "" } = {}): string {
  const body = cut(text, maxChars).split("\n").map(toBlockLine).join("\n").trimEnd();
  const fence = pickFence(body);
  const note = text.length > maxChars ? `\n(cut; it has ${text.length} characters)` : "";
  return `${fence}${language}\n${body}\n${fence}${note}`;
}

/** What another room reports, maybe with words from a file in it: a plain sentence as it is, anything else as a block. */
export const toReport = (text: string): string => (/^[^\n`*_<>[\]]*$/.test(text) ? text : toBlock(text));

/** A fence that the text cannot close. */
export function pickFence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return "`".repeat(longest + 1);
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}

const toBlockLine = (line: string) => line.replace(/\r$/, "").split("\t").map(toPrintable).join("\t");
