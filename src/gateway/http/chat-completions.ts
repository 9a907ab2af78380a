/** `POST /v1/chat/completions`: asks mom as one would ask a model, and answers as a model would, whole or chunk by chunk. */
import type { ServerResponse } from "node:http";
import type { Exchange } from "../parts.ts";
import { toOwnConversation, toUserConversation } from "./conversation.ts";
import { toFault } from "./openai-error.ts";
import { pickAgent } from "./pick-agent.ts";
import { readChatRequest } from "./read-chat-request.ts";
import type { Tokens } from "./reply-text.ts";
import { parseBody } from "./request-fields.ts";
import { type ApiDeps, maxBodyBytes, type RequestRunner, type RunningRequest, readSeed } from "./run-request.ts";
import { sendJson } from "./send-json.ts";
import { openEventStream } from "./sse.ts";
import { toTurnFault } from "./turn-fault.ts";

/** What every object of one answer carries. */
interface Head {
  id: string;
  created: number;
  model: string;
}

export function createChatCompletions(deps: ApiDeps, runner: RequestRunner): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const body = await exchange.readBody(maxBodyBytes);
    const request = readChatRequest(parseBody(body));
    const agentId = await pickAgent(deps.house, request.model);
    const seed = readSeed(exchange, body);
    const { messages, user, model } = request;
    const conversation =
      user === undefined ? toOwnConversation(agentId, { isPassing: true, seed }) : toUserConversation(agentId, user);
    const running = await runner.run(exchange, { messages, conversation, seed, param: "messages" });
    const head = { id: `chatcmpl-${running.turnId}`, created: Math.floor(deps.clock.now() / 1000), model };
    if (request.stream) return streamReply(deps, exchange.response, running, head, request.includeUsage);
    return answerWhole(exchange.response, running, head);
  };
}

async function answerWhole(response: ServerResponse, running: RunningRequest, head: Head): Promise<void> {
  for await (const sign of running.signs()) {
    if (sign.type === "text") continue;
    if (sign.type !== "answered") throw toTurnFault(sign);
    const message = { role: "assistant", content: sign.reply, refusal: null, annotations: [] };
    const choice = { index: 0, message, logprobs: null, finish_reason: sign.isCut ? "length" : "stop" };
    const answer = { ...head, object: "chat.completion", choices: [choice], usage: toUsage(sign.tokens) };
    sendJson(response, 200, answer, { "x-request-id": head.id });
  }
}

async function streamReply(
  { clock, log }: Pick<ApiDeps, "clock" | "log">,
  response: ServerResponse,
  running: RunningRequest,
  head: Head,
  includeUsage: boolean,
): Promise<void> {
  const stream = openEventStream({ response, clock }, { "x-request-id": head.id });
  const common = { ...head, object: "chat.completion.chunk", ...(includeUsage && { usage: null }) };
  const send = (delta: object, finishReason: string | null) =>
    stream.send({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
  try {
    await send({ role: "assistant", content: "", refusal: null }, null);
    for await (const sign of running.signs()) {
      if (sign.type === "text") await send({ content: sign.delta }, null);
      else if (sign.type !== "answered") throw toTurnFault(sign);
      else {
        await send({}, sign.isCut ? "length" : "stop");
        if (includeUsage) await stream.send({ ...common, choices: [], usage: toUsage(sign.tokens) });
        stream.end("[DONE]");
      }
    }
  } catch (error) {
    const known = toFault(error);
    if (!known) log.error("A request to /v1/chat/completions met a fault", { error });
    await stream.send((known ?? toTurnFault({ type: "broken" })).toBody());
    stream.end();
  }
}

/** Here a prompt's tokens are all of them, those from a cache too. */
function toUsage({ input, output, cacheRead, cacheWrite }: Tokens) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
