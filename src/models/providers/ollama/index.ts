/**
 * A local Ollama. Its models are those that are pulled, so it is asked for them; conversations go through its
 * OpenAI-compatible side.
 */
import type { ModelInfo } from "../../../contracts/model.ts";
import { createCompletionsWire } from "../../kit/openai-wire.ts";
import { askThroughPi } from "../../kit/pi-ask.ts";
import { fromModelInfo, olderCompletions } from "../../kit/pi-model.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";
import { createModelList } from "./model-list.ts";

export function createOllamaProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const { name, headers } = settings;
  const baseUrl = (settings.baseUrl ?? "").replace(/\/+(v1\/*)?$/, "");
  const wire = createCompletionsWire();
  const place = { api: wire.api, provider: name, baseUrl: `${baseUrl}/v1` };
  const models = createModelList(deps, { ...settings, baseUrl });
  // Models that can think do so unless they are told not to.
  const thinkingLevelMap = { off: "none" };
  const endpoint = {
    wire,
    toPiModel: (model: ModelInfo) => ({ ...fromModelInfo(model, place), compat: olderCompletions, thinkingLevelMap }),
    headers,
  };
  return {
    name,
    api: wire.api,
    secrets: Object.values(headers),
    list: models.list,
    ask: (call) => askThroughPi(endpoint, deps, call),
  };
}
