/**
 * What the fake model endpoints have in common: an HTTP server on loopback that plays a script, misbehaves on request and
 * keeps what it was asked. The wire formats are in `openai-server.ts`, `anthropic-server.ts`, `google-server.ts`,
 * `bedrock-server.ts` and `ollama-server.ts`.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import type { AddressInfo, Server } from "node:net";

export interface ScriptedAnswer {
  type: "answer";
  /** Said before the text, as thoughts. */
  thinking?: string;
  /** One delta per entry; a string is one delta. */
  text?: string | string[];
  toolCalls?: { id?: string; name: string; arguments: Record<string, unknown> }[];
  usage?: ScriptedUsage;
  /** The answer ran into its length limit. */
  length?: true;
  /** Milliseconds between two events. */
  delayMs?: number;
  /** The connection breaks after so many events. */
  cutAfter?: number;
  /** Nothing more comes after so many events, and the connection stays open. */
  hangAfter?: number;
}

export interface ScriptedUsage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export type ModelReply =
  | ScriptedAnswer
  | { type: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** A 200 that is no answer. */
  | { type: "garbage"; body?: string | Uint8Array; contentType?: string }
  /** Takes the request and never says anything. */
  | { type: "silence" };

export interface SeenRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** Resolves when the connection is gone, from whichever side. */
  closed: Promise<void>;
}

/** Replies in order, or a function of the request; `n` counts from 0. */
export type Script = ModelReply[] | ((request: SeenRequest, n: number) => ModelReply | Promise<ModelReply>);

export interface ModelServer {
  /** `http://127.0.0.1:port`, without a path. */
  url: string;
  requests: SeenRequest[];
  /** Resolves when so many requests have arrived. */
  waitForRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Events, ready to be written, for one answer to one request. */
export type ToFrames = (answer: ScriptedAnswer, request: SeenRequest, n: number) => (string | Uint8Array)[];

export interface WireOptions {
  /** Of a stream. Server-sent events when absent. */
  contentType?: string;
  /** HTTP/2 without TLS instead of HTTP/1.1. */
  http2?: boolean;
  /** Answers beside the script, in JSON; undefined: the request is one for the script. */
  answerAside?(request: SeenRequest): { status: number; body: unknown } | "silence" | undefined;
}

/** What an endpoint says of each kind of fault, in its own words. A key in it must never be told to anyone. */
export interface WireErrors {
  unauthorized(key: string): ModelReply;
  forbidden: ModelReply;
  noCredit: ModelReply;
  rateLimit: ModelReply;
  /** In seven seconds it would go on. */
  rateLimitFor7s: ModelReply;
  fault: ModelReply;
  overloaded: ModelReply;
  badRequest: ModelReply;
  unknownModel: ModelReply;
  overflow: ModelReply;
}

export async function createModelServer(
  script: Script,
  toFrames: ToFrames,
  wire: WireOptions = {},
): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming, response);
    const aside = wire.answerAside?.(request);
    if (aside === "silence") return;
    if (aside !== undefined) {
      response.writeHead(aside.status, { "content-type": "application/json" });
      response.end(JSON.stringify(aside.body));
      return;
    }
    const n = requests.push(request) - 1;
    for (const waiter of waiters) if (requests.length >= waiter.count) waiter.resolve();
    waiters = waiters.filter((waiter) => requests.length < waiter.count);
    const reply = typeof script === "function" ? await script(request, n) : script[n];
    await play(reply ?? usedUp, response, (answer) => toFrames(answer, request, n), wire.contentType ?? eventStream);
  };
  const onRequest = (incoming: IncomingMessage, response: ServerResponse) => {
    handle(incoming, response).catch(() => response.destroy());
  };
  const { server, closeConnections } = wire.http2 ? createHttp2(onRequest) : createHttp1(onRequest);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    waitForRequests: (count) =>
      new Promise((resolve) => (requests.length >= count ? resolve() : waiters.push({ count, resolve }))),
    async close() {
      closeConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type OnRequest = (incoming: IncomingMessage, response: ServerResponse) => void;

function createHttp1(onRequest: OnRequest): { server: Server; closeConnections(): void } {
  const server = createServer(onRequest);
  return { server, closeConnections: () => server.closeAllConnections() };
}

/** Node's compatibility layer gives it the requests and responses of HTTP/1.1. */
function createHttp2(onRequest: OnRequest): { server: Server; closeConnections(): void } {
  const sessions = new Set<Http2Session>();
  const server = createHttp2Server((incoming, response) =>
    onRequest(incoming as unknown as IncomingMessage, response as unknown as ServerResponse),
  );
  server.on("session", (session) => sessions.add(session));
  return {
    server,
    closeConnections() {
      for (const session of sessions) session.destroy();
    },
  };
}

const eventStream = "text/event-stream";

export const sseFrame = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const toDeltas = (text: string | string[] | undefined): string[] =>
  text === undefined ? [] : typeof text === "string" ? [text] : text;

/** Not retried by anyone, so that a script that is too short shows at once. */
const usedUp: ModelReply = {
  type: "status",
  status: 400,
  body: '{"error":{"type":"invalid_request_error","message":"the test script has no further reply"}}',
};

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const closed = once(response, "close").then(() => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
  return { path: incoming.url ?? "/", headers: incoming.headers, body: body as Record<string, unknown>, closed };
}

async function play(
  reply: ModelReply,
  response: ServerResponse,
  toFrames: (answer: ScriptedAnswer) => (string | Uint8Array)[],
  contentType: string,
): Promise<void> {
  switch (reply.type) {
    case "silence":
      return;
    case "status":
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(reply.body ?? JSON.stringify({ error: { message: `status ${reply.status}` } }));
      return;
    case "garbage":
      response.writeHead(200, { "content-type": reply.contentType ?? contentType });
      response.end(reply.body ?? "data: {this is not json\n\n");
      return;
    case "answer":
      return stream(reply, response, toFrames(reply), contentType);
  }
}

const halfFrame = (frame: string | Uint8Array) => frame.slice(0, Math.floor(frame.length / 2));

async function stream(
  answer: ScriptedAnswer,
  response: ServerResponse,
  frames: (string | Uint8Array)[],
  contentType: string,
): Promise<void> {
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [index, frame] of frames.entries()) {
    if (index === answer.cutAfter) {
      // Only what has left the machine counts as sent.
      await new Promise<void>((resolve) => response.write(halfFrame(frame), () => resolve()));
      response.destroy();
      return;
    }
    if (index === answer.hangAfter) return;
    if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    if (response.destroyed) return;
    response.write(frame);
  }
  response.end();
}
