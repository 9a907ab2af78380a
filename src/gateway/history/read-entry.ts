/**
 * Fields of transcript entries, read with care: other programs write such files too, and nothing of an entry's content is taken
 * for granted.
 */
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { isRecord } from "./shorten.ts";

/** Milliseconds since the epoch; 0 where the entry does not say. */
export function momentOf({ timestamp }: TranscriptEntry): number {
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isFinite(at) ? at : 0;
}

export function messageOf(entry: TranscriptEntry): Record<string, unknown> | undefined {
  const message: unknown = entry.type === "message" ? entry.message : undefined;
  return isRecord(message) ? message : undefined;
}

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");

export const textIn = (source: object, key: string): string => toText((source as Record<string, unknown>)[key]);

/** The parts of a message's content; a plain text is one of them. */
export function partsOf(message: Record<string, unknown>): Record<string, unknown>[] {
  const { content } = message as { content?: unknown };
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** The texts of one kind of part, joined. */
export function joinParts(message: Record<string, unknown>, type: "text" | "thinking"): string {
  return partsOf(message)
    .flatMap((part) => (part["type"] === type ? [toText(part[type])] : []))
    .join("\n\n")
    .trim();
}

/** `provider/model` of an answer; undefined where it does not say. */
export function modelOf(message: Record<string, unknown>): string | undefined {
  const [provider, model] = [toText(message["provider"]), toText(message["model"])];
  return model === "" ? undefined : `${provider}/${model}`;
}
