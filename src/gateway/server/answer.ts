/** How the gateway answers over HTTP where a route has nothing of its own to say: errors as JSON, headers that every answer has. */
import type { ServerResponse } from "node:http";
import { toOpenAiError } from "../http/openai-error.ts";
import type { ErrorCode, ProtocolError } from "../protocol/index.ts";

/** What no browser may do with an answer of mom's, whatever it is. Routes may set others. */
export const commonHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
} as const;

export interface HttpError {
  status: number;
  code: ErrorCode;
  message: string;
  retryAfterMs?: number;
  /** Methods that the path knows, on a 405. */
  allow?: string;
}

/** `openai`: as its client reads them; for everything below `/v1/`. */
export type ErrorShape = "openai";

const statusOf: Readonly<Record<ErrorCode, number>> = {
  NOT_LINKED: 409,
  NOT_PAIRED: 401,
  AGENT_TIMEOUT: 504,
  INVALID_REQUEST: 400,
  UNAVAILABLE: 503,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
};

/** `status` among an error's details, as `readBody` gives it, goes before the usual one. */
export function toHttpError({ code, message, details, retryAfterMs }: ProtocolError): HttpError {
  const own = typeof details === "object" && details !== null && "status" in details ? details.status : undefined;
  const status = typeof own === "number" ? own : statusOf[code];
  return { status, code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Nothing happens where an answer has begun already. */
export function answerError(response: ServerResponse, error: HttpError, shape?: ErrorShape): void {
  if (response.headersSent) return;
  const { status, retryAfterMs, allow } = error;
  if (status === 401) response.setHeader("WWW-Authenticate", "Bearer");
  if (retryAfterMs !== undefined) response.setHeader("Retry-After", Math.ceil(retryAfterMs / 1000));
  if (allow !== undefined) response.setHeader("Allow", allow);
  answerJson(response, status, buildBody(error, shape));
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

export function buildBody({ status, code, message }: HttpError, shape?: ErrorShape): object {
  return shape === "openai" ? toOpenAiError(status, message) : { error: { code, message } };
}
