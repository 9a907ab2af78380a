/** The zone stands with what never changes; today is the very last line of the prompt; the minute comes with each message. */
import { toLine } from "../plain-line.ts";
import type { PromptFacts } from "../prompt-facts.ts";

const maxChars = 64;

export function dateAndTime({ timeZone, localDate }: PromptFacts): string | undefined {
  if (!timeZone) return undefined;
  const today = localDate ? " Today's date is the last line of this text." : "";
  return `Time zone: ${toLine(timeZone, maxChars)}. Messages have their local time in front, as (2026-11-16 09:05); the latest one is about now.${today}`;
}

export function today({ localDate }: PromptFacts): string | undefined {
  return localDate ? `Today: ${toLine(localDate, maxChars)}` : undefined;
}
