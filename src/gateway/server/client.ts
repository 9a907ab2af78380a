/**
 * A connection that was let in: requests to answers, and the events that it may and wants to be told. Who it is was decided
 * at its hello, from the store; when that changes it is hung up on.
 */
import type { RawData, WebSocket } from "ws";
import type { CallContext, Dispatcher, Identity } from "../parts.ts";
import {
  closeCodes,
  eventSpecs,
  GatewayFault,
  type Hello,
  maxUnsentBytes,
  mayCall,
  type Params,
  type ProtocolError,
  type Result,
} from "../protocol/index.ts";
import type { EventRecord, ServerEventLog } from "./event-log.ts";
import { parseRequest } from "./parse-frame.ts";
import type { Writer } from "./writer.ts";

/** Sessions, by key. */
export type Follows = "all" | ReadonlySet<string>;

export interface Client {
  readonly connId: string;
  readonly identity: Identity;
  readonly hello: Hello;
  readonly address: string;
  readonly since: number;
  /** Takes requests and events from now on. The hello-ok has been sent. */
  open(): void;
  /** False: it should have been told, and is too slow. */
  tell(record: EventRecord & { frame: Buffer }): boolean;
  /** What is for this client alone. */
  tellDirectly(frame: Buffer): boolean;
  /** What it has chosen to be told. */
  readonly follows: Follows;
  readonly wantsLogs: boolean;
  /** Asks whether the other end is there; one that has not answered the last time is cut off. */
  ping(): void;
  close(code: number, reason: string): void;
}

export interface ClientParts {
  connId: string;
  identity: Identity;
  hello: Hello;
  address: string;
  since: number;
  socket: WebSocket;
  writer: Writer;
  events: Pick<ServerEventLog, "lastId" | "after">;
  dispatcher: Dispatcher;
  /** It has chosen anew. */
  onChoice(client: Client): void;
}

const mostBadFrames = 20;
/** Loading anew is cheaper than being told more than this. */
const maxReplayBytes = maxUnsentBytes / 2;

export function createClient(parts: ClientParts): Client {
  const { connId, identity, hello, address, since, socket, writer, events, dispatcher } = parts;
  const gone = new AbortController();
  let follows: Follows = new Set();
  let wantsLogs = false;
  let isReady = false;
  let isAlive = true;
  let badFrames = 0;

  const isFor = ({ event, sessionKey }: EventRecord): boolean => {
    const { needs, ofSession } = eventSpecs[event];
    if (!mayCall(identity, needs)) return false;
    return !ofSession || follows === "all" || (sessionKey !== undefined && follows.has(sessionKey));
  };
  const replay = (after: string): boolean => {
    const missed = events.after(after)?.filter(isFor);
    const frames = missed?.flatMap(({ frame }) => frame ?? []);
    if (!frames || frames.reduce((sum, { length }) => sum + length, 0) > maxReplayBytes) return false;
    for (const frame of frames) writer.sendEvent(frame);
    return true;
  };
  const subscribe = (choice: Params<"events.subscribe">): Result<"events.subscribe"> => {
    if (choice.logs === true && !mayCall(identity, "admin")) throw forbiddenLogs();
    if (choice.sessions !== undefined) follows = choice.sessions === "all" ? "all" : new Set(choice.sessions);
    wantsLogs = choice.logs ?? wantsLogs;
    parts.onChoice(client);
    const isComplete = choice.after === undefined || replay(choice.after);
    return { lastEventId: events.lastId, isComplete };
  };
  const context: CallContext = { identity, connId, signal: gone.signal, subscribe };

  const onMessage = (data: RawData, isBinary: boolean) => {
    if (!isReady || !writer.isOpen) return;
    isAlive = true;
    const parsed = parseRequest(data, isBinary);
    if (parsed.type === "bad") {
      writer.sendAnswer({ id: parsed.id, type: "response", error: buildBadFrame(parsed.problems) });
      if (++badFrames >= mostBadFrames) close(closeCodes.badFrames, "Too many frames were no requests");
      return;
    }
    void dispatcher.dispatch(parsed.frame, context).then((response) => writer.sendAnswer(response));
  };
  const close = (code: number, reason: string) => {
    writer.close(code, reason);
    if (!gone.signal.aborted) gone.abort(new Error("The connection is gone."));
  };

  socket.on("message", onMessage);
  socket.on("pong", () => {
    isAlive = true;
  });
  // Answers to pings pile up like everything else.
  socket.on("ping", () => writer.checkPace());
  socket.once("close", () => close(closeCodes.stopping, ""));

  const client: Client = {
    connId,
    identity,
    hello,
    address,
    since,
    open: () => {
      isReady = true;
    },
    tell: (record) => !isReady || !writer.isOpen || !isFor(record) || writer.sendEvent(record.frame),
    tellDirectly: (frame) => isReady && writer.sendEvent(frame),
    get follows() {
      return follows;
    },
    get wantsLogs() {
      return wantsLogs;
    },
    ping: () => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      if (writer.isOpen) socket.ping();
    },
    close,
  };
  return client;
}

const forbiddenLogs = () => new GatewayFault({ code: "FORBIDDEN", message: "The log needs the scope admin." });

const buildBadFrame = (details: string[]): ProtocolError => ({
  code: "INVALID_REQUEST",
  message: "That is no request.",
  details,
});
