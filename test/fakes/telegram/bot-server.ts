/** The Bot API on loopback: routes, long polls, file downloads, and the faults that a network or Telegram itself has. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Fault } from "../platform.ts";
import { BotError, notFound, otherPoller } from "./bot-error.ts";
import type { ChatBook } from "./chat-book.ts";
import type { BotState } from "./other-methods.ts";
import type { Method } from "./post-methods.ts";
import { type Params, readParams } from "./read-body.ts";
import type { UpdateLine } from "./update-line.ts";

export interface Call {
  method: string;
  params: Params;
}

type CallFault = Extract<Fault, { type: "status" | "cut" | "slow" }>;

export interface BotServerParts {
  token: string;
  book: ChatBook;
  state: BotState & { isRevoked: boolean; hasSecondPoller: boolean };
  line: UpdateLine;
  methods: Record<string, Method>;
  onChange(): void;
}

export interface BotServer {
  apiUrl: string;
  /** Every call that came in, oldest first; the newest ten thousand. */
  calls: Call[];
  fail(fault: CallFault): void;
  /** Cuts every connection that is open now. */
  dropSockets(): void;
  close(): Promise<void>;
}

/** What `method: undefined` in a fault means. */
const posts = new Set("sendMessage sendRichMessage sendDocument sendPhoto sendVoice sendPoll sendSticker".split(" "));
const mostCalls = 10_000;

export async function createBotServer(parts: BotServerParts): Promise<BotServer> {
  const { token, book, state, line, methods, onChange } = parts;
  const calls: Call[] = [];
  const faults: CallFault[] = [];
  const sockets = new Set<Socket>();

  const takeFault = (method: string) => {
    const at = faults.findIndex((fault) => (fault.method === undefined ? posts.has(method) : fault.method === method));
    return at < 0 ? undefined : faults.splice(at, 1)[0];
  };
  const run = (method: string, params: Params): unknown => {
    if (state.isRevoked) throw new BotError(401, "Unauthorized");
    const found = methods[method];
    if (!found) throw notFound();
    return found(params);
  };

  async function serveCall(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    const params = await readParams(request);
    calls.push({ method, params });
    if (calls.length > mostCalls) calls.shift();
    const fault = takeFault(method);
    if (fault?.type === "status") sendFault(response, fault);
    else if (method === "getUpdates") poll(request, response, params);
    else {
      const answer = tryRun(() => run(method, params));
      onChange();
      if (fault?.type === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
      if (fault?.type === "cut") request.socket.destroy();
      else send(response, answer.status, answer.body);
    }
    onChange();
  }

  function poll(request: IncomingMessage, response: ServerResponse, params: Params): void {
    const refuse = (error: BotError) => send(response, error.code, toRefusal(error));
    const refusal = findPollRefusal(state);
    if (refusal) {
      refuse(refusal);
      return;
    }
    if (Array.isArray(params["allowed_updates"])) line.allow(params["allowed_updates"] as string[]);
    const cancel = line.poll({
      offset: Number(params["offset"] ?? 0),
      limit: Number(params["limit"] ?? 100),
      timeoutMs: Number(params["timeout"] ?? 0) * 1_000,
      connection: request.socket,
      answer: (updates) => send(response, 200, { ok: true, result: updates }),
      refuse,
    });
    response.on("close", () => {
      cancel();
      onChange();
    });
  }

  function serveFile(response: ServerResponse, path: string): void {
    const file = [...book.files.values()].find((one) => one.path === path);
    if (file && !state.isRevoked) {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.length });
      response.end(file.bytes);
    } else send(response, 404, toRefusal(notFound()));
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const [, isFile, given, rest = ""] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(pathname) ?? [];
    if (given === undefined || !/^\d+:/.test(given)) return send(response, 404, toRefusal(notFound()));
    if (given !== token) return send(response, 401, toRefusal(new BotError(401, "Unauthorized")));
    if (isFile) return serveFile(response, decodeURIComponent(rest));
    serveCall(request, response, rest).catch((error: unknown) => {
      send(response, 500, toRefusal(new BotError(500, `Internal Server Error: ${String(error)}`)));
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fail: (fault) => void faults.push(fault),
    dropSockets() {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        line.close();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function findPollRefusal({ isRevoked, hasSecondPoller, webhookUrl }: BotServerParts["state"]): BotError | undefined {
  if (isRevoked) return new BotError(401, "Unauthorized");
  if (hasSecondPoller) return otherPoller();
  return webhookUrl === "" ? undefined : webhookActive();
}

function tryRun(run: () => unknown): { status: number; body: unknown } {
  try {
    return { status: 200, body: { ok: true, result: run() } };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    return { status: error.code, body: toRefusal(error) };
  }
}

function toRefusal({ code, message, parameters }: BotError) {
  return { ok: false, error_code: code, description: message, ...(parameters && { parameters }) };
}

function sendFault(
  response: ServerResponse,
  { status, retryAfterMs, body }: Extract<CallFault, { type: "status" }>,
): void {
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  const texts: Record<number, string> = {
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    404: "Not Found",
    429: `Too Many Requests: retry after ${seconds ?? 1}`,
    502: "Bad Gateway",
  };
  const text = texts[status] ?? (status < 500 ? "Bad Request: refused by the test" : "Internal Server Error");
  const parameters = status === 429 ? { retry_after: seconds ?? 1 } : undefined;
  send(response, status, body ?? toRefusal(new BotError(status, text, parameters)));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const isJson = typeof body !== "string";
  response.writeHead(status, { "content-type": isJson ? "application/json" : "text/html" });
  response.end(isJson ? JSON.stringify(body) : body);
}

const webhookActive = () =>
  new BotError(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  );
