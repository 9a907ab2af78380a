/** Sends a plan as a model would: start, the text in a few pieces or a tool call, done, with an estimate of the tokens. */
import type { AssistantMessage } from "../../../contracts/model.ts";
import type { ProviderCall, ProviderEvent } from "../../provider.ts";
import { readConversation, textOf } from "./conversation.ts";
import { buildNext } from "./plan.ts";

/** Pieces of a text; enough to see it stream. */
const maxPieces = 6;
const charsPerToken = 4;

export async function* streamPlan(
  call: ProviderCall,
  as: { api: string; nowMs: number },
): AsyncGenerator<ProviderEvent> {
  const plan = buildNext(readConversation(call));
  const partial = buildEmptyMessage(call, as);
  yield { type: "start", partial };
  if (plan.type === "say") {
    const block = { type: "text" as const, text: "" };
    partial.content.push(block);
    for (const delta of toPieces(plan.text)) {
      block.text += delta;
      yield { type: "text_delta", delta, contentIndex: 0, partial };
    }
  } else {
    const id = `offline_${as.nowMs.toString(36)}_${call.messages.length}`;
    partial.content.push({ type: "toolCall", id, name: plan.name, arguments: plan.arguments });
    partial.stopReason = "toolUse";
    yield { type: "toolcall_delta", contentIndex: 0, partial };
  }
  const outputLength = plan.type === "say" ? plan.text.length : JSON.stringify(plan).length;
  partial.usage.output = toTokens(outputLength);
  partial.usage.totalTokens = partial.usage.input + partial.usage.output;
  yield { type: "done", message: partial };
}

function buildEmptyMessage(call: ProviderCall, as: { api: string; nowMs: number }): AssistantMessage {
  const said = call.messages.reduce((sum, message) => sum + lengthOf(message.content), 0);
  const input = toTokens(call.system.length + JSON.stringify(call.tools).length + said);
  return {
    role: "assistant",
    content: [],
    api: as.api,
    provider: call.model.provider,
    model: call.model.id,
    usage: {
      input,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: input,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: as.nowMs,
  };
}

const lengthOf = (content: Parameters<typeof textOf>[0]): number => textOf(content).length;

const toTokens = (chars: number): number => Math.ceil(chars / charsPerToken);

/** Cut between words; together they are the text. */
function toPieces(text: string): string[] {
  const words = text.match(/\S*\s*/g)?.filter((word) => word !== "") ?? [];
  const size = Math.max(1, Math.ceil(words.length / maxPieces));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size).join(""),
  );
}
