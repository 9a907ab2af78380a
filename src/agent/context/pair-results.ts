/**
 * Tool calls and their results: every call has exactly one result, right behind its answer and in the order of the calls;
 * results without a call go. Ids that a provider used twice are told apart.
 */
import type { AssistantMessage, ModelMessage, ToolCall, ToolResultMessage } from "../../contracts/model.ts";
import { cleanId } from "./clean-message.ts";

/** An answer that was left out but had calls: results behind it are not those of the answer before. */
export const gap = Symbol("gap");
type Slot = ModelMessage | typeof gap;

export function pairResults(slots: readonly Slot[]): ModelMessage[] {
  const paired: ModelMessage[] = [];
  const usedIds = new Set<string>();
  for (let at = 0; at < slots.length; ) {
    const head = slots[at];
    let end = at + 1;
    while (end < slots.length && !isBound(slots[end])) end++;
    if (head !== undefined && head !== gap && head.role === "assistant") {
      paired.push(...withResults(head, slots.slice(at + 1, end), usedIds));
    } else if (head !== undefined && head !== gap && head.role === "user") paired.push(head);
    for (let n = at + 1; n < end; n++) {
      const each = slots[n];
      if (each !== undefined && each !== gap && each.role === "user") paired.push(each);
    }
    at = end;
  }
  return paired;
}

/** Only results up to the next answer count: a provider may use the same ids again and again. */
const isBound = (slot: Slot | undefined) => slot === gap || slot?.role === "assistant";

function withResults(answer: AssistantMessage, following: readonly Slot[], usedIds: Set<string>): ModelMessage[] {
  if (!answer.content.some(({ type }) => type === "toolCall")) return [answer];
  const found = new Map<string, ToolResultMessage[]>();
  for (const slot of following) {
    if (slot === gap || slot.role !== "toolResult") continue;
    const id = cleanId(slot.toolCallId, answer.api);
    const others = found.get(id);
    if (others) others.push(slot);
    else found.set(id, [slot]);
  }
  const results: ToolResultMessage[] = [];
  let isRenamed = false;
  const content = answer.content.map((block) => {
    if (block.type !== "toolCall") return block;
    const call = nameApart(block, usedIds);
    if (call !== block) isRenamed = true;
    results.push(toResult(call, found.get(block.id)?.shift(), answer.timestamp));
    return call;
  });
  return [isRenamed ? { ...answer, content } : answer, ...results];
}

function nameApart(call: ToolCall, usedIds: Set<string>): ToolCall {
  let id = call.id;
  for (let n = 2; usedIds.has(id); n++) id = `${call.id.slice(0, 56)}_${n}`;
  usedIds.add(id);
  return id === call.id ? call : { ...call, id };
}

function toResult(call: ToolCall, result: ToolResultMessage | undefined, timestamp: number): ToolResultMessage {
  const { id: toolCallId, name: toolName } = call;
  if (result?.toolCallId === toolCallId && result.toolName === toolName) return result;
  if (result) return { ...result, toolCallId, toolName };
  const text = "No result: the turn was stopped before this call ended. It may have run.";
  return { role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError: true, timestamp };
}
