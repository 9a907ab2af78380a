/**
 * The text of a compaction entry, as the model will read it: a fixed heading, the summary, what can be loaded again, and
 * at the end the request that is still being worked on, word for word. A later compaction takes it apart again.
 */
import { fitText } from "./shorten-text.ts";

export const summaryHeading = "[Summary of the earlier conversation]";
const requestHeading = "## Request being worked on, word for word";
const reloadHeading = "## Loaded earlier, no longer in view";

export interface SummaryParts {
  body: string;
  /** What the running turn was asked for, when that message is not kept. */
  request?: string | undefined;
  /** One line each: how to have it again. */
  reloads?: readonly string[];
  /** Of the whole text. */
  maxCharacters: number;
}

/** Each part is shortened to its share when there is not room for all. */
export function buildSummaryText({ body, request, reloads = [], maxCharacters }: SummaryParts): string {
  const room = maxCharacters - summaryHeading.length;
  const tail: string[] = [];
  if (reloads.length > 0) {
    const lines = reloads.map((line) => `- ${line}`).join("\n");
    tail.push(`\n\n${fitText(`${reloadHeading}\n${lines}`, Math.floor(room * 0.15))}`);
  }
  if (request !== undefined) {
    tail.push(`\n\n${requestHeading}\n${fitText(request, Math.floor(room * 0.4))}`);
  }
  // Whoever wrote the body must not be able to put a request into a person's mouth.
  const own = body.replaceAll(requestHeading, "## Request");
  const end = tail.join("");
  return fitText(`${summaryHeading}\n${fitText(own, room - 1 - end.length)}${end}`, maxCharacters);
}

/** What stands behind the heading; a summary that another program wrote has none. */
export function stripHeading(text: string): string {
  const start = text.indexOf(summaryHeading);
  return start === -1 ? text : text.slice(start + summaryHeading.length).replace(/^\n/, "");
}

/** The request that an earlier compaction carried on, and the rest. */
export function splitSummary(summary: string): { body: string; request?: string } {
  const start = summary.lastIndexOf(`\n${requestHeading}\n`);
  if (start === -1) return { body: summary };
  return { body: summary.slice(0, start).trimEnd(), request: summary.slice(start + requestHeading.length + 2) };
}
