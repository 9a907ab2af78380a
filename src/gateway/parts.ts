/** What the parts of the gateway know of each other: types only, so that each can be read and tested by itself. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { TurnState } from "../contracts/turn.ts";
import type {
  DeviceRequest,
  DeviceSummary,
  EventName,
  MethodName,
  Params,
  Payload,
  Presence,
  Request,
  Response,
  Result,
  Role,
  RoomMethodName,
  Scope,
} from "./protocol/index.ts";

/** Who is connected, by what the store knows. `id`: `token`, `password`, or the device's. */
export interface Identity {
  id: string;
  name: string;
  role: Role;
  scopes: readonly Scope[];
}

export interface CallContext {
  identity: Identity;
  connId: string;
  /** Aborts when the connection is gone. */
  signal: AbortSignal;
  subscribe(choice: Params<"events.subscribe">): Result<"events.subscribe">;
}

export type Handler<Name extends MethodName> = (params: Params<Name>, context: CallContext) => Promise<Result<Name>>;
export type Handlers = { [Name in Exclude<MethodName, RoomMethodName>]: Handler<Name> } & {
  [Name in RoomMethodName]?: Handler<Name>;
};

/** One request to one response: known? allowed? valid? done already? then the handler; the result is checked too. Never rejects. */
export interface Dispatcher {
  /** Those that the house has. */
  readonly methods: readonly MethodName[];
  dispatch(request: Request, context: CallContext): Promise<Response>;
}

/** Everything that was told, in order; a bounded number is kept for those who come back. */
export interface EventLog {
  readonly lastId: string;
  publish<Name extends EventName>(event: Name, payload: Payload<Name>, sessionKey?: SessionKey): void;
}

/** Devices that are let in and those that ask. All on disk when a promise resolves. */
export interface Devices {
  list(): Promise<DeviceSummary[]>;
  requests(): Promise<DeviceRequest[]>;
  /** Undefined: no such request. Whether `by` may grant these has been checked. */
  approve(requestId: string, by: Identity, scopes: readonly Scope[]): Promise<DeviceSummary | undefined>;
  reject(requestId: string): Promise<boolean>;
  /** Closes its connections before it resolves. */
  revoke(deviceId: string): Promise<boolean>;
  /** A code that lets one device in with these rights. */
  createCode(grant: {
    role: Role;
    scopes: readonly Scope[];
    by: Identity;
  }): Promise<{ code: string; expiresAt: number }>;
}

export interface Connections {
  presence(): Presence[];
  /** Commands that connected nodes offer, by device. */
  nodes(): ReadonlyMap<string, readonly string[]>;
  /** Sends an event to one node's connection. False: it is not connected. */
  tellNode(deviceId: string, payload: Payload<"node.invoke">): boolean;
  /** Called with the device when a node's connection is gone. The result ends it. */
  onNodeGone(handler: (deviceId: string) => void): () => void;
}

/** What a turn has shown so far. */
export type TurnSign =
  | { type: "event"; event: AgentSessionEvent }
  | { type: "post"; deliveryId: string; text?: string; file?: { filename: string }; isAside?: true }
  | { type: "end"; state: TurnState; error?: string };

export interface TurnFeed {
  /**
   * What was told so far, then what comes, until the end of the turn or of the signal. Of a turn that ended long ago only its
   * posts and its end, from the store; of an unknown one nothing. Rejects (`UNAVAILABLE`) for who reads too slowly.
   */
  follow(turnId: TurnId, signal: AbortSignal): AsyncIterable<TurnSign>;
  /** Which model answered and what all calls of the turn took so far; undefined where nothing is known (any more). */
  usageOf(turnId: TurnId): TurnUsage | undefined;
}

export interface TurnUsage {
  /** `provider/model`. */
  model?: string;
  usage?: Result<"agent.wait">["usage"];
}

/** A path that the gateway answers on. Before `handle`, Host, Origin and (where asked for) the bearer token have been checked. */
export interface Route {
  method: "GET" | "POST" | "PUT";
  /** Exact, or with `/*` at its end. */
  path: string;
  /** `bearer`: an operator who holds this scope. */
  auth: "none" | { bearer: Scope };
  handle(exchange: Exchange): Promise<void>;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Decoded path, no query. */
  path: string;
  /** Absent on routes without auth. */
  identity?: Identity;
  /** The whole body as text; throws a `GatewayFault` over `maxBytes` or when it comes too slowly. */
  readBody(maxBytes: number): Promise<Buffer>;
  /** Aborts when the other end has gone. */
  signal: AbortSignal;
}
