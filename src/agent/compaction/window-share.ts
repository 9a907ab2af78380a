/** What share of a model's window the recent conversation may keep (spec 3.6). Arithmetic on estimates, asked by a compaction. */
import type { ModelMessage } from "../../contracts/model.ts";
import { type EstimateTokens, estimateTokens, safetyMargin, sumTokens } from "./token-estimate.ts";

/** Share of the window that stays as recent history. */
export const baseChunkRatio = 0.4;
export const minChunkRatio = 0.15;
/** Tokens; for a model that does not say. */
export const defaultContextWindow = 128_000;

/** Messages over this share of the window, on average, lower the ratio. */
const largeMessageShare = 0.1;
/** No answer needs more of the window than this. */
export const maxReserveShare = 0.25;

export function ensureContextWindow(contextWindow: number | undefined): number {
  return contextWindow !== undefined && contextWindow > 0 ? contextWindow : defaultContextWindow;
}

/** Large messages make the guess about the next one worse, so less is kept: between `minChunkRatio` and `baseChunkRatio`. */
export function computeAdaptiveRatio(
  messages: readonly ModelMessage[],
  contextWindow: number,
  estimate: EstimateTokens = estimateTokens,
): number {
  if (messages.length === 0) return baseChunkRatio;
  const average = sumTokens(messages, estimate) / messages.length;
  const share = (average * safetyMargin) / ensureContextWindow(contextWindow);
  if (share <= largeMessageShare) return baseChunkRatio;
  const reduction = Math.min(2 * share, baseChunkRatio - minChunkRatio);
  return Math.max(minChunkRatio, baseChunkRatio - reduction);
}
