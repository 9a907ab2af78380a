/**
 * HTTP on behalf of a model: only to addresses that the guard lets through, on every hop of a redirect, with a limit on
 * time and on size as it streams in, unpacked. Carries no cookies. Below web_fetch and web_search.
 */
import type { Agent, Response } from "undici";
import type { AddressGuard } from "../../base/address-guard.ts";
import { errorText, MomError, ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { loadHttpClient } from "./catalog.ts";
import { type Connect, createConnect, createPinnedConnector } from "./pinned-connect.ts";

export interface WebRequest {
  /** A POST is never sent a second time: its redirects are answers. */
  method?: "GET" | "POST";
  /** Names in lower case. */
  headers?: Record<string, string>;
  body?: string;
  /** Of the unpacked body. */
  maxBytes: number;
  /** For everything together, redirects included. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface WebAnswer {
  /** Where it came from in the end. */
  url: string;
  status: number;
  headers: Headers;
  body: Uint8Array;
}

export interface GuardedFetch {
  /** Any status is an answer. Rejects with `ADDRESS_…`, `WEB_TIMED_OUT`, `WEB_TOO_BIG`, `WEB_REDIRECTS`, `WEB_UNREACHABLE` or `ABORTED`. */
  fetch(url: string | URL, request: WebRequest): Promise<WebAnswer>;
  /** Ends open connections. Nothing may be fetched after it. */
  close(): Promise<void>;
}

export interface GuardedFetchDependencies {
  guard: AddressGuard;
  clock: Clock;
  /** Absent: real sockets. */
  connect?: Connect;
}

const maxRedirects = 5;
const connectTimeoutMs = 10_000;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ownHeaders = {
  "user-agent": "Mozilla/5.0 (compatible; mom; self-hosted assistant)",
  accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,application/json;q=0.9,*/*;q=0.7",
  "accept-language": "en,*;q=0.5",
};

type HttpClient = Awaited<ReturnType<typeof loadHttpClient>>;

export function createGuardedFetch({ guard, clock, connect }: GuardedFetchDependencies): GuardedFetch {
  let loading: Promise<{ client: HttpClient; agent: Agent }> | undefined;
  const open = async () => {
    const client = await loadHttpClient();
    const connector = createPinnedConnector(guard, connect ?? createConnect(client.buildConnector, connectTimeoutMs));
    return { client, agent: new client.Agent({ connect: connector, allowH2: false }) };
  };

  const followRedirects = async (first: URL, request: WebRequest, signal: AbortSignal): Promise<WebAnswer> => {
    loading ??= open();
    const { client, agent } = await loading;
    const { method = "GET", body } = request;
    let url = first;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await client.fetch(url.href, {
        method,
        headers: url.origin === first.origin ? { ...ownHeaders, ...request.headers } : ownHeaders,
        ...(body === undefined ? {} : { body }),
        redirect: "manual",
        dispatcher: agent,
        signal,
      });
      const location = method === "GET" ? pickLocation(response) : undefined;
      if (location === undefined) return await readAnswer(url, response, request.maxBytes);
      await response.body?.cancel();
      url = guard.checkUrl(URL.parse(location, url.href) ?? location);
    }
    throw new ToolError("WEB_REDIRECTS", `${first.href} redirects more than ${maxRedirects} times`);
  };

  return {
    async fetch(address, request) {
      const url = guard.checkUrl(address);
      const timeout = new AbortController();
      const cancel = clock.after(request.timeoutMs, () => timeout.abort());
      const signals = request.signal === undefined ? [timeout.signal] : [timeout.signal, request.signal];
      try {
        return await followRedirects(url, request, AbortSignal.any(signals));
      } catch (error) {
        throw toCoded(error, url, { request, isLate: timeout.signal.aborted });
      } finally {
        cancel();
      }
    },
    async close() {
      if (loading === undefined) return;
      const { agent } = await loading;
      await agent.destroy();
    },
  };
}

function pickLocation(response: Response): string | undefined {
  const location = redirectStatuses.has(response.status) ? response.headers.get("location") : null;
  // Headers come as bytes; where a server writes beyond ASCII it means UTF-8.
  return location === null ? undefined : Buffer.from(location, "latin1").toString("utf8");
}

async function readAnswer(url: URL, response: Response, maxBytes: number): Promise<WebAnswer> {
  const tooBig = () =>
    new ToolError("WEB_TOO_BIG", `${url.href} is larger than ${formatBytes(maxBytes)}`, {
      hint: "Look for a smaller page; the operator can raise tools.web.fetch.maxBytes.",
    });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (Number(response.headers.get("content-length")) > maxBytes) {
    await response.body?.cancel();
    throw tooBig();
  }
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooBig();
    parts.push(part);
  }
  const headers = new Headers([...response.headers]);
  return { url: url.href, status: response.status, headers, body: Buffer.concat(parts) };
}

/** The HTTP client wraps what happened below it; the innermost word of ours counts, else what the network said. */
function toCoded(error: unknown, url: URL, { request, isLate }: { request: WebRequest; isLate: boolean }): MomError {
  const chain = listCauses(error);
  const ours = chain.find((cause) => cause instanceof MomError);
  if (ours !== undefined) return ours;
  if (isLate) {
    const seconds = request.timeoutMs / 1000;
    return new ToolError("WEB_TIMED_OUT", `${url.href} did not answer in full within ${seconds} s`, {
      retryable: true,
      hint: "Try again later, or another page.",
    });
  }
  if (request.signal?.aborted === true) return new ToolError("ABORTED", "Fetching was stopped");
  const reason = errorText(chain.at(-1)) || "no reason given";
  return new ToolError("WEB_UNREACHABLE", `${url.host} could not be reached: ${reason}`, {
    retryable: true,
    hint: "Check the address, or try again later.",
    cause: error,
  });
}

function listCauses(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let cause: unknown = error;
  while (cause !== undefined && chain.length < 8) {
    chain.push(cause);
    // Several addresses that all failed come as one error without words of its own.
    if (cause instanceof AggregateError) cause = cause.errors[0];
    else cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}
