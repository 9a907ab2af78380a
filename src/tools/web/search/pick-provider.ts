/** Which search provider the configuration means: the named one, else the one that has what it needs. */
import type { WebConfig } from "../config.ts";
import { buildBraveDialect } from "./brave.ts";
import { buildPerplexityDialect } from "./perplexity.ts";
import type { ProviderDialect } from "./search-provider.ts";
import { buildSearxngDialect } from "./searxng.ts";

type SearchConfig = WebConfig["search"];

/** Undefined: nothing is set up, or the named one lacks its key or address. */
export function pickDialect(config: SearchConfig): ProviderDialect | undefined {
  const { apiKey, baseUrl } = config;
  const provider = config.provider ?? guessProvider(config);
  if (provider === "searxng") return baseUrl === undefined ? undefined : buildSearxngDialect({ baseUrl });
  if (provider === undefined || apiKey === undefined) return undefined;
  const parts = { apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) };
  return provider === "brave" ? buildBraveDialect(parts) : buildPerplexityDialect(parts);
}

function guessProvider({ apiKey, baseUrl }: SearchConfig): SearchConfig["provider"] {
  if (apiKey !== undefined) return apiKey.startsWith("pplx-") ? "perplexity" : "brave";
  return baseUrl === undefined ? undefined : "searxng";
}

/** The entry that lets the operator's own address through the guard, that host and port only. */
export function toAllowEntry({ baseUrl }: SearchConfig): string[] {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null) return [];
  return [`${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`];
}
