/**
 * A conversation as text for the model that summarises it: who said what, which tools ran, results shortened to head and
 * tail. Labels stand at the start of a line and all content is indented, so that no content can pass for a label.
 */
import type { ModelMessage } from "../../contracts/model.ts";
import { countPictures, describeSize, textOf } from "./describe-message.ts";
import { cutMiddle, fitLine, fitText, formatCount } from "./shorten-text.ts";
import { estimateTokensOfText } from "./token-estimate.ts";

const resultHead = 1200;
const resultTail = 600;
const maxArgumentCharacters = 600;
const indentation = "  ";

/** Name of the tag that stands around material in a prompt. */
export const materialTag = "material";

export interface Material {
  text: string;
  /** What did not fit, each in a few words. */
  leftOut: string[];
}

interface Section {
  label: string;
  body: string;
  /** What it is, with its full size. */
  description: string;
}

export function renderMaterial(messages: readonly ModelMessage[], maxCharacters: number): Material {
  const sections = messages.flatMap(toSections);
  const whole = sections.map((section) => formatSection(section));
  const cap = pickCap(whole, maxCharacters);
  const leftOut: string[] = [];
  const texts = sections.map((section, index) => {
    const text = whole[index] ?? "";
    if (text.length <= cap) return text;
    leftOut.push(section.description);
    return formatSection(section, cap);
  });
  const kept = dropMiddle(texts, maxCharacters);
  const gone = texts.length - kept.length;
  if (gone > 0) leftOut.unshift(`${formatCount(gone)} entries from the middle of ${formatCount(texts.length)}`);
  return { text: kept.join("\n"), leftOut };
}

/** Tokens of a message as `renderMaterial` writes it when there is room. */
export function estimateRendered(message: ModelMessage): number {
  return estimateTokensOfText(
    `${toSections(message)
      .map((section) => formatSection(section))
      .join("\n")}\n`,
  );
}

/** Somebody else's text as an indented block; it cannot end the tag around it. */
export function indent(text: string): string {
  return text.replace(new RegExp(`<(/?)(?=${materialTag})`, "gi"), "‹$1").replace(/^/gm, indentation);
}

function toSections(message: ModelMessage): Section[] {
  if (message.role === "toolResult") return [toResultSection(message)];
  const text = [textOf(message), ...new Array<string>(countPictures(message)).fill("[picture]")].join("\n").trim();
  const label = message.role === "user" ? "user:" : "assistant:";
  const sections: Section[] =
    text === "" ? [] : [{ label, body: text, description: describeSize(message, text.length) }];
  if (message.role !== "assistant") return sections;
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    const json = JSON.stringify(block.arguments);
    const name = fitLine(block.name, 64);
    const description = `the arguments of a call of ${name}, ${formatCount(json.length)} characters`;
    sections.push({ label: `assistant calls ${name}:`, body: fitText(json, maxArgumentCharacters), description });
  }
  return sections;
}

function toResultSection(message: ModelMessage & { role: "toolResult" }): Section {
  const text = textOf(message);
  const short = cutMiddle(text, resultHead, resultTail, (gone) => `\n[… ${formatCount(gone)} characters …]\n`);
  const pictures = new Array<string>(countPictures(message)).fill("[picture]");
  return {
    label: `${message.isError ? "failed result" : "result"} of ${fitLine(message.toolName, 64)}:`,
    body: [short, ...pictures].join("\n"),
    description: describeSize(message, text.length),
  };
}

function formatSection({ label, body }: Section, maxCharacters = Number.POSITIVE_INFINITY): string {
  // A cut may leave a line without its indentation; that is put back below, in the room left for it here.
  const block = fitText(indent(body), maxCharacters - label.length - 8);
  return `${label}\n${block.replace(/^(?! {2})/gm, indentation)}`;
}

/** Whole entries go, so that no label is cut: from the beginning and the end as many stay as fit. */
function dropMiddle(texts: readonly string[], maxCharacters: number): string[] {
  const size = texts.reduce((sum, text) => sum + text.length + 1, -1);
  if (size <= maxCharacters) return [...texts];
  const head = takeWithin(texts, maxCharacters / 2);
  const tail = takeWithin(texts.slice(head.length).reverse(), maxCharacters / 2);
  return [...head, ...tail.reverse()];
}

function takeWithin(texts: readonly string[], maxCharacters: number): string[] {
  let room = maxCharacters;
  const end = texts.findIndex((text) => {
    room -= text.length + 1;
    return room < 0;
  });
  return texts.slice(0, end === -1 ? texts.length : end);
}

/** The length at which every text has to be cut so that all fit: short ones stay whole, long ones give. */
function pickCap(texts: readonly string[], maxCharacters: number): number {
  let room = maxCharacters;
  const lengths = texts.map((text) => text.length + 1).sort((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const share = room / (lengths.length - index);
    if (length > share) return Math.floor(share) - 1;
    room -= length;
  }
  return Number.POSITIVE_INFINITY;
}
