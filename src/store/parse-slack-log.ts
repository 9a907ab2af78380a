/** One `log.jsonl` of the first mom → today's lines. Pure; what it cannot read it names by line number. */
import { errorText } from "../base/errors.ts";
import type { LogLine, MessageSender } from "../contracts/message.ts";

export interface OldAttachment {
  /** As the sender called it. */
  original: string;
  /** Relative to the old data directory. */
  local: string;
}

export interface ParsedSlackLog {
  /** In order; `line.attachments` is empty, because where the files will lie is decided elsewhere. */
  messages: { line: LogLine; attachments: OldAttachment[] }[];
  /** Counted from 1. */
  badLines: { line: number; reason: string }[];
}

export function parseSlackLog(text: string): ParsedSlackLog {
  const parsed: ParsedSlackLog = { messages: [], badLines: [] };
  const seen = new Set<string>();
  for (const [at, written] of text.split("\n").entries()) {
    if (written.trim() === "") continue;
    try {
      const message = toMessage(JSON.parse(written));
      // Slack sent some messages twice, and the first mom did not always notice.
      if (seen.has(message.line.id)) continue;
      seen.add(message.line.id);
      parsed.messages.push(message);
    } catch (error) {
      parsed.badLines.push({ line: at + 1, reason: error instanceof SyntaxError ? "not JSON" : errorText(error) });
    }
  }
  return parsed;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function toMessage(value: unknown): ParsedSlackLog["messages"][number] {
  if (!isObject(value) || Array.isArray(value)) throw new Error("not a message");
  const id = textOf(value["ts"]);
  if (id === undefined) throw new Error("no ts");
  const text = value["text"];
  if (typeof text !== "string") throw new Error("no text");
  const line: LogLine = { id, ts: toMoment(value["date"], id), sender: toSender(value), text, attachments: [] };
  return { line, attachments: toAttachments(value["attachments"]) };
}

/** Slack's `ts` is seconds; the first mom also wrote milliseconds for what it said itself. */
function toMoment(date: unknown, ts: string): string {
  const written = Date.parse(textOf(date) ?? "");
  const number = Number(ts);
  const at = Number.isNaN(written) ? number * (number > 1e11 ? 1 : 1000) : written;
  if (!(Math.abs(at) <= 8.64e15)) throw new Error(`neither date nor ts is a time: ${ts.slice(0, 40)}`);
  return new Date(at).toISOString();
}

function toSender({ user, userName, displayName, isBot }: Fields): MessageSender {
  const id = textOf(user);
  if (id === undefined) throw new Error("no user");
  const isMom = id === "bot";
  const shown = textOf(displayName);
  return {
    id,
    username: textOf(userName) ?? (isMom ? "mom" : id),
    ...(shown !== undefined && { displayName: shown }),
    isBot: isMom || isBot === true,
  };
}

function toAttachments(value: unknown): OldAttachment[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap(({ original, local }) => {
    const path = textOf(local);
    return path === undefined ? [] : [{ original: textOf(original) ?? path, local: path }];
  });
}
