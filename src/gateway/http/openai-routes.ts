/**
 * The API of OpenAI, with mom behind it, so that programs that know one can talk to the other. Off unless asked for
 * (`gateway.http.openai`). What it may do is what a direct chat may: the sender is `api`, never the owner.
 */
import type { Exchange, Route } from "../parts.ts";
import { createChatCompletions } from "./chat-completions.ts";
import { OpenAiFault, toFault } from "./openai-error.ts";
import { listModels } from "./pick-agent.ts";
import { createResponses } from "./responses.ts";
import { type ApiDeps, createRequestRunner } from "./run-request.ts";
import { sendJson } from "./send-json.ts";
import { toTurnFault } from "./turn-fault.ts";

const modelPath = "/v1/models/";

export function createOpenAiRoutes(deps: ApiDeps): Route[] {
  const { house, clock } = deps;
  const runner = createRequestRunner(deps);
  const created = Math.floor(clock.now() / 1000);
  const toModel = (id: string) => ({ id, object: "model", created, owned_by: "mom" });

  const sendModels = async ({ response }: Exchange) => {
    const data = (await listModels(house)).map(toModel);
    sendJson(response, 200, { object: "list", data });
  };
  const sendModel = async ({ response, path }: Exchange) => {
    const id = path.slice(modelPath.length);
    if (!(await listModels(house)).includes(id)) throw unknownModel(id);
    sendJson(response, 200, toModel(id));
  };
  const routes: Route[] = [
    {
      method: "POST",
      path: "/v1/chat/completions",
      auth: { bearer: "write" },
      handle: createChatCompletions(deps, runner),
    },
    { method: "POST", path: "/v1/responses", auth: { bearer: "write" }, handle: createResponses(deps, runner) },
    { method: "GET", path: "/v1/models", auth: { bearer: "read" }, handle: sendModels },
    { method: "GET", path: `${modelPath}*`, auth: { bearer: "read" }, handle: sendModel },
  ];
  return routes.map((route) => ({ ...route, handle: (exchange) => answerFaults(deps, exchange, route.handle) }));
}

/** What a handler throws becomes an error of OpenAI's shape, as long as nothing has been sent. */
async function answerFaults({ log }: Pick<ApiDeps, "log">, exchange: Exchange, handle: Route["handle"]): Promise<void> {
  try {
    await handle(exchange);
  } catch (error) {
    const { response, path, signal } = exchange;
    if (signal.aborted || response.destroyed) return;
    const known = toFault(error);
    if (!known) log.error("A request to the API met a fault", { path, error });
    if (response.headersSent) return void response.destroy();
    const fault = known ?? toTurnFault({ type: "broken" });
    sendJson(response, fault.status, fault.toBody(), {
      ...(fault.isFinal && { "x-should-retry": "false" }),
      ...(fault.status === 503 && { "retry-after": "1" }),
    });
  }
}

const unknownModel = (id: string) =>
  new OpenAiFault({
    status: 404,
    message: `The model "${id.slice(0, 100)}" does not exist here.`,
    param: "model",
    code: "model_not_found",
  });
