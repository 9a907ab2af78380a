/**
 * The last step before a request: whatever the transcript holds, what goes out obeys the rules of every provider, so that
 * no entry can poison a session. Cost is in the new messages; the others are known from the turn before.
 */
import type { ModelMessage, UserMessage } from "../../contracts/model.ts";
import { type CleanMessage, cleanMessage, emptyText, type ModelFit } from "./clean-message.ts";
import { type ContextCache, createContextCache } from "./context-cache.ts";
import type { ContextItem } from "./context-item.ts";
import { limitImages } from "./limit-images.ts";
import { gap, pairResults } from "./pair-results.ts";

export function repairMessages(
  items: readonly ContextItem[],
  model: ModelFit,
  cache: ContextCache = createContextCache(),
): ModelMessage[] {
  const fit = `${model.provider}/${model.id} ${model.contextWindow} ${model.input.join()}`;
  const cleaned: CleanMessage[] = [];
  const slots: (ModelMessage | typeof gap)[] = [];
  for (const { message } of items) {
    const clean = cleanOnce(message, model, fit, cache);
    if (clean) {
      cleaned.push(clean);
      slots.push(clean.message);
    } else if (message.role === "assistant" && message.content.some(({ type }) => type === "toolCall")) slots.push(gap);
  }
  const limited = limitImages(cleaned);
  const messages = limited.size > 0 ? slots.map((slot) => (slot === gap ? slot : (limited.get(slot) ?? slot))) : slots;
  return frame(pairResults(messages));
}

function cleanOnce(message: ModelMessage, model: ModelFit, fit: string, cache: ContextCache): CleanMessage | undefined {
  const known = cache.cleaned.get(message);
  if (known?.fit === fit) return known.clean;
  const clean = cleanMessage(message, model);
  cache.cleaned.set(message, { fit, clean });
  return clean;
}

/** Begins and ends with the user's side, and no answer follows another: where something is missing, a line says so. */
function frame(messages: readonly ModelMessage[]): ModelMessage[] {
  const framed: ModelMessage[] = [];
  for (const message of messages) {
    const before = framed.at(-1);
    if (message.role === "assistant" && (before === undefined || before.role === "assistant")) {
      framed.push(note(before ? "(something was left out here)" : "(the beginning was left out)", message.timestamp));
    }
    framed.push(message);
  }
  const last = framed.at(-1);
  if (last === undefined) framed.push(note(emptyText, 0));
  else if (last.role === "assistant") framed.push(note("(go on)", last.timestamp));
  return framed;
}

const note = (content: string, timestamp: number): UserMessage => ({ role: "user", content, timestamp });
