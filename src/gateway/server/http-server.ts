/** The one port: node:http with limits that hold before anybody is known, and an end that comes. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../../contracts/log.ts";
import { listen } from "./listen.ts";

export interface HttpServer {
  listen(host: string, port: number | undefined, earlierPort?: number): Promise<{ url: string; port: number }>;
  /** From now on. */
  setMaxConnections(most: number): void;
  /** Takes no more, ends what is idle; resolves when the last connection has ended. */
  close(): Promise<void>;
  /** Ends whatever is left. */
  terminate(): void;
}

interface HttpServerDeps {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  maxConnections: number;
  log: Log;
}

/** Node's own timers: they look after connections that have not even become a request. */
const usualTimes = { headersTimeoutMs: 10_000, checkEveryMs: 2_000, keepAliveMs: 5_000 };
export type HttpTimes = typeof usualTimes;

const maxHeaderBytes = 16 * 1024;
/** Requests of one connection that wait for their answers: who sends on without reading is hung up on. */
const mostUnanswered = 16;

export function createHttpServer(deps: HttpServerDeps, times: HttpTimes = usualTimes): HttpServer {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: times.headersTimeoutMs,
    // Streams may take long; bodies are watched where they are read, and dropped where they are not.
    requestTimeout: 0,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: times.checkEveryMs,
    insecureHTTPParser: false,
    // Whoever offers another protocol gets an ordinary answer.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
  });
  server.maxConnections = deps.maxConnections;
  const isOneTooMany = createCounter();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (isOneTooMany(request, response)) request.socket.destroy();
    else void deps.answer(request, response);
  };
  server.on("request", onRequest);
  // Who waits to be told to go on is told so when the body is wanted, not before the headers are judged.
  server.on("checkContinue", onRequest);
  server.on("upgrade", (request, socket, head) => deps.upgrade(request, socket, head));
  server.on("error", (error) => {
    if (server.listening) deps.log.error("The gateway's port has a problem", { error });
  });
  return {
    listen: (host, port, earlierPort) => listen(server, host, port, earlierPort),
    setMaxConnections(most) {
      server.maxConnections = most;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    terminate: () => server.closeAllConnections(),
  };
}

/** Counts by connection what is not answered yet. */
function createCounter(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const unanswered = new WeakMap<Duplex, number>();
  return ({ socket }, response) => {
    // Those that were read together with the one too many.
    if (socket.destroyed) return true;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    return count > mostUnanswered;
  };
}
