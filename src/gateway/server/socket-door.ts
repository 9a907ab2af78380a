/**
 * From an upgrade at `/ws` to a client in the hub. Strangers are bounded in number: while they are many, whoever has been
 * silent for longest makes room.
 */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Dispatcher, Identity } from "../parts.ts";
import { closeCodes, type Hello, type HelloOk, maxFrameBytes } from "../protocol/index.ts";
import { buildBody, commonHeaders, type HttpError } from "./answer.ts";
import { createClient } from "./client.ts";
import type { ServerEventLog } from "./event-log.ts";
import { type LetIn, startHandshake } from "./handshake.ts";
import type { Hub } from "./hub.ts";
import type { RequestGuard } from "./request-guard.ts";
import { createWriter, type Writer } from "./writer.ts";

export interface SocketDoor {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sockets of every kind, strangers included. */
  readonly size: number;
  /** Strangers are cut off, upgrades refused. */
  close(): void;
  /** Cuts off whoever is left. */
  terminate(): void;
}

interface SocketDoorDeps {
  guard: RequestGuard;
  authenticator: Authenticator;
  hub: Hub;
  events: ServerEventLog;
  dispatcher: Dispatcher;
  greet(identity: Identity, connId: string): Promise<Omit<HelloOk, "deviceToken">>;
  maxClients: number;
  clock: Clock;
  log: Log;
}

const mostStrangers = 100;
/** Younger ones are on their way in. */
const settledAfterMs = 1_000;
/** More would only be there to cost memory: a frame of ours is one piece, one of a library's a few. */
const mostFragments = 256;

export function createSocketDoor(deps: SocketDoorDeps): SocketDoor {
  const { guard, hub, events, dispatcher, clock, log } = deps;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxFragments: mostFragments,
  });
  /** Oldest first. */
  const strangers = new Map<WebSocket, { writer: Writer; since: number }>();
  let isClosed = false;

  const makeRoom = (): boolean => {
    if (strangers.size < mostStrangers) return true;
    const [[socket, oldest] = []] = strangers;
    if (!socket || !oldest || clock.monotonic() - oldest.since < settledAfterMs) return false;
    strangers.delete(socket);
    oldest.writer.close(closeCodes.noHello, "Others wait");
    socket.terminate();
    return true;
  };

  const admit = (socket: WebSocket, writer: Writer, address: string, hello: Hello, answer: LetIn) => {
    strangers.delete(socket);
    if (hub.size >= deps.maxClients) {
      writer.sendAnswer({ type: "hello-error", error: full });
      return writer.close(closeCodes.notPaired, full.message);
    }
    const { identity, deviceToken } = answer;
    const connId = `c${randomBytes(9).toString("base64url")}`;
    const since = clock.now();
    const parts = { connId, identity, hello, address, since, socket, writer, events, dispatcher, onChoice: hub.note };
    const client = createClient(parts);
    hub.add(client);
    socket.once("close", () => hub.remove(client));
    deps
      .greet(identity, connId)
      .then((helloOk) => {
        // What is told from here on is sent: the client asks for what came after exactly this.
        const snapshot = { ...helloOk.snapshot, lastEventId: events.lastId };
        writer.sendAnswer({ ...helloOk, snapshot, ...(deviceToken !== undefined && { deviceToken }) });
        client.open();
      })
      .catch((error: unknown) => {
        log.error("A client could not be greeted", { error });
        client.close(1011, "Something went wrong inside mom");
      });
  };

  const accept = (socket: WebSocket, raw: Duplex, address: string) => {
    const writer = createWriter(socket, raw, clock);
    strangers.set(socket, { writer, since: clock.monotonic() });
    socket.once("close", () => strangers.delete(socket));
    // Broken frames and broken lines: the close that follows says it all.
    socket.on("error", () => undefined);
    const onIn = (hello: Hello, answer: LetIn) => admit(socket, writer, address, hello, answer);
    startHandshake({ socket, raw, writer, address }, { clock, log, authenticator: deps.authenticator, onIn });
  };

  return {
    upgrade(request, raw, head) {
      raw.on("error", () => undefined);
      const verdict = guard(request);
      if (verdict.type === "refused") return refuse(raw, verdict.error);
      if (verdict.path !== "/ws") return refuse(raw, { status: 404, code: "NOT_FOUND", message: "Nothing is here." });
      if (isClosed || server.clients.size >= deps.maxClients + mostStrangers || !makeRoom()) return refuse(raw, busy);
      server.handleUpgrade(request, raw, head, (socket) => accept(socket, raw, verdict.address));
    },
    get size() {
      return server.clients.size;
    },
    close() {
      isClosed = true;
      for (const socket of strangers.keys()) socket.terminate();
    },
    terminate() {
      for (const socket of server.clients) socket.terminate();
    },
  };
}

const busy: HttpError = {
  status: 503,
  code: "UNAVAILABLE",
  message: "Too many connections; wait.",
  retryAfterMs: 2_000,
};
const full = { code: "UNAVAILABLE", message: "Too many clients are connected.", retryable: true, retryAfterMs: 10_000 };

/** There is no response object on an upgrade. */
function refuse(raw: Duplex, error: HttpError): void {
  const body = JSON.stringify(buildBody(error));
  const headers = {
    ...commonHeaders,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...(error.retryAfterMs !== undefined && { "Retry-After": String(Math.ceil(error.retryAfterMs / 1000)) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  raw.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${body}`, () =>
    raw.destroy(),
  );
}
