/**
 * Where a conversation may be parted: never between a tool call and its results, since a provider refuses either without
 * the other. Everything that splits or cuts asks here.
 */
import type { ModelMessage } from "../../contracts/model.ts";

/**
 * Indexes before which a cut is safe, ascending; 0 is always one of them. A message that was put in while tools ran stands
 * between a call and a later result; it belongs to that group.
 */
export function findSafeStarts(messages: readonly ModelMessage[]): number[] {
  const starts: number[] = [];
  let isResultAhead = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const role = messages[index]?.role;
    if (role === "toolResult") isResultAhead = true;
    if (role === "assistant" || !isResultAhead || index === 0) starts.push(index);
    if (role === "assistant") isResultAhead = false;
  }
  return starts.reverse();
}

/** The smallest pieces that may be parted from each other, in order, nothing left out. */
export function toToolGroups(messages: readonly ModelMessage[]): ModelMessage[][] {
  const starts = findSafeStarts(messages);
  return starts.map((start, n) => messages.slice(start, starts[n + 1]));
}

/** Answers that failed are kept in the transcript, but never sent. */
export const isAnswer = (message: ModelMessage): boolean =>
  message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";

/** An answer that ends its turn: it calls nothing. */
export const isFinalAnswer = (message: ModelMessage): boolean =>
  isAnswer(message) && message.role === "assistant" && !message.content.some((block) => block.type === "toolCall");
