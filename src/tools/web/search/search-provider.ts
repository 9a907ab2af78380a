/** What a search provider is, and the one way they are asked: through the guard, in JSON, with their failures classified. */

import { errorText, MomError, ToolError } from "../../../base/errors.ts";
import { retryAsync } from "../../../base/retry.ts";
import type { Clock } from "../../../contracts/clock.ts";
import { cutHead } from "../../kit/truncate.ts";
import type { GuardedFetch, WebAnswer } from "../guarded-fetch.ts";

export const recencies = ["day", "week", "month", "year"] as const;
export type Recency = (typeof recencies)[number];

export interface SearchQuery {
  query: string;
  /** 1 to 20. */
  numResults: number;
  /** Only what is not older. */
  recency?: Recency;
}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  /** As the provider says it. */
  date?: string;
}

export interface SearchProvider {
  /** For people. */
  name: string;
  /** Best first. Rejects with one of the `SEARCH_…` codes, or `ABORTED`. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchHit[]>;
}

/** How one provider is spoken to. All pure. */
export interface ProviderDialect {
  name: string;
  toRequest(query: SearchQuery): { url: URL; method?: "POST"; headers: Record<string, string>; body?: string };
  /** Undefined: it is not what the provider promises. */
  parseHits(json: unknown): SearchHit[] | undefined;
  /** Where the provider says no in a way of its own. Undefined: judged by its status. */
  explain?(status: number, body: string): ToolError | undefined;
  /** How to mend a refused key. */
  keyHint: string;
}

/** A failure that names its own waiting time. */
class SearchLimitError extends ToolError {
  retryAfterMs: number | undefined;
}

const timeoutMs = 15_000;
const maxBytes = 2 * 1024 * 1024;
const retries = { maxRetries: 2, minDelayMs: 1000, maxDelayMs: 4000, jitter: 0.2, maxRetryAfterMs: 5000 };

export function createSearchProvider(dialect: ProviderDialect, web: GuardedFetch, clock: Clock): SearchProvider {
  const ask = async (query: SearchQuery, signal: AbortSignal): Promise<SearchHit[]> => {
    const { url, ...request } = dialect.toRequest(query);
    const answer = await web.fetch(url, { ...request, maxBytes, timeoutMs, signal }).catch((error: unknown) => {
      throw isOurs(error) ? error : unavailable(dialect, errorText(error), error);
    });
    return parseAnswer(dialect, answer);
  };
  return {
    name: dialect.name,
    search: (query, signal) =>
      retryAsync(() => ask(query, signal), {
        ...retries,
        clock,
        signal,
        isRetryable: (error) => error instanceof MomError && error.retryable,
        retryAfterMs: (error) => (error instanceof SearchLimitError ? error.retryAfterMs : undefined),
      }).catch((error: unknown) => {
        throw signal.aborted ? new ToolError("ABORTED", "Searching was stopped") : error;
      }),
  };
}

/** An address that is refused or no address at all is not mended by asking again. */
const isOurs = (error: unknown) =>
  error instanceof MomError && ["ABORTED", "ADDRESS_REFUSED", "ADDRESS_INVALID"].includes(error.code);

function parseAnswer(dialect: ProviderDialect, answer: WebAnswer): SearchHit[] {
  const body = new TextDecoder().decode(answer.body);
  if (answer.status !== 200) throw toError(dialect, answer, body);
  const hits = dialect.parseHits(parseJson(body));
  if (hits === undefined) {
    throw new ToolError("SEARCH_MALFORMED", `${dialect.name} gave an answer that is no list of results`, {
      hint: "Check tools.web.search.baseUrl; the provider may have changed.",
    });
  }
  return hits.filter(({ url }) => /^https?:/i.test(url));
}

function toError(dialect: ProviderDialect, { status, headers }: WebAnswer, body: string): ToolError {
  const explained = dialect.explain?.(status, body);
  if (explained !== undefined) return explained;
  const { name, keyHint } = dialect;
  const said = oneLine(cutHead(body, 300));
  if (status === 401 || status === 403) {
    return new ToolError("SEARCH_KEY_REFUSED", `${name} refused the key (status ${status})`, { hint: keyHint });
  }
  if (status === 402) {
    return new ToolError("SEARCH_KEY_REFUSED", `The account at ${name} has no credit left`, { hint: keyHint });
  }
  if (status === 429) return limited(name, parseRetryAfterMs(headers));
  if (status >= 500) return unavailable(dialect, `status ${status}`);
  return new ToolError("SEARCH_REFUSED", `${name} did not take the query (status ${status}): ${said}`, {
    hint: "Ask in other words.",
  });
}

function limited(name: string, retryAfterMs: number | undefined): ToolError {
  const when = retryAfterMs === undefined ? "in a while" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
  const error = new SearchLimitError("SEARCH_RATE_LIMITED", `${name} has had too many searches`, {
    hint: `Try again ${when}.`,
    retryable: true,
  });
  error.retryAfterMs = retryAfterMs;
  return error;
}

const unavailable = ({ name }: ProviderDialect, reason: string, cause?: unknown) =>
  new ToolError("SEARCH_UNAVAILABLE", `${name} cannot be asked now: ${reason}`, {
    hint: "Try again later.",
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });

/** Seconds; a date is not sent by any of them. Brave names the wait of each of its limits, the shortest first. */
function parseRetryAfterMs(headers: Headers): number | undefined {
  const said = headers.get("retry-after") ?? headers.get("x-ratelimit-reset")?.split(",")[0];
  const seconds = said === undefined || said.trim() === "" ? Number.NaN : Number(said);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
