/** One request to an embedding service: time limit, size limit, and every way it can fail turned into an `EmbedError` here. */
import { systemCode } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import type { Clock } from "../../contracts/clock.ts";
import { EmbedError, stopped } from "./embed-error.ts";
import { isRecord } from "./wire.ts";

export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

export interface JsonRequest {
  /** For messages. */
  label: string;
  url: string;
  headers: Record<string, string>;
  body: object;
  /** Taken out of what is quoted of the answer. */
  secrets: readonly string[];
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

const maxAnswerBytes = 32 * 1024 * 1024;
const maxQuotedChars = 200;

/** The answer, parsed. */
export async function postJson(deps: { fetch: FetchFunction; clock: Clock }, request: JsonRequest): Promise<unknown> {
  if (request.signal?.aborted) throw stopped();
  const limit = new AbortController();
  const cancel = deps.clock.after(request.timeoutMs, () => limit.abort());
  const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
  try {
    const response = await deps.fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...request.headers },
      body: JSON.stringify(request.body),
      // A key goes to the address that was configured and nowhere else.
      redirect: "error",
      signal,
    });
    const text = await readText(response, request.label);
    if (!response.ok) throw toStatusError(response, text, request, deps.clock.now());
    return parse(text, request.label);
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    if (request.signal?.aborted) throw stopped();
    throw limit.signal.aborted ? timedOut(request) : unreachable(request, error);
  } finally {
    cancel();
  }
}

async function readText(response: Response, label: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) {
      throw new EmbedError("EMBED_ANSWER_INVALID", `The answer of ${label} is larger than ${maxAnswerBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EmbedError("EMBED_ANSWER_INVALID", `The answer of ${label} is not JSON`, { cause: error });
  }
}

function toStatusError(response: Response, text: string, request: JsonRequest, nowMs: number): EmbedError {
  const { status } = response;
  const { label } = request;
  if (status === 401 || status === 403) {
    // What a service says of a key may have the key in it: not quoted.
    const hint = "Check the key, and that it may use this model.";
    return new EmbedError("EMBED_AUTH", `${label} refused the key (${status})`, { status, hint });
  }
  const said = quote(text, request.secrets);
  if (status === 404) {
    const hint = "Check `baseUrl` and `model`; Ollama must have pulled the model.";
    return new EmbedError("EMBED_MODEL_UNKNOWN", `${label} knows no such model or address (404)${said}`, {
      status,
      hint,
    });
  }
  const retryAfterMs = readRetryAfterMs(response.headers, nowMs);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429) {
    const hint = "It is tried again later by itself; less at a time, or another plan, if it goes on.";
    return new EmbedError("EMBED_RATE_LIMIT", `${label} takes no more for now (429)`, {
      status,
      hint,
      retryable: true,
      ...wait,
    });
  }
  if (status === 408 || status >= 500) {
    const message = `${label} could not answer (${status})${said}`;
    return new EmbedError("EMBED_UNAVAILABLE", message, { status, retryable: true, ...wait });
  }
  return new EmbedError("EMBED_REFUSED", `${label} refused the request (${status})${said}`, { status });
}

/** `: what it said`, one printable line; empty where it said nothing that is known to be meant for people. */
function quote(text: string, secrets: readonly string[]): string {
  const message = findMessage(text);
  if (message === undefined) return "";
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, "[key removed]"), message);
  return `: ${toPrintable(clean).replace(/\s+/g, " ").slice(0, maxQuotedChars)}`;
}

/** `{"error":{"message"}}` (OpenAI, Google) or `{"error"}` (Ollama). */
function findMessage(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const error = isRecord(answer) ? answer["error"] : undefined;
    const message = isRecord(error) ? error["message"] : error;
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date. */
function readRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

const timedOut = ({ label, timeoutMs }: JsonRequest) =>
  new EmbedError("EMBED_TIMED_OUT", `${label} did not answer within ${timeoutMs / 1000} s`, { retryable: true });

function unreachable({ label }: JsonRequest, error: unknown): EmbedError {
  const code = error instanceof Error ? (systemCode(error.cause) ?? systemCode(error)) : undefined;
  const message = `${label} cannot be reached, or broke off${code ? ` (${code})` : ""}`;
  return new EmbedError("EMBED_UNAVAILABLE", message, { retryable: true, cause: error });
}
