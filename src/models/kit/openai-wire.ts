/** OpenAI's two formats: Chat Completions, which most other servers speak too, and Responses. */
import type { ProviderStreams } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { openAIResponsesApi } from "@earendil-works/pi-ai/api/openai-responses.lazy";
import { observeFetch } from "./observe-fetch.ts";
import { noKey, type Wire } from "./wire.ts";

export const createCompletionsWire = (): Wire => createWire("openai-completions", openAICompletionsApi());
export const createResponsesWire = (): Wire => createWire("openai-responses", openAIResponsesApi());

function createWire(api: string, streams: ProviderStreams): Wire {
  return {
    api,
    streams,
    // A key and a token go the same way.
    authorize: (credential) =>
      credential === undefined
        ? { type: "ready", apiKey: noKey, headers: { Authorization: null } }
        : { type: "ready", apiKey: credential.secret, headers: {} },
    watch: (deps, seen) => ({ fetch: observeFetch(deps.fetch, deps.clock, seen) }),
  };
}
