/** `POST /v1/responses`: the newer of OpenAI's two ways to ask. A response remembers its conversation, so that one can go on from it. */
import type { Exchange } from "../parts.ts";
import { type Conversation, toOwnConversation, toUserConversation } from "./conversation.ts";
import { badRequest } from "./openai-error.ts";
import { pickAgent } from "./pick-agent.ts";
import { type ResponsesRequest, readResponsesRequest } from "./read-responses-request.ts";
import { parseBody } from "./request-fields.ts";
import { createResponseIndex } from "./response-index.ts";
import { buildResponse, type ResponseHead } from "./response-object.ts";
import { type ApiDeps, maxBodyBytes, type RequestRunner, type RunningRequest, readSeed } from "./run-request.ts";
import { sendJson } from "./send-json.ts";
import { openEventStream } from "./sse.ts";
import { streamResponse } from "./stream-response.ts";
import { toTurnFault } from "./turn-fault.ts";

export function createResponses(deps: ApiDeps, runner: RequestRunner): (exchange: Exchange) => Promise<void> {
  const { clock, log } = deps;
  const index = createResponseIndex(deps);
  const nowSeconds = () => Math.floor(clock.now() / 1000);

  const pickConversation = async (request: ResponsesRequest, seed: string | undefined): Promise<Conversation> => {
    const { previousId, user, store, model } = request;
    const agentId = await pickAgent(deps.house, model);
    if (previousId === undefined) {
      return user === undefined
        ? toOwnConversation(agentId, { isPassing: !store, seed })
        : toUserConversation(agentId, user);
    }
    const previous = await index.find(previousId);
    if (!previous) {
      const message = `There is no response "${previousId.slice(0, 100)}" (any more).`;
      throw badRequest("previous_response_id", message, "previous_response_not_found");
    }
    if (previous.agentId === agentId) return { agentId, name: previous.name, isPassing: false };
    throw badRequest("model", `That conversation is with mom/${previous.agentId}.`, "invalid_value");
  };
  /** Without it the response cannot be gone on from; that is no reason to lose it. */
  const remember = async (id: string, { sessionKey }: RunningRequest, { agentId, name, isPassing }: Conversation) => {
    if (isPassing) return;
    const isOwn = name.startsWith("kept-");
    await index.add(id, { agentId, name, sessionKey, isOwn, at: clock.now() }).catch((error: unknown) => {
      log.error("A response's conversation could not be written down", { error });
    });
  };

  return async (exchange) => {
    const { response } = exchange;
    const body = await exchange.readBody(maxBodyBytes);
    const request = readResponsesRequest(parseBody(body));
    const seed = readSeed(exchange, body);
    const conversation = await pickConversation(request, seed);
    const running = await runner.run(exchange, { messages: request.messages, conversation, seed, param: "input" });
    const head: ResponseHead = { id: `resp_${running.turnId}`, createdAt: nowSeconds(), request };
    if (request.store) await remember(head.id, running, conversation);
    const headers = { "x-request-id": head.id };
    if (!request.stream) return answerWhole(exchange, running, head, headers, nowSeconds);
    const stream = openEventStream({ response, clock }, headers);
    const onFault = (error: unknown) => log.error("A request to /v1/responses met a fault", { error });
    await streamResponse({ stream, head, signs: running.signs(), nowSeconds, onFault });
  };
}

async function answerWhole(
  { response }: Exchange,
  running: RunningRequest,
  head: ResponseHead,
  headers: Record<string, string>,
  nowSeconds: () => number,
): Promise<void> {
  for await (const sign of running.signs()) {
    if (sign.type === "text") continue;
    if (sign.type !== "answered") throw toTurnFault(sign);
    const status = sign.isCut ? "incomplete" : "completed";
    const stage = { status, text: sign.reply, tokens: sign.tokens, completedAt: nowSeconds() } as const;
    sendJson(response, 200, buildResponse(head, stage), headers);
  }
}
