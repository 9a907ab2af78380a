/** A transcript as lines for another session or a person: what was said, which tools were called, cut short. */
import type { SessionKey } from "../../contracts/ids.ts";
import type { SpokenLine } from "../../contracts/session-door.ts";
import type { Transcripts } from "../../contracts/store.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { cleanText, toOneLine } from "../context/clean-text.ts";

const maxLineChars = 2000;
const maxCallChars = 300;
/** Of all lines together: the newest that fit are kept. */
const maxChars = 12_000;
/** Entries that are looked at for a number of lines: calls and results stand between them. */
const entriesPerLine = 8;

export async function readSpoken(
  transcripts: Pick<Transcripts, "context">,
  sessionKey: SessionKey,
  limit: number,
): Promise<SpokenLine[]> {
  const { entries } = await transcripts.context(sessionKey, limit * entriesPerLine);
  const kept: SpokenLine[] = [];
  let chars = 0;
  for (const line of entries.flatMap(toLines).reverse()) {
    chars += line.text.length;
    if (kept.length >= limit || (kept.length > 0 && chars > maxChars)) break;
    kept.unshift(line);
  }
  return kept;
}

/** The last words of the agent there, whole; notes that the house made in its place do not count. */
export async function findLastWords(
  transcripts: Pick<Transcripts, "context">,
  sessionKey: SessionKey,
): Promise<string | undefined> {
  const { entries } = await transcripts.context(sessionKey, 100);
  for (const entry of entries.toReversed()) {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.provider === "mom") continue;
    const text = readText(entry.message.content).trim();
    if (text !== "") return text;
  }
  return undefined;
}

function toLines(entry: TranscriptEntry): SpokenLine[] {
  const at = entry.timestamp;
  if (entry.type === "compaction") return [{ at, who: "assistant", text: cut(`(summary) ${entry.summary}`) }];
  if (entry.type !== "message") return [];
  const { message } = entry;
  if (message.role === "user") return [{ at, who: "user", text: cut(readText(message.content)) }];
  if (message.role === "toolResult") {
    const text = toOneLine(readText(message.content), maxCallChars);
    return [
      { at, who: "tool", text: `${toOneLine(message.toolName, 64)}${message.isError ? " failed" : ""}: ${text}` },
    ];
  }
  if (message.role !== "assistant") return [];
  const said = cut(readText(message.content));
  const calls = message.content.flatMap((part) =>
    part.type === "toolCall" ? [toOneLine(`${part.name} ${JSON.stringify(part.arguments)}`, maxCallChars)] : [],
  );
  return [
    ...(said.trim() === "" ? [] : [{ at, who: "assistant" as const, text: said }]),
    ...calls.map((call) => ({ at, who: "assistant" as const, text: `(calls ${call})` })),
  ];
}

/** Entries may come from other programs: nothing of their shape is taken for granted. */
function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part: unknown) =>
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? [part.text] : [],
  );
  return texts.join("\n");
}

const cut = (text: string) =>
  cleanText(text.length <= maxLineChars ? text : `${text.slice(0, maxLineChars)} (… cut; ${text.length} characters)`);
