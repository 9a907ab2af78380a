/** Which providers there are, from the configuration and the environment: known before any of them is loaded. */
import { type ModelsConfig, offlineProviderName } from "./config.ts";
import type { ProviderSettings } from "./provider.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProviderSource {
  kind: "anthropic" | "openai" | "custom" | "offline";
  settings: ProviderSettings;
  /** Why it cannot be used and what to do about it; absent when it can. */
  missing?: string;
}

const keyNames = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" } as const;

/** By name, in the order in which a default is looked for. */
export function buildSources(config: ModelsConfig, env: Environment): Map<string, ProviderSource> {
  const sources = new Map<string, ProviderSource>();
  for (const name of ["anthropic", "openai"] as const) sources.set(name, buildBuiltIn(name, config, env));
  for (const name of Object.keys(config.providers)) {
    if (config.providers[name]?.api !== undefined) {
      sources.set(name, { kind: "custom", settings: toSettings(name, config) });
    }
  }
  sources.set(offlineProviderName, {
    kind: "offline",
    settings: { name: offlineProviderName, headers: {}, models: [] },
  });
  return sources;
}

function buildBuiltIn(name: "anthropic" | "openai", config: ModelsConfig, env: Environment): ProviderSource {
  const settings = toSettings(name, config);
  const apiKey = settings.apiKey ?? (env[keyNames[name]]?.trim() || undefined);
  if (apiKey === undefined) {
    return {
      kind: name,
      settings,
      missing: `No API key for ${name}. Set ${keyNames[name]}, or models.providers.${name}.apiKey.`,
    };
  }
  const source: ProviderSource = { kind: name, settings: { ...settings, apiKey } };
  // pi-ai would pose as another program to use such a token; mom does not.
  if (name === "anthropic" && apiKey.includes("sk-ant-oat")) {
    source.missing = `The key for anthropic is a subscription token, which mom does not use. Set ${keyNames.anthropic} to an API key from the Anthropic console.`;
  }
  return source;
}

function toSettings(name: string, config: ModelsConfig): ProviderSettings {
  const entry = config.providers[name];
  const settings: ProviderSettings = { name, headers: entry?.headers ?? {}, models: entry?.models ?? [] };
  if (entry?.api !== undefined) settings.api = entry.api;
  if (entry?.baseUrl !== undefined) settings.baseUrl = entry.baseUrl;
  if (entry?.apiKey !== undefined) settings.apiKey = entry.apiKey;
  return settings;
}
