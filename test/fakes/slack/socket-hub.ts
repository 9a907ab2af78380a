/**
 * The fake's Socket Mode: hello, envelopes, acknowledgements, disconnect frames. An envelope that is not acknowledged comes
 * again with `retry_attempt`: at once on another connection when its own has closed, else after a while.
 */
import { type WebSocket, WebSocketServer } from "ws";
import { bot, type Json } from "./workspace.ts";

interface Connection {
  socket: WebSocket;
  /** Told to go: gets nothing new. */
  isDraining: boolean;
  /** Open, and nothing comes through it. */
  isDeaf: boolean;
}

interface Envelope {
  id: string;
  type: "events_api" | "interactive";
  payload: Json;
  attempts: number;
  on?: Connection;
  timer?: NodeJS.Timeout;
}

export interface SocketHub {
  /** For the HTTP server's upgrades. */
  readonly server: WebSocketServer;
  send(type: Envelope["type"], payload: Json): void;
  disconnect(reason: "refresh_requested" | "warning" | "link_disabled"): void;
  /** Cut, without a word. */
  drop(): void;
  deafen(): void;
  ping(): void;
  readonly unacknowledged: number;
  readonly connections: number;
  /** Connections there ever were. */
  readonly opened: number;
  readonly pongs: number;
  close(): void;
}

export function createSocketHub(options: { redeliverAfterMs: number; onChange(): void }): SocketHub {
  const server = new WebSocketServer({ noServer: true });
  const connections = new Set<Connection>();
  const waiting = new Map<string, Envelope>();
  const counts = { opened: 0, pongs: 0, envelopes: 0 };

  const pickConnection = () => [...connections].reverse().find(({ isDraining }) => !isDraining);
  const deliver = (envelope: Envelope): void => {
    clearTimeout(envelope.timer);
    const connection = pickConnection();
    if (!connection) return;
    // Slack thinks that it was heard, and gives up some time later.
    if (connection.isDeaf) return void waiting.delete(envelope.id);
    const { id, type, payload, attempts } = envelope;
    const retry = attempts > 0 ? { retry_attempt: attempts, retry_reason: "timeout" } : {};
    connection.socket.send(
      JSON.stringify({ envelope_id: id, type, payload, accepts_response_payload: type === "interactive", ...retry }),
    );
    envelope.attempts += 1;
    envelope.on = connection;
    envelope.timer = setTimeout(() => deliver(envelope), options.redeliverAfterMs).unref();
  };
  const onAck = (data: string) => {
    const { envelope_id } = JSON.parse(data) as { envelope_id?: string };
    const envelope = waiting.get(envelope_id ?? "");
    clearTimeout(envelope?.timer);
    waiting.delete(envelope_id ?? "");
    options.onChange();
  };
  const onClose = (connection: Connection) => {
    connections.delete(connection);
    for (const envelope of waiting.values()) if (envelope.on === connection) deliver(envelope);
    options.onChange();
  };
  server.on("connection", (socket) => {
    const connection: Connection = { socket, isDraining: false, isDeaf: false };
    connections.add(connection);
    counts.opened += 1;
    socket.on("message", (data) => onAck(String(data)));
    socket.on("pong", () => {
      counts.pongs += 1;
      options.onChange();
    });
    socket.on("close", () => onClose(connection));
    socket.on("error", () => socket.terminate());
    socket.send(
      JSON.stringify({
        type: "hello",
        num_connections: connections.size,
        debug_info: { host: "applink-1", approximate_connection_time: 18_060 },
        connection_info: { app_id: bot.appId },
      }),
    );
    const isOpen = (on: Connection | undefined) => on !== undefined && connections.has(on) && !on.isDraining;
    for (const envelope of waiting.values()) if (!isOpen(envelope.on)) deliver(envelope);
    options.onChange();
  });

  return {
    server,
    send(type, payload) {
      const envelope: Envelope = { id: `e-${++counts.envelopes}`, type, payload, attempts: 0 };
      waiting.set(envelope.id, envelope);
      deliver(envelope);
      options.onChange();
    },
    disconnect(reason) {
      for (const connection of connections) {
        connection.isDraining = true;
        connection.socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
      }
    },
    drop() {
      for (const { socket } of connections) socket.terminate();
    },
    deafen() {
      for (const connection of connections) connection.isDeaf = true;
    },
    ping() {
      for (const { socket } of connections) socket.ping();
    },
    get unacknowledged() {
      return waiting.size;
    },
    get connections() {
      return connections.size;
    },
    get opened() {
      return counts.opened;
    },
    get pongs() {
      return counts.pongs;
    },
    close() {
      for (const envelope of waiting.values()) clearTimeout(envelope.timer);
      waiting.clear();
      for (const { socket } of connections) socket.terminate();
      server.close();
    },
  };
}
