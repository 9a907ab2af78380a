/**
 * A message as the model reads it: when it was said, who said what, what was said around it since the last turn, which
 * files came along, and the pictures among them.
 */
import type { ChannelAttachment, ChannelMessage, LogLine } from "../contracts/message.ts";
import type { ImageContent, UserMessage } from "../contracts/model.ts";
import { cleanText } from "./context/clean-text.ts";

export interface InputParts {
  /** What is answered; several when waiting ones are taken together. */
  messages: readonly ChannelMessage[];
  heard?: readonly LogLine[];
  /** What a template made of the last message's text. */
  expandedText?: string | undefined;
  images?: readonly ImageContent[];
  /** How a path relative to the main workspace is written for the agent's tools. */
  toToolPath(path: string): string;
  /** `2026-11-16 09:05`, in the zone that the prompt names. */
  localTime: string;
  nowMs: number;
}

export function buildInput({
  toToolPath,
  messages,
  heard = [],
  expandedText,
  images = [],
  localTime,
  nowMs,
}: InputParts): UserMessage {
  const last = messages.at(-1);
  const lines = [`(${localTime})`];
  for (const line of [...heard, ...messages]) {
    const text = line === last && expandedText !== undefined ? expandedText : line.text;
    lines.push(`[${formatName(line.sender.username)}]: ${formatDeed(line)}${quote(text)}`);
  }
  for (const file of messages.flatMap(({ attachments }) => attachments))
    lines.push(formatAttachment({ ...file, localPath: toToolPath(file.localPath) }));
  const text = lines.join("\n");
  const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
  return { role: "user", content, timestamp: nowMs };
}

/** A name is its owner's choice too, and where platforms have none it is whatever somebody calls themselves. */
const formatName = (name: string) => oneLine(name).replace(/[[\]]/g, "");

/** Before the text of a change, which is news of its own: what it was about stands further up, or was never seen. */
function formatDeed(line: ChannelMessage | LogLine): string {
  if (!("event" in line)) return "";
  return line.event === "delete" ? "(deleted an earlier message)" : "(edited an earlier message) ";
}

const formatAttachment = (file: ChannelAttachment) =>
  `<attachment path="${file.localPath}" name="${oneLine(file.filename)}"/>`;

/** A file's name is the sender's choice: it must not look like a line that somebody said, or end the tag. */
const oneLine = (name: string) =>
  cleanText(name)
    .replace(/[\s"<>]+/g, " ")
    .trim();

/**
 * A line inside a text that looks like the start of somebody else's, or like a time, is marked, so that nobody can speak
 * as another or move the clock.
 */
const quote = (text: string) => cleanText(text).replace(/(\n\s*)(?=\[[^\]\n]*\]: |\(\d{4}-\d\d-\d\d )/g, "$1\\");
