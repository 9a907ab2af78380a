/**
 * A fake Ollama on loopback: the list of its models (`/api/tags`, `/api/show`) and its OpenAI-compatible side. Scripted as
 * `model-server.ts` describes: `await createOllamaServer({ respond: [{ type: "answer", text: "hi" }] })`.
 */
import { createModelServer, type ModelServer, type Script, type SeenRequest, type WireErrors } from "./model-server.ts";
import { toCompletionsFrames } from "./openai-server.ts";

/** What `/api/show` says of a model; by the model's name. */
export type PulledModels = Record<string, { capabilities?: string[]; parameters?: string; contextLength?: number }>;

export interface OllamaServer extends ModelServer {
  /** May be changed while it runs. */
  models: PulledModels;
  /** Questions about models: `/api/tags`, `/api/show <name>`. */
  asked: string[];
  /** From now on it takes such questions and never answers. */
  hang(): void;
}

const everything: PulledModels = {
  "qwen3:8b": { capabilities: ["completion", "tools", "thinking", "vision"], contextLength: 40_960 },
};

export async function createOllamaServer(options: { respond: Script; models?: PulledModels }): Promise<OllamaServer> {
  const models = options.models ?? { ...everything };
  const asked: string[] = [];
  let isHanging = false;
  const answerAside = (request: SeenRequest) => {
    if (!request.path.startsWith("/api/")) return undefined;
    const name = typeof request.body["model"] === "string" ? request.body["model"] : undefined;
    asked.push(name === undefined ? request.path : `${request.path} ${name}`);
    return isHanging ? "silence" : answer(request.path, name, models);
  };
  const server = await createModelServer(
    options.respond,
    (scripted, request, n) => toCompletionsFrames(scripted, request.body["model"], n),
    { answerAside },
  );
  const hang = () => {
    isHanging = true;
  };
  return { ...server, models, asked, hang };
}

function answer(path: string, name: string | undefined, models: PulledModels): { status: number; body: unknown } {
  if (path === "/api/tags") {
    const list = Object.keys(models).map((model) => ({ name: model, model, digest: `sha256:${model}`, size: 1 }));
    return { status: 200, body: { models: list } };
  }
  const model = name === undefined ? undefined : models[name];
  if (model === undefined) return { status: 404, body: { error: `model '${name}' not found` } };
  const { capabilities, parameters, contextLength } = model;
  const window = contextLength === undefined ? {} : { "qwen3.context_length": contextLength };
  const model_info = { "general.architecture": "qwen3", ...window, "qwen3.embedding_length": 4096 };
  return { status: 200, body: { parameters, capabilities, model_info, details: { family: "qwen3" } } };
}

const error = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
  type: "status" as const,
  status,
  headers,
  body: JSON.stringify({ error: { message, type, param: null, code: null } }),
});

export const ollamaErrors: WireErrors = {
  unauthorized: (key) => error(401, "api_error", `unauthorized: ${key}`),
  forbidden: error(403, "api_error", "this model requires a subscription, upgrade for access"),
  noCredit: error(402, "api_error", "payment required"),
  rateLimit: error(429, "rate_limit_error", "too many concurrent requests"),
  rateLimitFor7s: error(429, "rate_limit_error", "you have reached your hourly usage limit", { "retry-after": "7" }),
  fault: error(500, "api_error", "llama runner process has terminated: exit status 2"),
  overloaded: error(503, "api_error", "server busy, please try again.  maximum pending requests exceeded"),
  badRequest: error(400, "invalid_request_error", "invalid message content type"),
  unknownModel: error(404, "not_found_error", 'model "llama9" not found, try pulling it first'),
  overflow: error(400, "invalid_request_error", "prompt too long; exceeded max context length by 4120 tokens"),
};
