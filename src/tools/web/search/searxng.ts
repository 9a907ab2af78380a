/** SearXNG, mostly the operator's own: no key, JSON where its settings have it switched on. */
import { ToolError } from "../../../base/errors.ts";
import { fieldOf, parseHitList } from "./parse-hits.ts";
import type { ProviderDialect } from "./search-provider.ts";

export function buildSearxngDialect({ baseUrl }: { baseUrl: string }): ProviderDialect {
  const base = baseUrl.replace(/\/+$/, "");
  return {
    name: "SearXNG",
    keyHint: "The instance wants a login; use one that does not, or open it for mom's address.",
    toRequest({ query, recency }) {
      const url = new URL(`${base}/search`);
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      if (recency !== undefined) url.searchParams.set("time_range", recency);
      return { url, headers: { accept: "application/json" } };
    },
    parseHits: (json) =>
      parseHitList(fieldOf(json, "results"), {
        title: "title",
        url: "url",
        snippet: "content",
        date: "publishedDate",
      }),
    explain(status) {
      if (status !== 403) return undefined;
      return new ToolError("SEARCH_REFUSED", "SearXNG does not answer in JSON", {
        hint: "In its settings.yml, add json to search.formats and restart it.",
      });
    },
  };
}
