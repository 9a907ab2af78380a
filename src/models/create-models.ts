/** The room put together: names to models, requests to streams. What the composition root creates and the agent uses. */

import { AgentError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ModelInfo, ModelProvider, ModelRequest } from "../contracts/model.ts";
import { askWithRetries } from "./ask-with-retries.ts";
import { loadProvider } from "./catalog.ts";
import type { ModelsConfig } from "./config.ts";
import type { FetchFunction, Provider } from "./provider.ts";
import { listModels, resolveModel } from "./resolve-model.ts";
import { buildSources, type Environment } from "./sources.ts";

export interface ModelsDeps {
  clock: Clock;
  log: Log;
  /** Read for API keys only. */
  env: Environment;
  /** How providers are reached; the platform's own when absent. */
  fetch?: FetchFunction;
}

/** Tokens: enough for a word, small enough to cost nothing. */
const checkMaxOutputTokens = 64;

export function createModels(deps: ModelsDeps, config: ModelsConfig): ModelProvider {
  const sources = buildSources(config, deps.env);
  const loaded = new Map<string, Promise<Provider>>();
  const providerDeps = { clock: deps.clock, fetch: deps.fetch ?? globalThis.fetch, timeoutMs: config.timeoutMs };

  const load = async (name: string): Promise<Provider> => {
    const source = sources.get(name);
    if (source === undefined || source.missing !== undefined) {
      throw new AgentError("MODEL_PROVIDER_UNAVAILABLE", `The model provider "${name}" cannot be used.`, {
        hint: source?.missing ?? `Add it under models.providers.${name}, or choose another model.`,
      });
    }
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const loading = loadProvider(source, providerDeps);
    loaded.set(name, loading);
    return loading;
  };
  const lookup = { config, sources, load };
  const ask = (request: ModelRequest, settings: { retries: number; maxOutputTokens?: number }) =>
    askWithRetries(
      { clock: deps.clock, log: deps.log, load: () => load(request.model.provider) },
      { timeoutMs: config.timeoutMs, ...settings },
      request,
    );

  return {
    resolve: (ref) => resolveModel(ref, lookup),
    list: () => listModels(lookup),
    stream: (request) => ask(request, { retries: config.retries }),
    async check(model, signal) {
      const startedAt = deps.clock.monotonic();
      const stream = ask(buildCheckRequest(model, signal, deps.clock), {
        retries: 0,
        maxOutputTokens: checkMaxOutputTokens,
      });
      const { failure } = await stream.result();
      if (failure !== undefined) return { ok: false, detail: `${failure.message} (${failure.detail})` };
      return { ok: true, detail: `${model.ref} answered in ${Math.round(deps.clock.monotonic() - startedAt)} ms` };
    },
  };
}

function buildCheckRequest(model: ModelInfo, signal: AbortSignal, clock: Clock): ModelRequest {
  return {
    model,
    system: "This is a connection test. Answer with one word.",
    messages: [{ role: "user", content: "hello", timestamp: clock.now() }],
    tools: [],
    signal,
    sessionId: "mom-check",
  };
}
