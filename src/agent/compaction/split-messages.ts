/**
 * Splits a conversation into parts that a model can read one at a time: into a number of parts of about equal size, or
 * into parts of at most a size. Order is kept, nothing is lost, and no tool call is parted from its results.
 */
import type { ModelMessage } from "../../contracts/model.ts";
import { type EstimateTokens, estimateTokens, sumTokens } from "./token-estimate.ts";
import { toToolGroups } from "./tool-groups.ts";

/** At most `parts` parts, fewer when there are not that many groups; none of them empty. */
export function splitByTokenShare(
  messages: readonly ModelMessage[],
  parts: number,
  estimate: EstimateTokens = estimateTokens,
): ModelMessage[][] {
  const target = sumTokens(messages, estimate) / Math.max(1, parts);
  return pack(messages, estimate, (tokens, made) => tokens > target && made < parts);
}

/** Parts of at most `maxTokens`; a group that is larger by itself is a part of its own. */
export function splitByMaxTokens(
  messages: readonly ModelMessage[],
  maxTokens: number,
  estimate: EstimateTokens = estimateTokens,
): ModelMessage[][] {
  return pack(messages, estimate, (tokens) => tokens > maxTokens);
}

/** `isFull`: would the part at hand be too large with the next group, given how many parts there are with it? */
function pack(
  messages: readonly ModelMessage[],
  estimate: EstimateTokens,
  isFull: (tokens: number, made: number) => boolean,
): ModelMessage[][] {
  const parts: ModelMessage[][] = [];
  let tokens = 0;
  for (const group of toToolGroups(messages)) {
    const added = sumTokens(group, estimate);
    const part = parts.at(-1);
    if (!part || isFull(tokens + added, parts.length)) {
      parts.push(group);
      tokens = added;
    } else {
      part.push(...group);
      tokens += added;
    }
  }
  return parts;
}
