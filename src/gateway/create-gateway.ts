/**
 * Joins the parts of the gateway. A request goes guard → router → route; a WebSocket guard → handshake (authenticator) →
 * client (dispatcher, events). What the methods do is done by the house.
 */
import { isIP } from "node:net";
import { hostname } from "node:os";
import { within } from "../base/within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Gateway, GatewayHouse } from "../contracts/gateway.ts";
import type { Log } from "../contracts/log.ts";
import { createAttemptLimiter } from "./auth/attempt-limiter.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { createDeviceRows } from "./auth/device-rows.ts";
import { createDevices } from "./auth/devices.ts";
import { createGatewayToken } from "./auth/gateway-token.ts";
import { createOneTimeCodes } from "./auth/one-time-codes.ts";
import type { GatewayConfig } from "./config.ts";
import { createHealthRoutes } from "./http/health-routes.ts";
import { createOpenAiRoutes } from "./http/openai-routes.ts";
import { createDispatcher } from "./methods/create-dispatcher.ts";
import { createHandlers } from "./methods/create-handlers.ts";
import type { Identity, Route } from "./parts.ts";
import { scopes } from "./protocol/index.ts";
import { createChatScreen } from "./server/chat-screen.ts";
import { createEventLog, type ServerEventLog } from "./server/event-log.ts";
import { createFileRoutes } from "./server/file-routes.ts";
import { createFileTickets } from "./server/file-tickets.ts";
import { createGreeting } from "./server/greeting.ts";
import { createHttpServer, type HttpTimes } from "./server/http-server.ts";
import { createHub, type Hub } from "./server/hub.ts";
import { createRequestGuard } from "./server/request-guard.ts";
import { createRouter } from "./server/router.ts";
import { createRunFile } from "./server/run-file.ts";
import { createSocketDoor } from "./server/socket-door.ts";
import { createStaticRoute } from "./server/static-files.ts";
import { createWebhooks } from "./server/webhooks.ts";
import { createTurnFeed } from "./turn-feed.ts";
import { createWatch } from "./watch.ts";

/** Tells the local network that mom is here; the result ends it. */
export type Announce = (service: { port: number; name: string; log: Log }) => () => void;

export interface GatewayDeps {
  house: GatewayHouse;
  clock: Clock;
  log: Log;
  stateDir: string;
  /** Folder of the built UI. Undefined: there is none. */
  uiDir: string | undefined;
  loadDiscovery?: () => Promise<Announce>;
  /** Absent: as they should be. */
  httpTimes?: HttpTimes;
}

export type CreateGateway = (deps: GatewayDeps, config: GatewayConfig) => Gateway;

/** Whoever sits at the terminal that mom was started in. */
const starter: Identity = { id: "starter", name: "the link mom printed", role: "operator", scopes };
/** Clients may take so long to leave by themselves. */
const stopWithinMs = 1_000;

export const createGateway: CreateGateway = (deps, config) => {
  const { house, clock, stateDir, uiDir } = deps;
  const log = deps.log.with({ room: "gateway" });
  const runFile = createRunFile(stateDir);

  const events: ServerEventLog = createEventLog({ clock, log, deliver: (record) => hub.tell(record) });
  const hub: Hub = createHub({ clock, house, events });
  const turns = createTurnFeed({ clock, store: house.store });
  const files = createFileTickets({ house, clock, log });
  const codes = createOneTimeCodes({ clock });
  const endOf = (identityId: string) => {
    files.dropOf(identityId);
    hub.hangUp(identityId);
  };
  const rows = createDeviceRows({ kv: house.store.kv, clock, log });
  const connections = { isConnected: hub.isConnected, hangUp: endOf };
  const devices = createDevices({ rows, codes, events, clock, connections });
  const token = createGatewayToken({ stateDir, clock, log, onChange: () => endOf("token") });
  const limiter = createAttemptLimiter({ clock });
  const authenticator = createAuthenticator({ token, password: config.auth.password, devices, limiter });

  const methodDeps = { house, devices, connections: hub, files, feed: turns.feed, events, clock, log };
  const dispatcher = createDispatcher({ handlers: createHandlers(methodDeps), clock, log });
  const { webhooks, route: hookRoute } = createWebhooks({ log });
  const stats = () => ({ connections: door.size, clients: hub.size, events: events.count, dropped: hub.dropped });
  const routes: Route[] = [
    ...createHealthRoutes({ house, stats, clock }),
    ...(config.http.openai ? createOpenAiRoutes({ house, feed: turns.feed, clock, log }) : []),
    ...createFileRoutes({ tickets: files, house, clock }),
    hookRoute,
    createStaticRoute({ uiDir, clock }),
  ];

  const guard = createRequestGuard(config);
  const greet = createGreeting({ house, events, dispatcher, clock });
  const { maxConnections } = config;
  const doorParts = { guard, authenticator, hub, events, dispatcher, greet, maxClients: maxConnections };
  const door = createSocketDoor({ ...doorParts, clock, log });
  const answer = createRouter({ routes, guard, authenticator, clock, log });
  const http = createHttpServer({ answer, upgrade: door.upgrade, maxConnections, log }, deps.httpTimes);

  let url = "";
  let endAnnouncement = () => {};
  let stopped: Promise<void> | undefined;

  const stop = async (reason: string) => {
    endAnnouncement();
    door.close();
    hub.stop(reason);
    files.stop();
    const closed = http.close();
    await within(clock, stopWithinMs, closed, () => undefined);
    door.terminate();
    http.terminate();
    await closed;
    await runFile.remove();
  };
  const announce = async (port: number) => {
    if (!config.mdns || isLoopbackHost(config.host) || !deps.loadDiscovery) return;
    const start = await deps.loadDiscovery();
    endAnnouncement = start({ port, name: hostname(), log });
  };

  return {
    watch: createWatch({ events, feed: turns, house }),
    screen: createChatScreen({ house, events, log }),
    webhooks,
    async start() {
      await token.prepare();
      const address = await http.listen(config.host, config.port);
      url = address.url;
      hub.start();
      await runFile.write(url);
      // Being found is a convenience: mom runs without it.
      await announce(address.port).catch((error: unknown) => log.warn("mDNS does not work here", { error }));
      return { url };
    },
    async createLink() {
      const { code } = await devices.createCode({ role: "operator", scopes, by: starter });
      return `${url}/#code=${code}`;
    },
    stats,
    stop(reason) {
      stopped ??= stop(reason);
      return stopped;
    },
  };
};

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
