/**
 * The small context of a beat: what she is woken with, HEARTBEAT.md, what the chat said last. Everything is cut to a size, so that a
 * beat without anything to report stays below 2,000 tokens, tools and prompt included.
 */
import type { Errand, Principal } from "../../contracts/errand.ts";
import type { HeartbeatConfig } from "../../contracts/heartbeat.ts";
import type { LogLine } from "../../contracts/message.ts";
import type { BeatNote } from "./beat-records.ts";

/** To look with, and few: their declarations are sent with every beat. */
export const beatTools: readonly string[] = ["read", "bash", "memory_search", "memory_get", "web_fetch"];

const maxFileChars = 4000;
const mostTalkLines = 6;
const maxTalkChars = 160;
const mostUnread = 10;
const maxUnreadChars = 500;
const timeoutMs = 5 * 60_000;

const role = `## Heartbeat
This is no conversation: you are woken from time to time, and nobody waits for an answer. Do what HEARTBEAT.md asks for now, with as few tool calls as it takes; none if nothing is due. Do not take up old tasks from the talk, and do not repeat what you have said there.
If nothing needs the person's attention, answer just HEARTBEAT_OK. Else your answer is posted to them as it is: say only what is new, in their language, short, without HEARTBEAT_OK.`;

export function buildBeatErrand(
  agentId: string,
  config: HeartbeatConfig,
  principal: Principal,
  note: BeatNote,
): Errand {
  return {
    type: "heartbeat",
    id: agentId,
    principal,
    role: [{ name: "Heartbeat", text: role }],
    tools: beatTools,
    files: "none",
    promptMode: "minimal",
    ...(config.model !== undefined && { model: config.model }),
    // Thoughts cost more than all the rest of a beat; they are wanted only where somebody is to read them.
    ...(!config.includeReasoning && { thinking: "off" as const }),
    timeoutMs,
    isFresh: true,
    data: note,
  };
}

/** What was said in a chat, and is not itself an answer to a beat: mom's own post of it stands there already. */
const isTalk = ({ text, event, refused }: LogLine) =>
  event === undefined && refused === undefined && text.trim() !== "" && !text.startsWith(heardMark);

/** In front of what the conversation is told of a beat that said something. */
export const heardMark = "[HEARTBEAT] ";

/** Lines that the conversation will read with its next turn, and that no beat has seen. */
export function pickUnread(unread: readonly LogLine[], shown: readonly string[]): LogLine[] {
  return unread.filter((line) => isTalk(line) && !shown.includes(line.id)).slice(-mostUnread);
}

/** `file`: cleaned. `unread`: as `pickUnread` gave it. */
export function buildBeatText(parts: {
  prompt: string;
  file: string;
  unread: readonly LogLine[];
  talk: readonly LogLine[];
}): string {
  const { prompt, file, unread, talk } = parts;
  const earlier = talk
    .filter((line) => isTalk(line) && !unread.some(({ id }) => id === line.id))
    .slice(-mostTalkLines)
    .map((line) => formatLine(line, maxTalkChars));
  const events = unread.map((line) => formatLine(line, maxUnreadChars));
  return [
    `${heardMark}${prompt}`,
    `<file path="HEARTBEAT.md">\n${cutFile(file).replace(/<\/(?=file\b)/gi, "<\\/")}\n</file>`,
    ...(earlier.length > 0 ? [`The last that was said in the chat:\n${earlier.join("\n")}`] : []),
    ...(events.length > 0 ? [`Came in meanwhile and is unread:\n${events.join("\n")}`] : []),
  ].join("\n\n");
}

const formatLine = ({ sender, text }: LogLine, maxChars: number) =>
  `- ${sender.isBot ? "you" : toOneLine(sender.username, 40)}: ${toOneLine(text, maxChars)}`;

/** Foreign text as one line without anything that nobody sees. */
export function toOneLine(text: string, maxChars: number): string {
  const line = text
    .slice(0, maxChars * 4)
    .replace(/[\s\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim();
  const characters = [...line];
  return characters.length <= maxChars && text.length <= maxChars * 4
    ? line
    : `${characters.slice(0, maxChars - 1).join("")}…`;
}

/** Its start and its end; the rest can be read. */
function cutFile(text: string): string {
  const clean = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "").toWellFormed();
  if (clean.length <= maxFileChars) return clean;
  const head = clean.slice(0, maxFileChars * 0.75).toWellFormed();
  const tail = clean.slice(-maxFileChars * 0.2).toWellFormed();
  return `${head}\n[… cut here; the whole is in HEARTBEAT.md …]\n${tail}`;
}
