/**
 * The methods of the gateway on the fake house, without sockets: devices, connections, tickets and events are simple lists, and
 * `call` is what a connection would do with a request.
 */
import type { TestContext } from "node:test";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { Log } from "../../src/contracts/log.ts";
import { createDispatcher } from "../../src/gateway/methods/create-dispatcher.ts";
import { createHandlers } from "../../src/gateway/methods/create-handlers.ts";
import type { FileTickets } from "../../src/gateway/methods/method-deps.ts";
import type {
  CallContext,
  Connections,
  Devices,
  Dispatcher,
  EventLog,
  Handlers,
  Identity,
} from "../../src/gateway/parts.ts";
import {
  check,
  type DeviceRequest,
  type DeviceSummary,
  type EventName,
  eventSpecs,
  type MethodName,
  type Params,
  type Payload,
  type ProtocolError,
  type Result,
  type Scope,
  scopes,
} from "../../src/gateway/protocol/index.ts";
import { createTurnFeed, type TurnRecorder } from "../../src/gateway/turn-feed.ts";
import { createWatch } from "../../src/gateway/watch.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { createGatewayHouse, type FakeGatewayHouse } from "./gateway-house.ts";
import { silentLog } from "./log.ts";

export interface PublishedEvent {
  event: EventName;
  payload: unknown;
  sessionKey?: SessionKey;
}

export interface GatewayDesk {
  fake: FakeGatewayHouse;
  clock: FakeClock;
  handlers: Handlers;
  dispatcher: Dispatcher;
  feed: TurnRecorder;
  /** What was published, each checked against its schema. */
  events: PublishedEvent[];
  devices: Devices & { known: DeviceSummary[]; asking: DeviceRequest[]; granted: unknown[] };
  connections: Connections & {
    offered: Map<string, string[]>;
    told: { deviceId: string; payload: Payload<"node.invoke"> }[];
    gone(deviceId: string): void;
  };
  uploads: Map<string, { filename: string; localPath: string }>;
  subscribed: Params<"events.subscribe">[];
  /** As the holder of the gateway's token where no context is given. Throws what the response says went wrong. */
  call<Name extends MethodName>(method: Name, params: Params<Name>, context?: CallContext): Promise<Result<Name>>;
  /** The response of a call that must not be well formed. */
  refuse(method: string, params: unknown, context?: CallContext): Promise<ProtocolError>;
  contextOf(identity?: Identity, signal?: AbortSignal): CallContext;
}

export const tokenHolder: Identity = { id: "token", name: "token", role: "operator", scopes };
export const operatorWith = (...held: Scope[]): Identity => ({
  id: `operator-${held.join("-")}`,
  name: "laptop",
  role: "operator",
  scopes: held,
});
export const someNode: Identity = { id: "node-1", name: "phone", role: "node", scopes: [] };

export async function createGatewayDesk(test: TestContext, log: Log = silentLog): Promise<GatewayDesk> {
  const clock = createFakeClock();
  const fake = await createGatewayHouse(test, { clock });
  const published: PublishedEvent[] = [];
  const events = createEventList(published);
  const feed = createTurnFeed({ clock, store: fake.store });
  fake.watch = createWatch({ events, feed, house: fake.house });
  const devices = createDevices(clock);
  const connections = createConnections();
  const uploads: GatewayDesk["uploads"] = new Map();
  const files = createTickets(uploads);
  const handlers = createHandlers({
    house: fake.house,
    devices,
    connections,
    files,
    feed: feed.feed,
    events,
    clock,
    log,
  });
  const dispatcher = createDispatcher({ handlers, clock, log });
  const subscribed: GatewayDesk["subscribed"] = [];
  const contextOf = (identity = tokenHolder, signal = new AbortController().signal): CallContext => ({
    identity,
    connId: "c1",
    signal,
    subscribe(choice) {
      subscribed.push(choice);
      return { lastEventId: events.lastId, isComplete: true };
    },
  });
  let count = 0;
  const send = (method: string, params: unknown, context = contextOf()) =>
    dispatcher.dispatch(
      { id: `r${++count}`, type: "request", method, params: params as Record<string, unknown> },
      context,
    );
  return {
    fake,
    clock,
    handlers,
    dispatcher,
    feed,
    events: published,
    devices,
    connections,
    uploads,
    subscribed,
    contextOf,
    async call<Name extends MethodName>(method: Name, params: Params<Name>, context?: CallContext) {
      const { result, error } = await send(method, params, context);
      if (error) throw Object.assign(new Error(error.message), error);
      return result as Result<Name>;
    },
    async refuse(method, params, context) {
      const { error, result } = await send(method, params, context);
      if (!error) throw new Error(`${method} was not refused: ${JSON.stringify(result)}`);
      return error;
    },
  };
}

function createEventList(published: PublishedEvent[]): EventLog {
  return {
    get lastId() {
      return `life-${published.length}`;
    },
    publish(event, payload, sessionKey) {
      // Through JSON, as a socket would carry it.
      const carried: unknown = JSON.parse(JSON.stringify(payload));
      const checked = check(eventSpecs[event].payload, carried);
      if (checked.type === "invalid") throw new Error(`${event}: ${checked.problems.join("; ")}`);
      if (eventSpecs[event].ofSession !== (sessionKey !== undefined)) throw new Error(`${event}: whose is it?`);
      published.push({ event, payload: carried, ...(sessionKey !== undefined && { sessionKey }) });
    },
  };
}

function createDevices(clock: FakeClock): GatewayDesk["devices"] {
  const known: DeviceSummary[] = [];
  const asking: DeviceRequest[] = [];
  const granted: unknown[] = [];
  const take = <Item>(list: Item[], isIt: (item: Item) => boolean): Item | undefined => {
    const at = list.findIndex(isIt);
    return at === -1 ? undefined : list.splice(at, 1)[0];
  };
  return {
    known,
    asking,
    granted,
    list: async () => known,
    requests: async () => asking,
    async approve(requestId, by, scopes) {
      const request = take(asking, (each) => each.requestId === requestId);
      if (!request) return undefined;
      const { deviceId, name, platform, role } = request;
      const device: DeviceSummary = {
        deviceId,
        name,
        platform,
        role,
        scopes: [...scopes],
        approvedAt: clock.now(),
        approvedBy: by.id,
        isConnected: false,
      };
      known.push(device);
      return device;
    },
    reject: async (requestId) => take(asking, (each) => each.requestId === requestId) !== undefined,
    revoke: async (deviceId) => take(known, (each) => each.deviceId === deviceId) !== undefined,
    async createCode({ role, scopes, by }) {
      granted.push({ role, scopes: [...scopes], by: by.id });
      return { code: "abcd-efgh", expiresAt: clock.now() + 600_000 };
    },
  };
}

function createConnections(): GatewayDesk["connections"] {
  const offered = new Map<string, string[]>();
  const told: GatewayDesk["connections"]["told"] = [];
  const watchers = new Set<(deviceId: string) => void>();
  return {
    offered,
    told,
    presence: () => [
      {
        connId: "c1",
        name: "laptop",
        mode: "cli",
        platform: "linux",
        role: "operator",
        address: "127.0.0.1",
        since: 1,
      },
    ],
    nodes: () => offered,
    tellNode(deviceId, payload) {
      if (!offered.has(deviceId)) return false;
      told.push({ deviceId, payload });
      return true;
    },
    onNodeGone(handler) {
      watchers.add(handler);
      return () => void watchers.delete(handler);
    },
    gone(deviceId) {
      offered.delete(deviceId);
      for (const watcher of watchers) watcher(deviceId);
    },
  };
}

function createTickets(uploads: GatewayDesk["uploads"]): FileTickets {
  const opened = (filename: string) => ({
    url: `/files/${filename}`,
    filename,
    size: 3,
    mimeType: "text/plain",
    expiresAt: 9,
  });
  return {
    createUpload({ filename }) {
      uploads.set("u1", { filename, localPath: `channels/webchat/main/attachments/${filename}` });
      return { uploadId: "u1", url: "/files/u1", expiresAt: 9 };
    },
    hasUpload: (uploadId) => uploads.has(uploadId),
    takeUpload(uploadId) {
      const file = uploads.get(uploadId);
      uploads.delete(uploadId);
      return file;
    },
    openWorkspaceFile: async (path) => (path === "notes.md" ? opened(path) : undefined),
    openPostedFile: async (id) => (id === "d1" ? opened("chart.png") : undefined),
  };
}
