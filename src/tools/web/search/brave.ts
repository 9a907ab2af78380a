/** Brave Search: https://api.search.brave.com, a key in a header of its own. */
import { ToolError } from "../../../base/errors.ts";
import { fieldOf, parseHitList } from "./parse-hits.ts";
import type { ProviderDialect } from "./search-provider.ts";

const keyHint = "Put a valid key into tools.web.search.apiKey; see https://api-dashboard.search.brave.com.";
const freshness = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

export function buildBraveDialect({ apiKey, baseUrl }: { apiKey: string; baseUrl?: string }): ProviderDialect {
  const base = (baseUrl ?? "https://api.search.brave.com").replace(/\/+$/, "");
  return {
    name: "Brave Search",
    keyHint,
    toRequest({ query, numResults, recency }) {
      const url = new URL(`${base}/res/v1/web/search`);
      url.searchParams.set("q", query);
      url.searchParams.set("count", String(numResults));
      if (recency !== undefined) url.searchParams.set("freshness", freshness[recency]);
      return { url, headers: { accept: "application/json", "x-subscription-token": apiKey } };
    },
    parseHits(json) {
      const web = fieldOf(json, "web");
      // A query without results has no such part at all.
      if (web === undefined) return fieldOf(json, "type") === "search" ? [] : undefined;
      const fields = { title: "title", url: "url", snippet: "description", date: "age" };
      return parseHitList(fieldOf(web, "results"), fields);
    },
    explain(status, body) {
      if (status !== 422 || !body.includes("SUBSCRIPTION_TOKEN")) return undefined;
      return new ToolError("SEARCH_KEY_REFUSED", "Brave Search does not know the key", { hint: keyHint });
    },
  };
}
