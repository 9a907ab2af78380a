/** The lines of a file as they are cut and shown: notes as they are, conversations as what was said in them. */
import type { NumberedLine } from "../chunk/chunk-text.ts";

export function toLines(text: string, type: "note" | "transcript"): NumberedLine[] {
  const lines = text.split("\n");
  // A line end at the end begins no further line.
  if (lines.at(-1) === "") lines.pop();
  if (type === "note") return lines.map((line, at) => ({ number: at + 1, text: line }));
  return lines.flatMap((line, at) => toSaid(line).map((said) => ({ number: at + 1, text: said })));
}

/** What a person or mom said with one line of a transcript; nothing for every other kind of line. */
function toSaid(line: string): string[] {
  const entry = parse(line);
  if (entry?.["type"] !== "message" || !isRecord(entry["message"])) return [];
  const { role, content } = entry["message"];
  const speaker = role === "user" ? "User" : role === "assistant" ? "Assistant" : undefined;
  const text = readText(content).trim();
  if (speaker === undefined || text === "") return [];
  return `${speaker}: ${text}`.split("\n");
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) => (isRecord(part) && part["type"] === "text" ? [part["text"]] : []))
    .filter((text) => typeof text === "string")
    .join("\n");
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
