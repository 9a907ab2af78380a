/**
 * A `fetch` that notes what came back. The SDKs behind pi-ai report errors as text; status, `Retry-After` and the cause of
 * a failed connection are only to be seen here.
 */
import { systemCode } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { FailureFacts, FetchFunction } from "../provider.ts";
import { readResetMs } from "./retry-hint.ts";

export type SeenResponse = Omit<FailureFacts, "text" | "overflow">;

/** Writes into `seen` what the last request met. */
export function observeFetch(fetch: FetchFunction, clock: Clock, seen: SeenResponse): FetchFunction {
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      noteResponse(response.status, response.headers, clock.now(), seen);
      return response;
    } catch (error) {
      const code = error instanceof Error ? (systemCode(error.cause) ?? systemCode(error)) : undefined;
      if (code !== undefined) seen.networkCode = code;
      throw error;
    }
  };
}

/** Every response names its limits; only one that was refused for them has to wait for them. */
const tooManyRequests = 429;

export function noteResponse(status: number, headers: Headers, nowMs: number, seen: SeenResponse): void {
  seen.status = status;
  const contentType = headers.get("content-type");
  if (contentType !== null) seen.contentType = contentType;
  const resetMs = status === tooManyRequests ? readResetMs(headers, nowMs) : undefined;
  const retryAfterMs = parseRetryAfter(headers, nowMs) ?? resetMs;
  if (retryAfterMs !== undefined) seen.retryAfterMs = retryAfterMs;
}

/** Milliseconds from now: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const exactMs = parseNumber(headers.get("retry-after-ms"));
  if (exactMs !== undefined) return exactMs;
  const value = headers.get("retry-after");
  const seconds = parseNumber(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const dateMs = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function parseNumber(text: string | null): number | undefined {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}
