/** Refuses a model whose window is too small to work in, before anything is asked (spec 3.2), and warns near it. */
import type { Log } from "../contracts/log.ts";
import type { ModelFailure, ModelInfo } from "../contracts/model.ts";

/** Tokens. */
const smallestWindow = 4096;
const comfortableWindow = 16_384;
/** What prompt and tools may take of the window: the rest is for the conversation and the answer. */
const mostFixedShare = 0.7;

/** `warned`: models that were already spoken of. */
export function checkWindow(
  model: ModelInfo,
  fixedTokens: number,
  { log, warned }: { log: Log; warned: Set<string> },
): ModelFailure | undefined {
  const { ref, contextWindow } = model;
  if (contextWindow < smallestWindow) {
    return refuse(`${ref} has a window of ${contextWindow} tokens; mom needs at least ${smallestWindow}.`);
  }
  if (fixedTokens > contextWindow * mostFixedShare) {
    return refuse(
      `The instructions and tools of this session take about ${fixedTokens} of the ${contextWindow} tokens of ${ref}, which leaves too little for a conversation.`,
    );
  }
  if (contextWindow < comfortableWindow && !warned.has(ref)) {
    warned.add(ref);
    log.warn("The model's window is small; long conversations will be shortened often", { model: ref, contextWindow });
  }
  return undefined;
}

const refuse = (what: string): ModelFailure => ({
  reason: "context_overflow",
  rule: "fall_back",
  detail: what,
  message: `${what} Choose a model with a larger window, or allow fewer tools.`,
});
