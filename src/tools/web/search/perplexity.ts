/** Perplexity's Search API: https://api.perplexity.ai/search, results without an answer of its own. */
import { fieldOf, parseHitList } from "./parse-hits.ts";
import type { ProviderDialect } from "./search-provider.ts";

export function buildPerplexityDialect({ apiKey, baseUrl }: { apiKey: string; baseUrl?: string }): ProviderDialect {
  const base = (baseUrl ?? "https://api.perplexity.ai").replace(/\/+$/, "");
  return {
    name: "Perplexity",
    keyHint: "Put a valid key into tools.web.search.apiKey; see https://www.perplexity.ai/settings/api.",
    toRequest: ({ query, numResults, recency }) => ({
      url: new URL(`${base}/search`),
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        authorization: `Bearer ${apiKey}`,
      },
      body: JSON.stringify({
        query,
        max_results: numResults,
        ...(recency === undefined ? {} : { search_recency_filter: recency }),
      }),
    }),
    parseHits: (json) =>
      parseHitList(fieldOf(json, "results"), { title: "title", url: "url", snippet: "snippet", date: "date" }),
  };
}
