/**
 * A conversation as Markdown. What was said is quoted line by line and what tools took and gave is fenced, so that no text
 * in it can pass for a heading: who spoke is always the document's own word.
 */
import { toPrintable } from "../../base/printable.ts";
import { pickFence, toCode } from "../text/foreign-text.ts";
import type { Document, Part } from "./build-document.ts";

export function formatMarkdown({ title, facts, parts }: Document): string {
  const lines = [
    `# ${toHeading(title)}`,
    "",
    ...facts.map(([name, value]) => `- ${name}: ${toCode(value)}`),
    ...parts.flatMap((part) => ["", ...formatPart(part)]),
  ];
  return `${lines.join("\n")}\n`;
}

function formatPart({ kind, head, text }: Part): string[] {
  const title = toHeading(head);
  if (kind === "branch") return ["---", "", `## ${title}`];
  if (kind === "said" || kind === "answer") return [`### ${title}`, "", ...quote(text)];
  const body = kind === "call" || kind === "result" ? fence(text) : quote(text);
  return [`*${kind === "note" ? "" : `${kind}: `}${title}*`, ...(text.trim() === "" ? [] : ["", ...body])];
}

const quote = (text: string) =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => (line === "" ? ">" : `> ${line}`));

function fence(text: string): string[] {
  const marks = pickFence(text);
  return [marks, text.trimEnd(), marks];
}

const toHeading = (text: string) =>
  toPrintable(text.replace(/\s+/g, " ").trim()).replace(/[\\`*_[\]<>#]/g, (character) => `\\${character}`);
