/** The one port: node:http with limits that hold before anybody is known, and an end that comes. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../../contracts/log.ts";
import { listen } from "./listen.ts";

export interface HttpServer {
  listen(host: string, port: number | undefined): Promise<{ url: string; port: number }>;
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
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void deps.answer(request, response);
  server.on("request", onRequest);
  // Who waits to be told to go on is told so when the body is wanted, not before the headers are judged.
  server.on("checkContinue", onRequest);
  server.on("upgrade", (request, socket, head) => deps.upgrade(request, socket, head));
  server.on("error", (error) => {
    if (server.listening) deps.log.error("The gateway's port has a problem", { error });
  });
  return {
    listen: (host, port) => listen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    terminate: () => server.closeAllConnections(),
  };
}
