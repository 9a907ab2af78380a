/** What the running turn was asked for, when a compaction is about to take those words out of view. */
import type { ContextItem } from "../context/context-item.ts";
import { countPictures, textOf } from "./describe-message.ts";
import { isRequest } from "./pick-cut.ts";
import { splitSummary } from "./summary-text.ts";
import { isFinalAnswer } from "./tool-groups.ts";

/**
 * The words of the running turn that stand before `cut`, oldest first: its request, what was put in while it ran, and what
 * an earlier compaction carried of it. Undefined when the turn begins at `cut` or behind it.
 */
export function pickRunningRequest(items: readonly ContextItem[], cut: number): string | undefined {
  const turnStart = findTurnStart(items);
  const summary = items[0]?.isSummary ? items[0] : undefined;
  const texts: string[] = [];
  if (summary && turnStart === 1) texts.push(splitSummary(textOf(summary.message)).request ?? "");
  for (const item of items.slice(turnStart, cut)) {
    if (!isRequest(item)) continue;
    texts.push(textOf(item.message), ...new Array<string>(countPictures(item.message)).fill("[picture]"));
  }
  const request = texts.filter((text) => text.trim() !== "").join("\n");
  return request === "" ? undefined : request;
}

/** An answer without calls ends a turn; a message that comes before one was put into the running turn. */
function findTurnStart(items: readonly ContextItem[]): number {
  const lastRequest = items.findLastIndex(isRequest);
  const before = lastRequest === -1 ? items : items.slice(0, lastRequest);
  const lastAnswer = before.findLastIndex(({ message }) => isFinalAnswer(message));
  return Math.max(lastAnswer + 1, items[0]?.isSummary ? 1 : 0);
}
