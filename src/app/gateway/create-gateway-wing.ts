/**
 * Everything of the app that stands around the gateway: the house behind its methods, what it is told, and its life. The
 * rooms that it speaks of are made after it, so it asks for them when it needs them.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Finding, HouseStatus } from "../../contracts/gateway.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { SessionRoute } from "../../contracts/session.ts";
import type { Sessions, Store } from "../../contracts/store.ts";
import type { Inbound } from "../../inbound/index.ts";
import type { Logger } from "../../observability/index.ts";
import { buildRoute, mainAgentId } from "../../sessions/index.ts";
import type { buildLayout } from "../../store/index.ts";
import type { AdapterSet } from "../adapters.ts";
import type { MomConfig } from "../config-schema.ts";
import type { AgentRoom } from "../create-agent-room.ts";
import type { Pipeline } from "../pipeline.ts";
import { createGatewayRoom, type GatewayRoom } from "./create-gateway-room.ts";
import { createHouse, type HouseParts } from "./create-house.ts";
import { createTaps, type Taps } from "./create-taps.ts";
import { findUi, findWebchat, webchatName } from "./webchat.ts";

export interface GatewayWing {
  readonly gateway: GatewayRoom;
  readonly taps: Taps;
}

export interface GatewayWingParts {
  layout: ReturnType<typeof buildLayout>;
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Logger;
  store: Store;
  sessions: Sessions;
  room: AgentRoom;
  config: { readonly current: MomConfig; reload: HouseParts["reload"] };
  status(): Promise<HouseStatus>;
  whenOver(turnId: TurnId): Promise<void>;
  examine: ((options: { offline: boolean }) => Promise<Finding[]>) | undefined;
  isStopping(): boolean;
  /** Jobs, heartbeats, subagents, memory; asked when a gateway is made. Absent: there are none. */
  automation?: HouseParts["automation"];
  /** Everything that is read once has been read. */
  isWarm(): boolean;
  later(): {
    adapters: AdapterSet;
    inbound: Inbound;
    pipeline: Pipeline;
    listCommands: HouseParts["listCommands"];
    wakeLanes(): void;
    wakeOutbound(): void;
  };
}

const mainChat = "main";
const ownerId = "owner";

export function createGatewayWing(parts: GatewayWingParts): GatewayWing {
  const { layout, env, clock, log, store, later } = parts;
  const webchat = () => findWebchat(later().adapters.started);
  const routeOf = (channel: ChannelRef): SessionRoute | undefined => {
    const origin = later().adapters.originOf(channel.adapter, channel.channelId);
    return origin && later().inbound.routeOf(origin, { channelId: channel.channelId, senderId: ownerId });
  };
  const gateway = createGatewayRoom({
    house: () => createHouse(buildParts()),
    stateDir: layout.stateDir,
    uiDir: findUi(),
    clock,
    log,
  });
  const taps = createTaps({
    store,
    watch: gateway.watch,
    clock,
    log,
    sessionOfChat: (channel) => (channel.adapter === webchat()?.name ? routeOf(channel)?.sessionKey : undefined),
  });
  const buildParts = (): HouseParts => {
    const { room, config, isStopping, isWarm } = parts;
    const { adapters, pipeline, listCommands, wakeLanes, wakeOutbound } = later();
    return {
      ...parts,
      dataDir: layout.dataDir,
      workspaceDir: layout.workspaceDir,
      logsDir: layout.logsDir,
      ownerName: env["USER"] || env["USERNAME"] || ownerId,
      models: room.models,
      auth: room.authFile,
      workspaceOf: room.agents.workspaceOf,
      learnSecrets: (secrets) => log.addSecrets(secrets),
      isRunning: room.agent.isRunning,
      endRuns: room.tools.endRuns,
      answerApproval: room.tools.desk.answer,
      config: () => config.current,
      reload: config.reload,
      health: adapters.health,
      typeOf: adapters.typeOf,
      forgetChat: adapters.forgetChat,
      adapter: (name) => adapters.started.get(name),
      webchat,
      mainRoute() {
        const channel = { adapter: webchat()?.name ?? webchatName, channelId: mainChat };
        return routeOf(channel) ?? buildRoute(mainAgentId, { type: "main" }, channel);
      },
      isStopping,
      isReady: () => isWarm() && !isStopping(),
      listCommands,
      stop: pipeline.stop,
      wakeLanes,
      wakeOutbound,
      onSaid: gateway.watch.said,
      onChanged: gateway.watch.sessionChanged,
      onMemory: gateway.watch.memoryChanged,
    };
  };
  return { gateway, taps };
}
