/**
 * A small gateway on loopback, for clients: it speaks the frames of the protocol and does nothing else of mom's work. Tests say
 * what each method answers, tell events, keep events back, and drop connections.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type EventFrame,
  type EventName,
  eventSpecs,
  GatewayFault,
  type Hello,
  type HelloOk,
  type MethodName,
  methodSpecs,
  type Params,
  type Payload,
  type ProtocolError,
  type Request,
  type Result,
} from "../../src/gateway/protocol/index.ts";

export interface FakeConnection {
  socket: WebSocket;
  hellos: Hello[];
  requests: Request[];
}

export type Answers = {
  [Name in MethodName]?: (params: Params<Name>, connection: FakeConnection) => Promise<Result<Name>> | Result<Name>;
};

export interface FakeGateway {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** `ws://…/ws` */
  socketUrl: string;
  /** All that there were, oldest first. */
  connections: FakeConnection[];
  /** May be changed while it runs. A method without one is NOT_FOUND; `events.subscribe` is answered by itself. */
  answers: Answers;
  /** What is said to a hello instead of letting it in. */
  refuse(to: ((hello: Hello) => ProtocolError | undefined) | undefined): void;
  /** Part of the hello-ok. */
  hello: Partial<Pick<HelloOk, "identity" | "deviceToken">>;
  /** What a method said last to the same idempotency key: how often each key was worked on. */
  worked: Map<string, number>;
  tell<Name extends EventName>(event: Name, payload: Payload<Name>, sessionKey?: string): void;
  /** Puts an event on record without telling it: as if a connection had been lost just then. */
  keep<Name extends EventName>(event: Name, payload: Payload<Name>, sessionKey?: string): void;
  /** Any text to everybody. */
  sendRaw(text: string): void;
  drop(code?: number): void;
  /** Another life: numbers begin anew and nothing is remembered. */
  restart(): void;
  /** All requests of all connections, in order. */
  requested(method: MethodName): Request[];
  close(): Promise<void>;
}

export const allScopes: HelloOk["identity"] = { id: "token", name: "token", role: "operator", scopes: ["admin"] };

export async function createFakeGateway(
  options: { port?: number; mainSessionKey?: string } = {},
): Promise<FakeGateway> {
  const http = createServer();
  const server = new WebSocketServer({ noServer: true });
  const connections: FakeConnection[] = [];
  const worked = new Map<string, number>();
  const followed = new Map<FakeConnection, "all" | string[]>();
  let life = randomBytes(4).toString("hex");
  let events: EventFrame[] = [];
  let refusal: ((hello: Hello) => ProtocolError | undefined) | undefined;

  const lastId = () => `${life}-${events.length}`;
  const send = (connection: FakeConnection, frame: unknown) => connection.socket.send(JSON.stringify(frame));
  const isFor = (connection: FakeConnection, { event, sessionKey }: EventFrame) => {
    if (!eventSpecs[event as EventName].ofSession) return true;
    const sessions = followed.get(connection);
    return sessions === "all" || (sessions ?? []).includes(sessionKey ?? "");
  };
  const record = (event: EventName, payload: unknown, sessionKey?: string) => {
    const frame: EventFrame = {
      id: `${life}-${events.length + 1}`,
      type: "event",
      at: Date.now(),
      event,
      payload,
      ...(sessionKey !== undefined && { sessionKey }),
    };
    events.push(frame);
    return frame;
  };
  const subscribe = (connection: FakeConnection, { sessions, after }: Params<"events.subscribe">) => {
    if (sessions) followed.set(connection, sessions);
    const [afterLife, number] = after?.split("-") ?? [life, String(events.length)];
    const missed = afterLife === life ? events.slice(Number(number)) : events;
    for (const frame of missed) if (isFor(connection, frame)) send(connection, frame);
    return { lastEventId: lastId(), isComplete: afterLife === life };
  };
  const work = async (connection: FakeConnection, { method, params = {} }: Request): Promise<unknown> => {
    const key = params["idempotencyKey"];
    if (typeof key === "string") worked.set(key, (worked.get(key) ?? 0) + 1);
    // The map is typed by name, and the name is only known now.
    const answer = gateway.answers[method as MethodName] as
      | ((params: unknown, connection: FakeConnection) => unknown)
      | undefined;
    if (answer) return answer(params, connection);
    if (method === "events.subscribe") return subscribe(connection, params as Params<"events.subscribe">);
    throw new GatewayFault({ code: "NOT_FOUND", message: `no answer for ${method}` });
  };
  const onRequest = async (connection: FakeConnection, request: Request) => {
    connection.requests.push(request);
    try {
      send(connection, { id: request.id, type: "response", result: await work(connection, request) });
    } catch (error) {
      if (!(error instanceof GatewayFault)) throw error;
      send(connection, { id: request.id, type: "response", error: error.toError() });
    }
  };
  const onHello = (connection: FakeConnection, hello: Hello) => {
    connection.hellos.push(hello);
    const error = refusal?.(hello);
    if (error) {
      send(connection, { type: "hello-error", error });
      connection.socket.close(4001);
    } else if (hello.auth?.device && hello.auth.device.signature === undefined) {
      send(connection, { type: "challenge", nonce: "nonce-1" });
    } else {
      const ok: HelloOk = {
        type: "hello-ok",
        protocol: 1,
        server: { version: "0.0.0", connId: String(connections.length) },
        features: { methods: Object.keys(methodSpecs), events: Object.keys(eventSpecs) },
        identity: gateway.hello.identity ?? allScopes,
        ...(gateway.hello.deviceToken !== undefined && { deviceToken: gateway.hello.deviceToken }),
        snapshot: {
          lastEventId: lastId(),
          at: Date.now(),
          mainSessionKey: options.mainSessionKey ?? "agent:main:main",
          needsSetup: false,
        },
      };
      send(connection, ok);
    }
  };
  http.on("upgrade", (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (socket) => {
      const connection: FakeConnection = { socket, hellos: [], requests: [] };
      connections.push(connection);
      socket.on("message", (data) => {
        const frame = JSON.parse(String(data));
        if (frame.type === "hello") onHello(connection, frame);
        else void onRequest(connection, frame);
      });
    }),
  );
  http.listen(options.port ?? 0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const open = () => connections.filter(({ socket }) => socket.readyState === socket.OPEN);
  const gateway: FakeGateway = {
    url: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}/ws`,
    connections,
    answers: {},
    refuse: (to) => {
      refusal = to;
    },
    hello: {},
    worked,
    tell: (event, payload, sessionKey) => {
      const frame = record(event, payload, sessionKey);
      for (const connection of open()) if (isFor(connection, frame)) send(connection, frame);
    },
    keep: (event, payload, sessionKey) => void record(event, payload, sessionKey),
    sendRaw: (text) => {
      for (const { socket } of open()) socket.send(text);
    },
    drop: (code = 1001) => {
      for (const { socket } of open()) socket.close(code);
    },
    restart: () => {
      life = randomBytes(4).toString("hex");
      events = [];
    },
    requested: (method) =>
      connections.flatMap(({ requests }) => requests.filter((request) => request.method === method)),
    close: async () => {
      for (const { socket } of connections) socket.terminate();
      http.close();
      if (http.listening) await once(http, "close");
    },
  };
  return gateway;
}
