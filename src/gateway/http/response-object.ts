/** The response object of `/v1/responses`, as the official client reads it; the same one at every stage of its life. */

import type { ResponsesRequest } from "./read-responses-request.ts";
import type { Tokens } from "./reply-text.ts";

export interface ResponseHead {
  id: string;
  createdAt: number;
  request: ResponsesRequest;
}

export type ResponseStage =
  | { status: "in_progress" }
  | { status: "completed" | "incomplete"; text: string; tokens: Tokens; completedAt: number }
  | { status: "failed"; error: { code: string; message: string } };

export function buildResponse({ id, createdAt, request }: ResponseHead, stage: ResponseStage) {
  const isAnswered = stage.status === "completed" || stage.status === "incomplete";
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: stage.status,
    background: false,
    completed_at: isAnswered ? stage.completedAt : null,
    error: stage.status === "failed" ? { code: "server_error", message: stage.error.message } : null,
    incomplete_details: stage.status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    metadata: request.metadata,
    model: request.model,
    output: isAnswered ? [buildItem(id, stage.status, stage.text)] : [],
    parallel_tool_calls: false,
    previous_response_id: request.previousId ?? null,
    reasoning: { effort: null, summary: null },
    store: request.store,
    temperature: null,
    text: { format: { type: "text" } },
    // Mom's own tools are hers: to the client there are none.
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    ...(request.user !== undefined && { user: request.user }),
    ...(isAnswered && { usage: toUsage(stage.tokens) }),
  };
}

/** `text` undefined: it has just begun and has no content. */
export function buildItem(id: string, status: "in_progress" | "completed" | "incomplete", text?: string) {
  const content = text === undefined ? [] : [buildPart(text)];
  return { id: itemIdOf(id), type: "message", status, role: "assistant", content };
}

export const itemIdOf = (id: string) => id.replace(/^resp_/, "msg_");
export const buildPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

function toUsage({ input, output, cacheRead, cacheWrite }: Tokens) {
  const all = input + cacheRead + cacheWrite;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: all + output,
  };
}
