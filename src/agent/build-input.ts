/** A message as the model reads it: who said what, what was said around it since the last turn, and which files came along. */
import type { ChannelMessage, LogLine } from "../contracts/message.ts";
import type { UserMessage } from "../contracts/model.ts";

export function buildInput(message: ChannelMessage, heard: readonly LogLine[], nowMs: number): UserMessage {
  const lines = [...heard, message].map(({ sender, text }) => `[${oneLine(sender.username)}]: ${quote(text)}`);
  for (const file of message.attachments) {
    lines.push(`<attachment path="${file.localPath}" name="${oneLine(file.filename)}"/>`);
  }
  return { role: "user", content: lines.join("\n"), timestamp: nowMs };
}

/** Control characters mean nothing to a model, and some providers refuse them. */
const clean = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "").toWellFormed();

/** A file's name is the sender's choice: it must not look like a line that somebody said, or end the tag. */
const oneLine = (name: string) =>
  clean(name)
    .replace(/[\s"<>]+/g, " ")
    .trim();

/** A line inside a text that looks like the start of somebody else's is marked, so that nobody can speak as another. */
const quote = (text: string) => clean(text).replace(/(\n\s*)\[(?=[^\]\n]*\]: )/g, "$1\\[");
