/** `/v1/responses` as a stream: the numbered events of one response with one message of text. */

import type { ReplySign } from "./follow-reply.ts";
import { toFault } from "./openai-error.ts";
import type { Tokens } from "./reply-text.ts";
import { buildItem, buildPart, buildResponse, itemIdOf, type ResponseHead } from "./response-object.ts";
import type { EventStream } from "./sse.ts";
import { toTurnFault } from "./turn-fault.ts";

interface StreamParts {
  stream: EventStream;
  head: ResponseHead;
  signs: AsyncIterable<ReplySign>;
  /** Seconds since the epoch. */
  nowSeconds(): number;
  /** A surprise, for the log. */
  onFault(error: unknown): void;
}

/** Never rejects: what goes wrong is the last event. */
export async function streamResponse({ stream, head, signs, nowSeconds, onFault }: StreamParts): Promise<void> {
  let sequence = 0;
  const send = (type: string, fields: object) => stream.send({ type, sequence_number: sequence++, ...fields }, type);
  const item = { item_id: itemIdOf(head.id), output_index: 0, content_index: 0 };
  let text = "";

  const begin = async () => {
    const response = buildResponse(head, { status: "in_progress" });
    await send("response.created", { response });
    await send("response.in_progress", { response });
    await send("response.output_item.added", { output_index: 0, item: buildItem(head.id, "in_progress") });
    await send("response.content_part.added", { ...item, part: buildPart("") });
  };
  const complete = async (isCut: boolean, tokens: Tokens) => {
    const status = isCut ? "incomplete" : "completed";
    await send("response.output_text.done", { ...item, text, logprobs: [] });
    await send("response.content_part.done", { ...item, part: buildPart(text) });
    await send("response.output_item.done", { output_index: 0, item: buildItem(head.id, status, text) });
    const response = buildResponse(head, { status, text, tokens, completedAt: nowSeconds() });
    await send(`response.${status}`, { response });
  };
  /** Clients that know the events see the first; the official one raises the second. */
  const fail = async (error: unknown) => {
    const known = toFault(error);
    if (!known) onFault(error);
    const { error: told } = (known ?? toTurnFault({ type: "broken" })).toBody();
    const code = told.code ?? "server_error";
    const response = buildResponse(head, { status: "failed", error: { code, message: told.message } });
    await send("response.failed", { response });
    await send("error", { ...told, code, error: told });
  };

  try {
    await begin();
    for await (const sign of signs) {
      if (sign.type === "answered") await complete(sign.isCut, sign.tokens);
      else if (sign.type !== "text") throw toTurnFault(sign);
      else {
        text += sign.delta;
        await send("response.output_text.delta", { ...item, delta: sign.delta, logprobs: [] });
      }
    }
  } catch (error) {
    await fail(error);
  }
  stream.end();
}
