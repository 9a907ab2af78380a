/**
 * Search providers on loopback: one server that speaks Brave's, Perplexity's and SearXNG's form, each at its own path, and
 * is as strict about keys and parameters as they are. Faults are queued and answered first.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SearchFault {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface SeenSearch {
  provider: "brave" | "perplexity" | "searxng";
  query: string;
  /** Number of results asked for; SearXNG is not told. */
  count: number | undefined;
  recency: string | undefined;
}

export interface SearchServer {
  /** `http://127.0.0.1:port`. */
  url: string;
  port: number;
  seen: SeenSearch[];
  faults: SearchFault[];
  close(): Promise<void>;
}

interface Found {
  title: string;
  url: string;
  text: string;
  date: string;
}

/** What it finds for every query: as many as asked for, twenty where nobody says. */
const find = (query: string, count: number): Found[] =>
  Array.from({ length: count }, (_, i) => ({
    title: `Result ${i + 1} &amp; <strong>${query}</strong>`,
    url: `https://site${i + 1}.example/page?n=${i + 1}`,
    text: `About <strong>${query}</strong>:\n it&#x27;s number ${i + 1}`,
    date: "2026-11-16",
  }));

export const searchKey = "test-key";

export async function startSearchServer(): Promise<SearchServer> {
  const seen: SeenSearch[] = [];
  const faults: SearchFault[] = [];
  const server = createServer(async (request, response) => {
    const search = await readSearch(request);
    if (search === undefined) return send(response, 404, {}, "no such path");
    seen.push(search);
    const fault = faults.shift();
    if (fault !== undefined) return send(response, fault.status, fault.headers ?? {}, fault.body ?? "");
    const refusal = checkKey(search.provider, request);
    if (refusal !== undefined) return send(response, refusal.status, {}, refusal.body);
    send(response, 200, {}, JSON.stringify(toAnswer(search)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    faults,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

async function readSearch(request: IncomingMessage): Promise<SeenSearch | undefined> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
  const query = searchParams.get("q") ?? "";
  if (request.method === "GET" && pathname === "/res/v1/web/search") {
    const recency = searchParams.get("freshness") ?? undefined;
    return { provider: "brave", query, count: Number(searchParams.get("count")), recency };
  }
  if (request.method === "GET" && pathname === "/search" && searchParams.get("format") === "json") {
    return { provider: "searxng", query, count: undefined, recency: searchParams.get("time_range") ?? undefined };
  }
  if (request.method !== "POST" || pathname !== "/search") return undefined;
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
  return { provider: "perplexity", query: body.query, count: body.max_results, recency: body.search_recency_filter };
}

function checkKey(
  provider: SeenSearch["provider"],
  { headers }: IncomingMessage,
): (SearchFault & { body: string }) | undefined {
  if (provider === "brave" && headers["x-subscription-token"] !== searchKey) {
    const error = {
      status: 422,
      code: "SUBSCRIPTION_TOKEN_INVALID",
      detail: "The provided subscription token is invalid.",
    };
    return { status: 422, body: JSON.stringify({ type: "ErrorResponse", error }) };
  }
  if (provider === "perplexity" && headers.authorization !== `Bearer ${searchKey}`) return { status: 401, body: "{}" };
  return undefined;
}

function toAnswer({ provider, query, count }: SeenSearch): unknown {
  const found = query === "nothing" ? [] : find(query, count ?? 20);
  if (provider === "perplexity") {
    const results = found.map(({ title, url, text, date }) => ({
      title,
      url,
      snippet: text,
      date,
      last_updated: date,
    }));
    return { id: "1", results };
  }
  if (provider === "searxng") {
    const results = found.map(({ title, url, text, date }) => ({
      title,
      url,
      content: text,
      publishedDate: date,
      engine: "x",
    }));
    return { query, number_of_results: results.length, results, suggestions: [] };
  }
  const results = found.map(({ title, url, text, date }) => ({
    type: "search_result",
    title,
    url,
    description: text,
    age: date,
  }));
  return {
    type: "search",
    query: { original: query },
    ...(found.length === 0 ? {} : { web: { type: "search", results } }),
  };
}
