/**
 * One HTTP call to the endpoint that the operator has set up for pictures or speech: a limit on time and on size, no
 * redirects, and every failure as words that the model can act on, without the key in them. Below `image` and `tts`.
 */
import { errorText, ToolError } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import type { Clock } from "../../contracts/clock.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { shortenLine } from "../kit/truncate.ts";

export interface Endpoint {
  baseUrl: string;
  apiKey?: string;
  /** Where it is set, for hints: `tools.tts`. */
  setting: string;
}

export interface EndpointAnswer {
  bytes: Uint8Array;
  /** Without parameters, lower case. */
  contentType: string;
}

export interface CallLimits {
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
  clock: Clock;
}

const openAiUrl = "https://api.openai.com/v1";
const maxErrorBytes = 64 * 1024;
const maxReasonLength = 300;

/** Undefined: the operator has set up nothing. */
export function pickEndpoint(
  config: { baseUrl?: string | undefined; apiKey?: string | undefined },
  setting: string,
): Endpoint | undefined {
  const { baseUrl, apiKey } = config;
  if (baseUrl === undefined && apiKey === undefined) return undefined;
  const url = (baseUrl ?? openAiUrl).replace(/\/+$/, "");
  return { baseUrl: url, setting, ...(apiKey === undefined ? {} : { apiKey }) };
}

export const postJson = (endpoint: Endpoint, path: string, body: object, limits: CallLimits): Promise<EndpointAnswer> =>
  request(endpoint, `${endpoint.baseUrl}${path}`, { method: "POST", body: JSON.stringify(body) }, limits);

/** `url` must be of the endpoint's own origin: it is asked with the key. */
export const getFrom = (endpoint: Endpoint, url: string, limits: CallLimits): Promise<EndpointAnswer> =>
  request(endpoint, url, { method: "GET" }, limits);

async function request(
  endpoint: Endpoint,
  url: string,
  init: { method: string; body?: string },
  { maxBytes, timeoutMs, signal, clock }: CallLimits,
): Promise<EndpointAnswer> {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  try {
    const response = await fetch(url, {
      ...init,
      headers: {
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
        ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      // The key goes to the address that the operator named, and nowhere else.
      redirect: "error",
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    if (!response.ok) throw await toStatusError(endpoint, response);
    const contentType = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    return { bytes: await readBody(endpoint, response, maxBytes), contentType };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (signal.aborted) throw new ToolError("ABORTED", "The call was stopped");
    throw toNetworkError(endpoint, error, timeout.signal.aborted ? timeoutMs : undefined);
  } finally {
    cancel();
  }
}

async function readBody(endpoint: Endpoint, response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new ToolError("MEDIA_TOO_BIG", `${hostOf(endpoint)} answered with more than ${formatBytes(maxBytes)}`, {
        hint: "Ask for something smaller.",
      });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function toStatusError(endpoint: Endpoint, response: Response): Promise<ToolError> {
  const { status } = response;
  const said = await readReason(endpoint, response);
  const message = `${hostOf(endpoint)} answered ${status}${said === "" ? "" : `: ${said}`}`;
  if (status === 401 || status === 403) {
    const hint = `The operator must check ${endpoint.setting}.apiKey.`;
    return new ToolError("MEDIA_KEY_REFUSED", message, { hint });
  }
  if (status === 429) {
    const after = response.headers.get("retry-after");
    const hint = after === null ? "Try again later." : `Try again in ${shortenLine(toPrintable(after), 40)} s.`;
    return new ToolError("MEDIA_BUSY", message, { hint, retryable: true });
  }
  if (status >= 500) {
    return new ToolError("MEDIA_UNREACHABLE", message, { hint: "Try again later.", retryable: true });
  }
  const hint = `Change what was asked for, or the operator must check ${endpoint.setting}.`;
  return new ToolError("MEDIA_REFUSED", message, { hint });
}

/** What the endpoint says of it, in one line. Some repeat the key. */
async function readReason(endpoint: Endpoint, response: Response): Promise<string> {
  const text = new TextDecoder().decode(
    await readBody(endpoint, response, maxErrorBytes).catch(() => new Uint8Array()),
  );
  const said = readMessage(text) ?? text.replace(/<[^>]*>/g, " ");
  const clean = endpoint.apiKey === undefined ? said : said.replaceAll(endpoint.apiKey, "[key]");
  return shortenLine(toPrintable(clean.replace(/\s+/g, " ").trim()), maxReasonLength);
}

function readMessage(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text);
    const message: unknown = typeof error === "object" && error !== null ? error.message : error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

function toNetworkError(endpoint: Endpoint, error: unknown, lateMs: number | undefined): ToolError {
  if (lateMs !== undefined) {
    return new ToolError("MEDIA_TIMED_OUT", `${hostOf(endpoint)} did not answer in full within ${lateMs / 1000} s`, {
      hint: "Try again later, or ask for less.",
      retryable: true,
    });
  }
  const reason = error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
  return new ToolError("MEDIA_UNREACHABLE", `${hostOf(endpoint)} could not be reached: ${reason}`, {
    hint: `Try again later. The operator may have to check ${endpoint.setting}.baseUrl.`,
    retryable: true,
    cause: error,
  });
}

export const hostOf = ({ baseUrl }: Endpoint): string => URL.parse(baseUrl)?.host ?? baseUrl;
