/** `web_search`: titles, addresses and snippets from the provider that the operator has set up. */
import { Type } from "typebox";
import { systemCode, ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { Tool } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { recencies, type SearchHit, type SearchProvider } from "./search/search-provider.ts";
import { createTimedCache } from "./timed-cache.ts";

const defaultResults = 8;
const maxResults = 20;

const parameters = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 400 }),
    numResults: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxResults, description: `Default ${defaultResults}` }),
    ),
    recency: Type.Optional(Type.Enum([...recencies], { type: "string", description: "Not older than" })),
  },
  { additionalProperties: false },
);

export interface WebSearchDetails {
  provider: string;
  query: string;
  urls: string[];
}

export interface WebSearchDependencies {
  /** Undefined: none is set up. */
  provider: SearchProvider | undefined;
  clock: Clock;
  log: Log;
  cacheMinutes: number;
}

const maxCachedSearches = 200;
const maxCacheBytes = 4 * 1024 * 1024;

export function createWebSearchTool(dependencies: WebSearchDependencies): Tool<typeof parameters, WebSearchDetails> {
  const { provider, clock, log, cacheMinutes } = dependencies;
  const answers = createTimedCache<SearchHit[]>(clock, {
    maxAgeMs: cacheMinutes * 60_000,
    maxEntries: maxCachedSearches,
    maxBytes: maxCacheBytes,
  });
  return {
    name: "web_search",
    label: "Search the web",
    description: "Search the web: titles, addresses, snippets. Read a page with web_fetch.",
    parameters,
    effect: "read",
    describe: ({ query }) => `search "${query}"`,
    async execute(_id, { query, numResults = defaultResults, recency }, signal) {
      if (provider === undefined) throw notSetUp();
      const key = JSON.stringify([query, numResults, recency]);
      const request = { query, numResults, ...(recency === undefined ? {} : { recency }) };
      const hits =
        answers.get(key) ??
        (await provider.search(request, signal).catch((error: unknown) => {
          const code = systemCode(error);
          // The model cannot mend these; whoever runs mom can.
          if (code === "SEARCH_KEY_REFUSED" || code === "SEARCH_MALFORMED")
            log.warn("Web search fails", { code, error });
          throw error;
        }));
      answers.set(key, hits, JSON.stringify(hits).length * 2);
      return show(provider.name, query, hits.slice(0, numResults));
    },
  };
}

function show(provider: string, query: string, hits: SearchHit[]) {
  const details = { provider, query, urls: hits.map(({ url }) => url) };
  if (hits.length === 0) return buildTextResult(`Nothing was found for "${query}".`, details);
  const text = hits.map(formatHit).join("\n\n");
  const outside = `${provider}, search results`;
  return { ...buildTextResult(markOutside(text, outside), details), outside };
}

function formatHit({ title, url, snippet, date }: SearchHit, index: number): string {
  const lines = [`${index + 1}. ${title}`, url, [date, snippet].filter(Boolean).join(" · ")];
  return lines.filter((line) => line !== "").join("\n   ");
}

const notSetUp = () =>
  new ToolError("SEARCH_NOT_SET_UP", "No search provider is set up for web_search", {
    hint:
      "The operator sets one in config.json, under tools.web.search: " +
      '{ provider: "brave", apiKey: "${BRAVE_API_KEY}" } with a key from https://brave.com/search/api, ' +
      '{ provider: "perplexity", apiKey: "${PERPLEXITY_API_KEY}" } with one from https://www.perplexity.ai/settings/api, ' +
      'or { provider: "searxng", baseUrl: "http://localhost:8080" } for a SearXNG of their own with json in search.formats.',
  });
