/**
 * The gateway as the app has it: started by the config, exchanged when its part of the config changes, and told of everything
 * that happens. Whoever tells it need not know whether one runs.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../contracts/clock.ts";
import type { ChatScreen, GatewayHouse, GatewayWatch, Webhooks } from "../../contracts/gateway.ts";
import { type GatewayConfig, loadGateway, type RunningGateway } from "../../gateway/index.ts";
import type { Logger } from "../../observability/index.ts";

export interface GatewayRoom {
  readonly watch: GatewayWatch;
  readonly screen: ChatScreen;
  /** What is opened here stays open when the gateway is exchanged. */
  readonly webhooks: Webhooks;
  /** Absent: none runs. */
  readonly url: string | undefined;
  /** Undefined: none runs. */
  createLink(): Promise<string | undefined>;
  /** Starts, exchanges or stops it. Rejects with a coded error when it cannot listen. */
  follow(config: GatewayConfig): Promise<void>;
  stop(reason: string): Promise<void>;
}

interface GatewayRoomParts {
  /** Asked when a gateway is made. */
  house(): GatewayHouse;
  stateDir: string;
  /** The built web UI. Absent: there is none, and the page says so. */
  uiDir: string | undefined;
  clock: Clock;
  log: Logger;
}

const leaveWithinMs = 500;

type Hook = Parameters<Webhooks["open"]>[1];

export function createGatewayRoom({ house, stateDir, uiDir, clock, log }: GatewayRoomParts): GatewayRoom {
  const hooks = new Map<string, { hook: Hook; close: () => void }>();
  let running: { gateway: RunningGateway; config: GatewayConfig; url: string } | undefined;

  const stop = async (reason: string) => {
    const { gateway } = running ?? {};
    running = undefined;
    await gateway?.stop(reason);
  };
  const start = async (config: GatewayConfig): Promise<NonNullable<typeof running>> => {
    const createGateway = await loadGateway();
    const gateway = createGateway({ house: house(), clock, log, stateDir, uiDir }, config);
    const { url } = await gateway.start();
    for (const [name, open] of hooks) open.close = gateway.webhooks.open(name, open.hook);
    // Nobody writes it into the log; should a request ever do, it is not seen there.
    const token = await readFile(join(stateDir, "gateway-token"), "utf8").catch(() => "");
    log.addSecrets([token.trim()]);
    return { gateway, config, url };
  };
  /** The new one listens before the old one ends, so that one that cannot be had changes nothing. */
  const move = async (old: NonNullable<typeof running>, config: GatewayConfig) => {
    // The same port can be had only once: there the old one must go first, and who is connected comes back by itself.
    if (config.port === old.config.port && config.port !== 0) await stop("the gateway's settings have changed");
    running = await start(config);
    // The answer to the very edit must still arrive.
    clock.after(leaveWithinMs, () => void old.gateway.stop("the gateway has moved"));
  };
  return {
    watch: buildWatch(() => running?.gateway.watch),
    screen: { edited: (...edit) => running?.gateway.screen.edited(...edit) },
    webhooks: {
      open(name, hook) {
        const open = { hook, close: running?.gateway.webhooks.open(name, hook) ?? (() => undefined) };
        hooks.set(name, open);
        return () => {
          if (hooks.get(name) === open) hooks.delete(name);
          open.close();
        };
      },
    },
    get url() {
      return running?.url;
    },
    async createLink() {
      return running?.gateway.createLink();
    },
    async follow(config) {
      if (running && isDeepStrictEqual(running.config, config)) return;
      if (!config.enabled) return stop("the gateway was switched off");
      if (!running) running = await start(config);
      else if (await running.gateway.reconfigure(config)) running = { ...running, config };
      else await move(running, config);
    },
    stop,
  };
}

function buildWatch(watch: () => GatewayWatch | undefined): GatewayWatch {
  return {
    said: (...args) => watch()?.said(...args),
    turnEvent: (...args) => watch()?.turnEvent(...args),
    sent: (...args) => watch()?.sent(...args),
    ended: (...args) => watch()?.ended(...args),
    sessionChanged: (...args) => watch()?.sessionChanged(...args),
    approvalRequested: (...args) => watch()?.approvalRequested(...args),
    approvalResolved: (...args) => watch()?.approvalResolved(...args),
    pairingChanged: () => watch()?.pairingChanged(),
    channelsChanged: () => watch()?.channelsChanged(),
    configChanged: (...args) => watch()?.configChanged(...args),
    cronChanged: (...args) => watch()?.cronChanged(...args),
    heartbeat: (...args) => watch()?.heartbeat(...args),
    memoryChanged: (...args) => watch()?.memoryChanged(...args),
  };
}
