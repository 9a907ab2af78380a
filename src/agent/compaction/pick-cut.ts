/**
 * Where a compaction cuts: everything before the index goes into the summary, everything from it on is kept as it is.
 * Asked by `compact-items.ts`.
 */
import type { ContextItem } from "../context/context-item.ts";
import { type EstimateTokens, estimateTokens } from "./token-estimate.ts";
import { findSafeStarts } from "./tool-groups.ts";

/** A later cut at a person's message is worth this much of what would be kept. */
const nearShare = 0.25;

export interface CutOptions {
  /** What the running turn may fill. Over it, the turn is cut inside, between two tool groups. Absent: it never is. */
  roomTokens?: number;
  estimate?: EstimateTokens;
}

/**
 * Index of the first kept item: the newest items up to `keepTokens`, from a person's message on if one is near, never
 * from inside a tool group, and at least from the last person's message on. Undefined when there is nothing to gain.
 * Fewer `keepTokens` never keep more.
 */
export function pickCut(
  items: readonly ContextItem[],
  keepTokens: number,
  { roomTokens = Number.POSITIVE_INFINITY, estimate = estimateTokens }: CutOptions = {},
): number | undefined {
  const kept = sumFromEachOn(items, estimate);
  const first = items[0]?.isSummary ? 1 : 0;
  if ((kept[first] ?? 0) <= keepTokens) return undefined;
  const lastRequest = items.findLastIndex(isRequest);
  const isTurnKept = lastRequest !== -1 && (kept[lastRequest] ?? 0) <= roomTokens;
  const starts = findSafeStarts(items.map((item) => item.message)).filter(
    (start) => start > first && (!isTurnKept || start <= lastRequest),
  );
  const cut = starts.find((start) => (kept[start] ?? 0) <= keepTokens) ?? starts.at(-1);
  if (cut === undefined) return undefined;
  const enough = (kept[cut] ?? 0) * (1 - nearShare);
  return starts.find((start) => start >= cut && isRequest(items[start]) && (kept[start] ?? 0) >= enough) ?? cut;
}

/** What a person wrote, or the house in their place. */
export function isRequest(item: ContextItem | undefined): boolean {
  return item?.message.role === "user" && !item.isSummary;
}

/** For each index: tokens from there to the end. */
function sumFromEachOn(items: readonly ContextItem[], estimate: EstimateTokens): number[] {
  const sums = new Array<number>(items.length + 1).fill(0);
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    sums[index] = (sums[index + 1] ?? 0) + (item ? estimate(item.message) : 0);
  }
  return sums;
}
