/**
 * What a person said in a transcript entry, without what the agent wrote around it: the time, the names, what was heard
 * before and the list of files. Entries may come from other programs: nothing of their shape is taken for granted.
 */
import type { TranscriptEntry } from "../../contracts/transcript.ts";

export interface Said {
  /** As the transcript names the person; absent where it names nobody. */
  who?: string;
  text: string;
  attachments: number;
}

const time = /^\(\d{4}-\d\d-\d\d \d\d:\d\d\)\n/;
const speaker = /^\[([^\]\n]*)\]: /gm;
const attachment = /^<attachment path=".*" name=".*"\/>$/;
/** The mark on lines that only look like another's. */
const quoted = /(\n\s*)\\(?=\[[^\]\n]*\]: |\(\d{4}-\d\d-\d\d )/g;

export function isSaid(entry: TranscriptEntry): boolean {
  return roleOf(entry) === "user";
}

export function roleOf(entry: TranscriptEntry): unknown {
  const message: unknown = entry.type === "message" ? entry.message : undefined;
  return isRecord(message) ? message["role"] : undefined;
}

/** Of the last one who speaks in it: the message that was answered. */
export function readSaid(entry: TranscriptEntry): Said {
  const whole = entry.type === "message" ? readText(entry.message) : "";
  const hasTime = time.test(whole);
  const body = whole.replace(time, "");
  const last = [...body.matchAll(speaker)].at(-1);
  if (!hasTime || !last) return { text: whole.trim(), attachments: 0 };
  const lines = body.slice(last.index + last[0].length).split("\n");
  const firstFile = lines.findLastIndex((line) => !attachment.test(line)) + 1;
  const text = lines.slice(0, firstFile).join("\n").replace(quoted, "$1").trim();
  return { who: last[1] ?? "", text, attachments: lines.length - firstFile };
}

/** The texts in a message's content; a picture is named. */
export function readText(message: unknown): string {
  const content = isRecord(message) ? message["content"] : undefined;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) => {
      if (!isRecord(part)) return [];
      if (part["type"] === "image") return ["(an image)"];
      return typeof part["text"] === "string" ? [part["text"]] : [];
    })
    .join("\n");
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
