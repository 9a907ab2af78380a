/**
 * What stands behind the port once somebody has come: guard → router → route for a request, guard → handshake
 * (authenticator) → client (dispatcher, events) for a WebSocket. Loaded with the first connection: a mom that nobody looks at
 * need not hold all of it.
 */
import type { Clock } from "../contracts/clock.ts";
import type { ChatScreen, Gateway, GatewayHouse, GatewayWatch } from "../contracts/gateway.ts";
import type { Log } from "../contracts/log.ts";
import { createAttemptLimiter } from "./auth/attempt-limiter.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { createDeviceRows } from "./auth/device-rows.ts";
import { createDevices } from "./auth/devices.ts";
import type { GatewayToken } from "./auth/gateway-token.ts";
import type { OneTimeCodes } from "./auth/one-time-codes.ts";
import type { GatewayConfig } from "./config.ts";
import { createHealthRoutes } from "./http/health-routes.ts";
import { createOpenAiRoutes } from "./http/openai-routes.ts";
import { createDispatcher } from "./methods/create-dispatcher.ts";
import { createHandlers } from "./methods/create-handlers.ts";
import type { Route } from "./parts.ts";
import { createChatScreen } from "./server/chat-screen.ts";
import { createEventLog, type ServerEventLog } from "./server/event-log.ts";
import { createFileRoutes } from "./server/file-routes.ts";
import { createFileTickets } from "./server/file-tickets.ts";
import { createGreeting } from "./server/greeting.ts";
import { createHub, type Hub } from "./server/hub.ts";
import { createRequestGuard } from "./server/request-guard.ts";
import { createRouter } from "./server/router.ts";
import { createSocketDoor, type SocketDoor } from "./server/socket-door.ts";
import { createStaticRoute } from "./server/static-files.ts";
import { createTurnFeed } from "./turn-feed.ts";
import { createWatch } from "./watch.ts";

interface InsideDeps {
  house: GatewayHouse;
  clock: Clock;
  log: Log;
  /** Folder of the built UI. Undefined: there is none. */
  uiDir: string | undefined;
  /** Made before anybody came. */
  codes: OneTimeCodes;
  token: GatewayToken;
  hookRoute: Route;
}

export interface Inside {
  readonly watch: GatewayWatch;
  readonly screen: ChatScreen;
  readonly answer: ReturnType<typeof createRouter>;
  readonly upgrade: SocketDoor["upgrade"];
  stats: Gateway["stats"];
  /** Hangs up on whoever came in with this identity. */
  endOf(identityId: string): void;
  /** Lets nobody in any more, and tells everybody. */
  close(reason: string): void;
  /** Ends whoever has not left by then. */
  terminate(): void;
}

export type CreateInside = (deps: InsideDeps, config: GatewayConfig) => Inside;

const lookEveryMs = 5_000;

export const createInside: CreateInside = ({ house, clock, log, uiDir, codes, token, hookRoute }, config) => {
  const events: ServerEventLog = createEventLog({ clock, log, deliver: (record) => hub.tell(record) });
  const hub: Hub = createHub({ clock, house, events });
  const turns = createTurnFeed({ clock, store: house.store });
  const files = createFileTickets({ house, clock, log });
  const endOf = (identityId: string) => {
    files.dropOf(identityId);
    hub.hangUp(identityId);
  };
  const rows = createDeviceRows({ kv: house.store.kv, clock, log });
  const connections = { isConnected: hub.isConnected, hangUp: endOf };
  const devices = createDevices({ rows, codes, events, clock, connections });
  const limiter = createAttemptLimiter({ clock });
  const authenticator = createAuthenticator({ token, password: config.auth.password, devices, limiter });

  const methodDeps = { house, devices, connections: hub, files, feed: turns.feed, events, clock, log };
  const dispatcher = createDispatcher({ handlers: createHandlers(methodDeps), clock, log });
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
  const doorParts = { guard, authenticator, hub, events, dispatcher, greet, maxClients: config.maxConnections };
  const door = createSocketDoor({ ...doorParts, clock, log });
  hub.start();
  // A token that was replaced must not live on in connections that nobody renews.
  let cancelLook = () => {};
  const lookAtToken = () => {
    if (hub.size > 0) void token.read();
    cancelLook = clock.after(lookEveryMs, lookAtToken);
  };
  lookAtToken();
  return {
    watch: createWatch({ events, feed: turns, house }),
    screen: createChatScreen({ house, events, log }),
    answer: createRouter({ routes, guard, authenticator, clock, log }),
    upgrade: door.upgrade,
    stats,
    endOf,
    close(reason) {
      cancelLook();
      door.close();
      hub.stop(reason);
      files.stop();
    },
    terminate: () => door.terminate(),
  };
};
