/** Any endpoint that speaks one of the common wire formats: a local server, a gateway, another vendor. */
import type { Api, Model } from "@earendil-works/pi-ai";
import { ConfigError } from "../../../base/errors.ts";
import type { EndpointApi } from "../../config.ts";
import { createAnthropicWire } from "../../kit/anthropic-wire.ts";
import { createGoogleWire } from "../../kit/google-wire.ts";
import { createCompletionsWire, createResponsesWire } from "../../kit/openai-wire.ts";
import { buildPiModel, olderCompletions } from "../../kit/pi-model.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Wire } from "../../kit/wire.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

/** How an endpoint that speaks the format is addressed. */
interface Dialect {
  createWire(): Wire;
  /** People copy addresses with and without their last part; each client wants one of the two. */
  toBaseUrl(baseUrl: string): string;
  /** What is said differently to a server that is not the vendor's own. */
  compat?: Model<Api>["compat"];
}

const dialects: Readonly<Record<EndpointApi, Dialect>> = {
  "openai-completions": { createWire: createCompletionsWire, toBaseUrl: (url) => url, compat: olderCompletions },
  "openai-responses": {
    createWire: createResponsesWire,
    toBaseUrl: (url) => url,
    compat: { supportsDeveloperRole: false },
  },
  "anthropic-messages": { createWire: createAnthropicWire, toBaseUrl: (url) => url.replace(/\/+(v1\/*)?$/, "") },
  "google-generative-ai": {
    createWire: createGoogleWire,
    toBaseUrl: (url) => (new URL(url).pathname === "/" ? `${url.replace(/\/+$/, "")}/v1beta` : url),
  },
};

export function createCustomProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const { name, api, baseUrl } = settings;
  const defaultModel = settings.models[0]?.id;
  if (api === undefined || baseUrl === undefined || defaultModel === undefined) {
    throw new ConfigError("MODEL_PROVIDER_INCOMPLETE", `The model provider "${name}" is not fully described.`, {
      hint: `Give models.providers.${name} an "api", a "baseUrl" and at least one entry in "models".`,
    });
  }
  const dialect = dialects[api];
  const endpoint = { api, provider: name, baseUrl: dialect.toBaseUrl(baseUrl) };
  const compat = isOpenAi(baseUrl) ? undefined : dialect.compat;
  const models = settings.models.map((model) => {
    const built = buildPiModel(model, endpoint);
    return compat === undefined ? built : { ...built, compat };
  });
  return createPiProvider({ settings, wire: dialect.createWire(), models, defaultModel }, deps);
}

function isOpenAi(baseUrl: string): boolean {
  return /(^|\.)openai\.(com|azure\.com)$/.test(new URL(baseUrl).hostname);
}
