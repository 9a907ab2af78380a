/**
 * The gateway from outside: the port, the token, the codes and the hooks. Everything behind it (`create-inside.ts`) is loaded
 * when the first one comes; until then there is nobody to tell anything.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Duplex } from "node:stream";
import { within } from "../base/within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ChatScreen, Gateway, GatewayHouse, GatewayWatch } from "../contracts/gateway.ts";
import type { Log } from "../contracts/log.ts";
import { createGatewayToken } from "./auth/gateway-token.ts";
import { createOneTimeCodes } from "./auth/one-time-codes.ts";
import type { GatewayConfig } from "./config.ts";
import type { CreateInside, Inside } from "./create-inside.ts";
import { scopes } from "./protocol/scopes.ts";
import { createHttpServer, type HttpTimes } from "./server/http-server.ts";
import { createPortFile } from "./server/port-file.ts";
import { createRunFile } from "./server/run-file.ts";
import { createWebhooks } from "./server/webhooks.ts";

/** Tells the local network that mom is here; the result ends it. */
export type Announce = (service: { port: number; name: string; log: Log }) => () => void;

export interface GatewayDeps {
  house: GatewayHouse;
  clock: Clock;
  log: Log;
  stateDir: string;
  /** Folder of the built UI. Undefined: there is none. */
  uiDir: string | undefined;
  loadInside(): Promise<CreateInside>;
  loadDiscovery?: () => Promise<Announce>;
  /** Absent: as they should be. */
  httpTimes?: HttpTimes;
}

export interface RunningGateway extends Gateway {
  /** Takes over what can be changed behind the same port. False: it must listen elsewhere, and nothing was changed. */
  reconfigure(next: GatewayConfig): Promise<boolean>;
}

export type CreateGateway = (deps: GatewayDeps, config: GatewayConfig) => RunningGateway;

/** Clients may take so long to leave by themselves. */
const stopWithinMs = 1_000;
const leaveWithinMs = 500;

export const createGateway: CreateGateway = (deps, given) => {
  const { house, clock, stateDir, uiDir } = deps;
  let config = given;
  const log = deps.log.with({ room: "gateway" });
  const runFile = createRunFile(stateDir);
  const portFile = createPortFile(stateDir);
  const codes = createOneTimeCodes({ clock });
  const token = createGatewayToken({ stateDir, clock, log, onChange: () => inside?.endOf("token") });
  const { webhooks, route: hookRoute } = createWebhooks({ log });

  let inside: Inside | undefined;
  let opening: Promise<Inside> | undefined;
  let stopped: Promise<void> | undefined;
  const open = async (): Promise<Inside> => {
    const createInside = await deps.loadInside();
    inside = createInside({ house, clock, log, uiDir, codes, token, hookRoute }, config);
    if (stopped) inside.close("Mom is stopping");
    return inside;
  };
  /** Who is connected keeps the old one for a moment: the answer to the very edit must still arrive. */
  const replaceInside = async () => {
    const old = await opening?.catch(() => undefined);
    opening = open();
    await opening;
    clock.after(leaveWithinMs, () => {
      old?.close("the gateway's settings have changed");
      clock.after(stopWithinMs, () => old?.terminate());
    });
  };
  const enter = () => (opening ??= open());
  const fail = (error: unknown) => log.error("The gateway could not be loaded", { error });

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await (inside ?? (await enter())).answer(request, response);
    } catch (error) {
      fail(error);
      response.destroy();
    }
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (inside) return inside.upgrade(request, socket, head);
    // Nobody else listens to it yet, and a line that breaks now must not be mom's end.
    socket.on("error", () => socket.destroy());
    enter().then(
      ({ upgrade: go }) => go(request, socket, head),
      (error: unknown) => {
        fail(error);
        socket.destroy();
      },
    );
  };
  const http = createHttpServer({ answer, upgrade, maxConnections: config.maxConnections, log }, deps.httpTimes);

  let url = "";
  let endAnnouncement = () => {};
  const stop = async (reason: string) => {
    endAnnouncement();
    inside?.close(reason);
    const closed = http.close();
    await within(clock, stopWithinMs, closed, () => undefined);
    inside?.terminate();
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
    get watch() {
      return inside?.watch ?? nobodyWatches;
    },
    get screen() {
      return inside?.screen ?? noScreen;
    },
    webhooks,
    async start() {
      await token.prepare();
      const isFree = config.port === undefined;
      const address = await http.listen(config.host, config.port, isFree ? await portFile.read() : undefined);
      url = address.url;
      await runFile.write(url);
      if (isFree) await portFile.write(address.port);
      // Being found is a convenience: mom runs without it.
      await announce(address.port).catch((error: unknown) => log.warn("mDNS does not work here", { error }));
      return { url };
    },
    async createLink() {
      const by = { byName: "the link mom printed", byId: "starter" };
      return `${url}/#code=${codes.create({ role: "operator", scopes, ...by }).code}`;
    },
    async reconfigure(next) {
      const isElsewhere = next.host !== config.host || next.port !== config.port || next.mdns !== config.mdns;
      if (isElsewhere) return false;
      config = next;
      http.setMaxConnections(next.maxConnections);
      if (opening) await replaceInside();
      return true;
    },
    stats: () => inside?.stats() ?? { connections: 0, clients: 0, events: 0, dropped: 0 },
    stop(reason) {
      stopped ??= stop(reason);
      return stopped;
    },
  };
};

const nothing = () => undefined;
const noScreen: ChatScreen = { edited: nothing };
const nobodyWatches: GatewayWatch = {
  said: nothing,
  turnEvent: nothing,
  sent: nothing,
  ended: nothing,
  sessionChanged: nothing,
  approvalRequested: nothing,
  approvalResolved: nothing,
  pairingChanged: nothing,
  channelsChanged: nothing,
  configChanged: nothing,
  cronChanged: nothing,
  heartbeat: nothing,
  memoryChanged: nothing,
};

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
