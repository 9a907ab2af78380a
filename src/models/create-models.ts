/** The room put together: names to models, requests to streams. What the composition root creates and the agent uses. */
import { AgentError, AuthError } from "../base/errors.ts";
import type { AuthStore } from "../contracts/auth.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ModelInfo, ModelProvider, ModelRequest, ProviderStatus } from "../contracts/model.ts";
import { askWithProfiles } from "./ask-with-profiles.ts";
import { loadOAuthFlow } from "./auth/catalog.ts";
import type { AuthConfig } from "./auth/config.ts";
import type { LoadOAuthFlow } from "./auth/oauth-flow.ts";
import { createProfilePool } from "./auth/profile-pool.ts";
import { buildProviderStatus } from "./auth/provider-status.ts";
import { loadProvider } from "./catalog.ts";
import type { ModelsConfig } from "./config.ts";
import type { FetchFunction, Provider } from "./provider.ts";
import { explainMissing, type Lookup, listModels, resolveModel } from "./resolve-model.ts";
import { buildSources, type Environment, type ProviderSource } from "./sources.ts";

export interface ModelsDeps {
  clock: Clock;
  log: Log;
  /** Read for API keys only. */
  env: Environment;
  /** Keys and logins that were added, and how all of them fare. */
  auth: AuthStore;
  /** Config `auth.order`. */
  authOrder: AuthConfig["order"];
  /** How providers are reached; the platform's own when absent. */
  fetch?: FetchFunction;
  /** Told each key of auth.json before it is first used, so that no log shows it. */
  learnSecrets?(secrets: readonly string[]): void;
  /** How logins are renewed; the providers' own flows when absent. */
  loadOAuthFlow?: LoadOAuthFlow;
}

/** Tokens: enough for a word, small enough to cost nothing. */
const checkMaxOutputTokens = 64;

export function createModels(deps: ModelsDeps, config: ModelsConfig): ModelProvider {
  const { clock, log } = deps;
  const sources = buildSources(config, deps.env);
  const pool = createProfilePool({
    store: deps.auth,
    clock,
    log,
    loadFlow: deps.loadOAuthFlow ?? loadOAuthFlow,
    order: deps.authOrder,
    implicitOf: (provider) => sources.get(provider)?.implicitCredentials ?? [],
    ...(deps.learnSecrets && { learnSecrets: deps.learnSecrets }),
  });
  const load = createLoader(deps, config, sources);
  const lookup: Lookup = { config, sources, load, hasProfile: (name) => pool.hasAny(name) };

  const ask = (request: ModelRequest, settings: { retries: number; isProbe: boolean }) => {
    const { provider } = request.model;
    const source = sources.get(provider);
    const credential = source?.kind === "offline" ? "never" : source?.needsCredential ? "needed" : "optional";
    const explainNoKey = async () => (await pool.explainNone(provider)) ?? source?.missingCredential ?? "";
    return askWithProfiles(
      { clock, log, pool, load: () => load(provider), explainNoKey },
      { timeoutMs: config.timeoutMs, credential, ...settings },
      request,
    );
  };

  return {
    resolve: (ref) => resolveModel(ref, lookup).catch((error: unknown) => toUnavailable(error, log)),
    list: () => listModels(lookup),
    stream: (request) => ask(request, { retries: config.retries, isProbe: false }),
    aliases: () => config.aliases,
    status: () =>
      Promise.all(
        [...sources].map(async ([name, { needsCredential }]): Promise<ProviderStatus> => {
          const profiles = await pool.status(name);
          const noKey = needsCredential ? await pool.explainNone(name) : undefined;
          const missing = noKey ?? (await explainMissing(name, lookup));
          return buildProviderStatus(name, profiles, missing);
        }),
      ),
    async check(model, signal) {
      const startedAt = clock.monotonic();
      const request = buildCheckRequest(model, signal, clock);
      const { failure } = await ask(request, { retries: 0, isProbe: true }).result();
      if (failure !== undefined) return { ok: false, detail: `${failure.message} (${failure.detail})` };
      return { ok: true, detail: `${model.ref} answered in ${Math.round(clock.monotonic() - startedAt)} ms` };
    },
    close: () => pool.close(),
  };
}

/** Providers by name, each loaded once. */
function createLoader(
  { clock, fetch = globalThis.fetch }: ModelsDeps,
  { timeoutMs }: ModelsConfig,
  sources: ReadonlyMap<string, ProviderSource>,
) {
  const loaded = new Map<string, Promise<Provider>>();
  return async (name: string): Promise<Provider> => {
    const source = sources.get(name);
    if (source === undefined || source.missing !== undefined) {
      throw new AgentError("MODEL_PROVIDER_UNAVAILABLE", `The model provider "${name}" cannot be used.`, {
        hint: source?.missing ?? `Add it under models.providers.${name}, or choose another model.`,
      });
    }
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const loading = loadProvider(source, { clock, fetch, timeoutMs });
    loaded.set(name, loading);
    return loading;
  };
}

/** A key file that cannot be used is something to tell, like a key that is not there. */
function toUnavailable(error: unknown, log: Log): { type: "unavailable"; message: string } {
  if (!(error instanceof AuthError)) throw error;
  log.error("The file of keys cannot be used", { error });
  return {
    type: "unavailable",
    message: 'mom cannot read her file of keys. The operator finds out why with "mom doctor".',
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
    maxOutputTokens: checkMaxOutputTokens,
  };
}
