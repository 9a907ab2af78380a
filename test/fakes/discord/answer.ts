/** How the fake answers over HTTP: Discord's JSON errors, its rate headers, and the requests as the routes see them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { StoredFile } from "./world.ts";

/** One call, parsed. */
export interface Call {
  /** Parts of the path that the route names, in order. */
  ids: string[];
  query: URLSearchParams;
  // The routes look at Discord's own bodies field by field.
  body: Record<string, unknown>;
  files: Omit<StoredFile, "id">[];
  /** `X-Audit-Log-Reason`. */
  reason?: string;
}

/** What a route gives back; no body: 204. */
export interface Answer {
  status: number;
  body?: unknown;
}

/** A refusal with Discord's own code. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message);
    this.answer = { status, body: { message, code, ...(errors !== undefined && { errors }) } };
  }
}

export const unknownChannel = () => new Refusal(404, 10_003, "Unknown Channel");
export const unknownMessage = () => new Refusal(404, 10_008, "Unknown Message");
export const unauthorized = () => new Refusal(401, 0, "401: Unauthorized");

/** 50035, the way Discord nests it. */
export function invalidForm(field: string, code: string, message: string): Refusal {
  return new Refusal(400, 50_035, "Invalid Form Body", { [field]: { _errors: [{ code, message }] } });
}

export async function readCall(request: IncomingMessage, ids: string[], query: URLSearchParams): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const reason = request.headers["x-audit-log-reason"];
  const common = { ids, query, ...(typeof reason === "string" && { reason: decodeURIComponent(reason) }) };
  if (type.startsWith("multipart/")) return { ...common, ...(await readForm(bytes, type)) };
  return { ...common, body: bytes.length === 0 ? {} : JSON.parse(bytes.toString("utf8")), files: [] };
}

/** `payload_json` and `files[n]`. */
async function readForm(bytes: Buffer, type: string): Promise<Pick<Call, "body" | "files">> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const json = form.get("payload_json");
  const files: Call["files"] = [];
  for (const [key, part] of form) {
    if (typeof part === "string" || !/^files\[\d+\]$/.test(key)) continue;
    files.push({
      filename: part.name,
      data: Buffer.from(await part.arrayBuffer()),
      mimeType: part.type || "application/octet-stream",
    });
  }
  return { body: typeof json === "string" ? JSON.parse(json) : {}, files };
}

export interface RateFacts {
  limit: number;
  remaining: number;
  resetAfterMs: number;
  bucket: string;
}

export function writeAnswer(response: ServerResponse, { status, body }: Answer, rate: RateFacts): void {
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": "application/json" }),
    "x-ratelimit-limit": String(rate.limit),
    "x-ratelimit-remaining": String(rate.remaining),
    "x-ratelimit-reset": String((Date.now() + rate.resetAfterMs) / 1000),
    "x-ratelimit-reset-after": String(rate.resetAfterMs / 1000),
    "x-ratelimit-bucket": rate.bucket,
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** 429, with the wait in the header and in the body, both in seconds. */
export function writeTooMany(response: ServerResponse, waitMs: number, bucket: string, isGlobal: boolean): void {
  const seconds = waitMs / 1000;
  response.writeHead(429, {
    "content-type": "application/json",
    "retry-after": String(seconds),
    "x-ratelimit-scope": isGlobal ? "global" : "user",
    ...(isGlobal
      ? { "x-ratelimit-global": "true" }
      : {
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset-after": String(seconds),
          "x-ratelimit-bucket": bucket,
        }),
  });
  response.end(JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: isGlobal }));
}
