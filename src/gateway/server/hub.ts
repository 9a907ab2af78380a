/** Everybody who is let in: tells them events, knows who they are, hangs up on those who may no longer be here. */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse, LogRecord } from "../../contracts/gateway.ts";
import type { Connections, EventLog } from "../parts.ts";
import { closeCodes, eventSpecs, type Presence, pingEveryMs } from "../protocol/index.ts";
import type { Client } from "./client.ts";
import type { EventRecord, ServerEventLog } from "./event-log.ts";
import { createFollowers } from "./followers.ts";

export interface Hub extends Connections {
  add(client: Client): void;
  remove(client: Client): void;
  tell(record: EventRecord & { frame: Buffer }): void;
  /** The client has chosen anew what it is told. */
  note(client: Client): void;
  isConnected(identityId: string): boolean;
  /** The identity is not what it was: its connections end now. */
  hangUp(identityId: string): void;
  /** How often somebody was too slow to be told something. */
  readonly dropped: number;
  readonly size: number;
  start(): void;
  /** Nothing is told any more; who is still here is told to leave. */
  stop(reason: string): void;
}

interface HubDeps {
  clock: Clock;
  house: Pick<GatewayHouse, "logs">;
  events: Pick<EventLog, "publish"> & Pick<ServerEventLog, "buildLoose">;
}

/** Who comes and goes is told together: a thousand who come back are not told of each other a thousand times. */
const presenceAfterMs = 1_000;
/** `system-presence` has them all. */
const mostPresence = 50;

export function createHub({ clock, house, events }: HubDeps): Hub {
  const clients = new Set<Client>();
  const followers = createFollowers();
  let dropped = 0;
  let isStopped = false;
  let cancelPing = () => {};
  let cancelPresence: (() => void) | undefined;
  let unfollowLogs: (() => void) | undefined;

  const presence = (): Presence[] => [...clients].map(toPresence);
  const changed = () => {
    if (isStopped) return;
    cancelPresence ??= clock.after(presenceAfterMs, () => {
      cancelPresence = undefined;
      events.publish("presence", { clients: presence().slice(-mostPresence) });
    });
  };
  const schedulePing = () => {
    cancelPing = clock.after(pingEveryMs, () => {
      for (const client of clients) client.ping();
      schedulePing();
    });
  };
  const tellLine = ({ at, level, text, fields }: LogRecord) => {
    const wanting = [...clients].filter((client) => client.wantsLogs);
    if (wanting.length === 0) return;
    const frame = events.buildLoose("log", { line: { at, level, text, fields } });
    if (frame) for (const client of wanting) client.tellDirectly(frame);
  };
  const followLogs = () => {
    const isWanted = !isStopped && [...clients].some((client) => client.wantsLogs);
    if (isWanted) unfollowLogs ??= house.logs.follow(tellLine);
    else {
      unfollowLogs?.();
      unfollowLogs = undefined;
    }
  };
  const nodeHandlers = new Set<(deviceId: string) => void>();
  const gone = ({ identity }: Client) => {
    if (identity.role === "node") for (const handler of nodeHandlers) handler(identity.id);
  };
  const nodes = () => [...clients].filter(({ identity }) => identity.role === "node");

  return {
    add(client) {
      clients.add(client);
      changed();
    },
    note(client) {
      // One that is gone may still be answered.
      if (!clients.has(client)) return;
      followers.note(client);
      followLogs();
    },
    remove(client) {
      if (!clients.delete(client)) return;
      followers.drop(client);
      gone(client);
      changed();
      if (client.wantsLogs) followLogs();
    },
    tell(record) {
      const { event, sessionKey } = record;
      const isOfSession = eventSpecs[event].ofSession && sessionKey !== undefined;
      const audience = isOfSession ? followers.of(sessionKey) : clients;
      for (const client of audience) if (!client.tell(record)) dropped++;
    },
    isConnected: (id) => [...clients].some(({ identity }) => identity.id === id),
    hangUp(id) {
      for (const client of [...clients].filter(({ identity }) => identity.id === id)) {
        clients.delete(client);
        followers.drop(client);
        client.close(closeCodes.revoked, "What this client may do was changed");
        gone(client);
      }
      changed();
      followLogs();
    },
    presence,
    nodes: () => new Map(nodes().map(({ identity, hello }) => [identity.id, hello.caps ?? []])),
    tellNode(deviceId, payload) {
      const node = nodes().findLast(({ identity }) => identity.id === deviceId);
      const frame = events.buildLoose("node.invoke", payload);
      return node !== undefined && frame !== undefined && node.tellDirectly(frame);
    },
    onNodeGone(handler) {
      nodeHandlers.add(handler);
      return () => void nodeHandlers.delete(handler);
    },
    get dropped() {
      return dropped;
    },
    get size() {
      return clients.size;
    },
    start: schedulePing,
    stop(reason) {
      if (isStopped) return;
      events.publish("shutdown", { reason });
      isStopped = true;
      cancelPing();
      cancelPresence?.();
      followLogs();
      for (const client of clients) client.close(closeCodes.stopping, reason);
    },
  };
}

const toPresence = ({ connId, hello, identity, address, since }: Client): Presence => ({
  connId,
  name: hello.client.displayName ?? (identity.name || hello.client.id),
  mode: hello.client.mode,
  platform: hello.client.platform,
  role: identity.role,
  address,
  since,
});
