/**
 * How many tokens a message will cost, guessed from its characters: four of them make a token. No tokenizer is asked, so
 * whoever compares an estimate with a window multiplies it by `safetyMargin`. First step of every decision about size.
 */
import type { ModelMessage } from "../../contracts/model.ts";

export const charactersPerToken = 4;
/** What a picture costs has nothing to do with its bytes. */
export const tokensPerPicture = 1500;
/** Estimates are this much too low at worst, for the texts that people and tools write. */
export const safetyMargin = 1.2;

export type EstimateTokens = (message: ModelMessage) => number;

export function estimateTokensOfText(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Counts what is sent and nothing else: `details`, usage and the like stay with us. */
export function estimateTokens(message: ModelMessage): number {
  if (typeof message.content === "string") return estimateTokensOfText(message.content);
  let characters = 0;
  let pictures = 0;
  for (const block of message.content) {
    if (block.type === "text") characters += block.text.length;
    else if (block.type === "thinking") characters += block.thinking.length;
    else if (block.type === "toolCall") characters += block.name.length + JSON.stringify(block.arguments).length;
    else pictures += 1;
  }
  return Math.ceil(characters / charactersPerToken) + pictures * tokensPerPicture;
}

/** The same with a memory: messages do not change once they are written, and are handed out again every turn. */
export function createTokenEstimator(): EstimateTokens {
  const known = new WeakMap<ModelMessage, number>();
  return (message) => {
    const tokens = known.get(message) ?? estimateTokens(message);
    known.set(message, tokens);
    return tokens;
  };
}

export function sumTokens(messages: readonly ModelMessage[], estimate: EstimateTokens): number {
  return messages.reduce((sum, message) => sum + estimate(message), 0);
}
