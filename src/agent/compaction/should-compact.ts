/** Is it time to compact? Asked before every model call, so that a provider seldom has to say that a prompt is too long. */
import { ensureContextWindow, maxReserveShare } from "./window-share.ts";

/** Tokens kept free for an answer, at most. */
const maxReserve = 16_384;

export interface Fill {
  /** Everything that would be sent, system prompt and tools included, with the safety margin. */
  tokens: number;
  contextWindow: number;
  /** Zero: unknown. */
  maxOutputTokens: number;
}

/** Is what would be sent so long that the answer might not fit behind it? */
export function shouldCompact({ tokens, contextWindow, maxOutputTokens }: Fill): boolean {
  const window = ensureContextWindow(contextWindow);
  const answer = maxOutputTokens > 0 ? maxOutputTokens : maxReserve;
  return tokens > window - Math.min(maxReserve, answer, window * maxReserveShare);
}
