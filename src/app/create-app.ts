/**
 * The composition root: makes every room, joins them through their ports, starts and stops them in order. Whoever reads
 * this knows who depends on whom; nothing else in the house does.
 */
import { checkSchedule, createWebhooks, listTimes } from "../automation/index.ts";
import { errandAdapter } from "../base/errand-adapter.ts";
import { within } from "../base/within.ts";
import { answerCommand, createCommands, type StatusFacts } from "../commands/index.ts";
import { createConfigSource, formatProblems } from "../config/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Finding } from "../contracts/gateway.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { ModelProvider } from "../contracts/model.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Sessions, Store } from "../contracts/store.ts";
import { createInbound } from "../inbound/index.ts";
import type { Logger } from "../observability/index.ts";
import { createStallMonitor } from "../observability/index.ts";
import { createOutbound } from "../outbound/index.ts";
import { buildRoute, createLanes, mainAgentId, openSession, pickAgent, pickQueueMode } from "../sessions/index.ts";
import { buildLayout, type JsonlFiles, openStore } from "../store/index.ts";
import type { ToolDoors } from "../tools/index.ts";
import { createAdapterSet, type GivenAdapter } from "./adapters.ts";
import { ensureWorkspaces } from "./agents.ts";
import { buildChannelFacts } from "./channel-facts.ts";
import { buildChannelMemory, createChatBook, createHealthBook } from "./channel-records.ts";
import { buildCommandPorts } from "./command-ports.ts";
import { configSchema, defaultConfigText, type MomConfig } from "./config-schema.ts";
import { createAgentRoom } from "./create-agent-room.ts";
import { createAutomation } from "./create-automation.ts";
import { createErrandPorts } from "./create-errand-ports.ts";
import { createHousekeeping } from "./create-housekeeping.ts";
import { createMemoryRoom } from "./create-memory-room.ts";
import { describeDoings } from "./describe-doings.ts";
import { buildLeads } from "./find-leads.ts";
import { forgetErrands } from "./forget-errands.ts";
import { createGatewayWing } from "./gateway/create-gateway-wing.ts";
import { withWebchat } from "./gateway/webchat.ts";
import { createPipeline } from "./pipeline.ts";
import { createHookTaps, withHooks } from "./tell-hooks.ts";
import { createTurnWatch } from "./turn-watch.ts";

export interface AppParts {
  /** Absolute. Made with a commented default config if it is not there. */
  dataDir: string;
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Logger;
  /** Adapters beside the configured ones; one of the same name stands for the configured one. */
  adapters?: readonly GivenAdapter[];
  /** Configured adapters are left out: for a command that speaks through its own. */
  onlyGiven?: boolean;
  /** What `mom doctor` finds, for the gateway. Absent: it has none. */
  examine?(options: { offline: boolean }): Promise<Finding[]>;
  /** Somebody with the right to it wants mom to begin anew: stop, and start again. Absent: that cannot be had. */
  onRestart?(): void;
  /** Stand between the app and its store or models; tests put faults there. */
  wrapStore?(store: Store): Store;
  wrapFiles?(files: JsonlFiles): JsonlFiles;
  wrapModels?(models: ModelProvider): ModelProvider;
}

export interface App {
  /** The config was not there and has just been made. */
  readonly isNew: boolean;
  readonly store: Store;
  /** Where the gateway listens; undefined where none runs. */
  readonly url: string | undefined;
  /** A link that lets one browser in, once; undefined where no gateway runs. */
  createLink(): Promise<string | undefined>;
  status(): Promise<StatusFacts>;
  /** When the turn is over and all its posts are delivered. */
  whenOver(turnId: TurnId): Promise<void>;
  /** Finishes or parks what runs, within ten seconds, and lets go of the data directory. May be called twice. */
  stop(): Promise<void>;
}

const finishMs = 4000;
const deliverMs = 3000;

/** Resolves when messages can come in and everything that a crash left behind has been taken up. */
export async function createApp(parts: AppParts): Promise<App> {
  const { dataDir, version, env, clock, log } = parts;
  const startedAt = clock.monotonic();
  /** What the last edit of the config could not start. */
  let ill: string[] = [];
  const layout = buildLayout(dataDir);

  // Config first: nothing is opened, and no lock taken, for one that cannot be used.
  const config = await createConfigSource({
    dir: dataDir,
    schema: configSchema,
    defaultText: defaultConfigText,
    env,
    clock,
    log,
    learnSecrets: (secrets) => log.addSecrets(secrets),
    apply: (next) => follow(next),
    checkHealth: async () => ill,
    onOutcome(outcome) {
      if (outcome.type === "applied") gateway.watch.configChanged("applied", "");
      if (outcome.type === "invalid") gateway.watch.configChanged("invalid", formatProblems(outcome.problems));
      if (outcome.type === "rolled-back") gateway.watch.configChanged("rolled-back", outcome.reasons.join("; "));
    },
  });
  log.setLevel(config.current.logging.level);
  await ensureWorkspaces(layout, config.current);
  const opened = await openStore({
    layout,
    clock,
    log,
    role: "owner",
    routesOf: (channel) =>
      [mainAgentId, ...Object.keys(config.current.agents)].flatMap((id) => [
        buildRoute(id, { type: "main" }, channel),
        buildRoute(id, { type: "dm", channel }, channel),
        buildRoute(id, { type: "group", channel }, channel),
      ]),
    ...(parts.wrapFiles && { wrapFiles: parts.wrapFiles }),
  });
  const store = parts.wrapStore?.(opened) ?? opened;
  const stalls = createStallMonitor({ clock, log });
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  /** The one that is in use, or being taken into use. */
  let inForce = config.current;

  const facts = buildChannelFacts({ adapters: () => adapters, config: () => config.current.channels });
  const room = await createAgentRoom({
    layout,
    env,
    clock,
    log,
    store,
    doors: () => doors,
    ownDoings: (scope) =>
      describeDoings({ layout, config: inForce, timezone, toToolPath: room.agents.toToolPath }, scope),
    config: config.current,
    learnSecrets: (secrets) => log.addSecrets(secrets),
    directory: facts.directory,
    channelTools: facts.channelTools,
    onPosted: () => outbound.wake(),
    onWaiting: () => lanes.wake(),
    adapter: facts.factsOf,
    ...(parts.wrapModels && { wrapModels: parts.wrapModels }),
  });
  const { agent, models } = room;
  const { hooks } = room.tools;
  const hookTaps = createHookTaps(hooks, store.outbox);
  const told = withHooks(store.sessions, hooks);
  const sessions: Sessions = {
    ...told,
    // A program of the old life would find the new one's records not closed to it yet.
    async reset(key, by, to) {
      await room.tools.endRuns(key);
      const session = await told.reset(key, by, to);
      gateway.watch.sessionChanged(key);
      return session;
    },
    async delete(key, but) {
      const before = await store.sessions.get(key);
      const isGone = await told.delete(key, but);
      if (isGone && before) await room.tools.desk.forgetOutside(before.sessionId);
      return isGone;
    },
    async choose(key, choices) {
      const session = await store.sessions.choose(key, choices);
      gateway.watch.sessionChanged(key);
      return session;
    },
  };
  const { memory, hasNotes } = createMemoryRoom({
    layout,
    clock,
    log,
    store,
    config: () => inForce,
    workspaceDirOf: (agentId) => room.agents.profileOf(agentId).workspaceDir,
    keyOf: room.keyOf,
  });
  /** What earlier turns and people have written is indexed by the time somebody asks. While there are no notes, nothing is started. */
  const noteMemory = async (agentId: string) => {
    if (await hasNotes(agentId)) memory.noteChange(agentId);
  };
  const forgetSession = async (sessionKey: SessionKey) => {
    const session = await store.sessions.get(sessionKey);
    if (!session) return;
    await sessions.delete(sessionKey);
    if (session.channel.adapter === errandAdapter) await store.channels.remove(session.channel);
  };
  const ports = createErrandPorts({ store, clock, adapters: () => adapters, inbound: () => inbound });
  const automation = createAutomation({
    layout,
    clock,
    log,
    store: { ...store, sessions },
    room,
    ports,
    config: () => inForce,
    adapters: () => adapters,
    stopSession: (sessionKey) => pipeline.stop(sessionKey),
    forgetSession,
    onWritten() {
      lanes.wake();
      outbound.wake();
    },
    onHeartbeat: (event) => gateway.watch.heartbeat(event),
    onCronChanged: (jobId) => gateway.watch.cronChanged(jobId),
  });
  const doors: ToolDoors = {
    cron: automation.cron,
    subagents: automation.subagents,
    sessions: automation.subagents.door,
    memory,
    leadsSomewhere: buildLeads({ store, memory: { hasNotes }, config: () => inForce }),
  };

  const status = async (): Promise<StatusFacts> => {
    const resolved = await models.resolve();
    const counts = await store.turns.counts();
    const pending = await store.outbox.list({ states: ["pending", "sending"], limit: 1000 });
    return {
      version,
      model: resolved.type === "model" ? resolved.model.ref : `none (${resolved.message})`,
      uptimeMs: clock.monotonic() - startedAt,
      memoryBytes: process.memoryUsage.rss(),
      running: counts.running,
      waiting: counts.received + counts.queued,
      pendingPosts: pending.length,
      worstStallMs: stalls.snapshot().worstMs,
      adapters: [...adapters.health()].map(([name, { state }]) => ({ name, state })),
    };
  };
  const commands = createCommands(
    buildCommandPorts({
      layout,
      env,
      clock,
      store,
      sessions,
      room,
      config,
      cron: automation.cron,
      memory,
      subagents: automation.subagents,
      adapter: (name) => adapters.started.get(name),
      queueModeOf: (name, session) => queueModeOf(name, session),
      status,
      ...(parts.onRestart && { restart: (after: TurnId) => void watch.whenOver(after).then(parts.onRestart) }),
    }),
  );
  const queueModeOf = (adapterName: string, session: SessionEntry | undefined) =>
    pickQueueMode(config.current.queue, { name: adapterName, type: adapters.typeOf(adapterName) }, session);
  const inbound = createInbound({
    inbox: store.inbox,
    pairings: store.pairings,
    commands,
    clock,
    log,
    buildRoute(kind, channel, senderId) {
      const agentId = pickAgent(config.current.routes, { ...channel, senderId });
      if (kind.type === "main") return buildRoute(agentId, kind, channel);
      // A topic's own id has its chat's in front of it; its session is named after both.
      const chatId = kind.type === "topic" ? channel.channelId.slice(0, -(kind.topicId.length + 1)) : channel.channelId;
      return buildRoute(agentId, { ...kind, channel: { ...channel, channelId: chatId } }, channel);
    },
    queueModeOf: async (origin, sessionKey) => queueModeOf(origin.adapter, await store.sessions.get(sessionKey)),
    onPosted() {
      outbound.wake();
      gateway.watch.pairingChanged();
    },
  });
  const watch = createTurnWatch({ turns: store.turns });
  const { gateway, taps } = createGatewayWing({
    layout,
    version,
    env,
    clock,
    log,
    store,
    sessions,
    room,
    config,
    status,
    whenOver: watch.whenOver,
    examine: parts.examine,
    isStopping: () => isStopping,
    automation: () => ({
      cron: { service: automation.cron, listTimes, checkSchedule },
      heartbeat: automation.heartbeat,
      subagents: automation.subagents,
      ...(config.current.memory.enabled && { memory }),
    }),
    isWarm: () => isWarm,
    later: () => ({
      adapters,
      inbound,
      pipeline: { ...pipeline, stop: stopTalk },
      listCommands: () => commands.list("webchat"),
      wakeLanes: () => lanes.wake(),
      wakeOutbound: () => outbound.wake(),
    }),
  });
  const pipeline = createPipeline({
    store,
    inbound,
    agent,
    log,
    clock,
    async openSession(turn, isBegun) {
      const session = await openSession({ sessions, clock, config: config.current.sessions }, turn, isBegun);
      if (turn.kind === "agent") void noteMemory(session.agentId);
      return session;
    },
    answerCommand: (turn, session, work) =>
      answerCommand(commands, {
        turn,
        session,
        ...work,
        adapterType: adapters.typeOf(turn.adapter),
        isAdmin: adapters.adminsOf(turn.adapter).includes(turn.message.sender.id),
      }),
    adapter: (name) => adapters.started.get(name),
    errands: automation.errands,
    noteOutside: room.tools.desk.noteOutside,
    queueModeOf: (turn, session) => queueModeOf(turn.adapter, session),
    wakeLanes: () => lanes.wake(),
    wakeOutbound: () => outbound.wake(),
    onFinished(turnId) {
      watch.notify();
      void taps.mayBeOver(turnId);
    },
    taps: {
      said(...args) {
        gateway.watch.said(...args);
        hookTaps.said(...args);
      },
      turnEvent(turn, event) {
        taps.turnEvent(turn, event);
        hookTaps.turnEvent(turn, event);
      },
      absorbed: (channel, messages) => void taps.absorbed(channel, messages),
      stopped: (sessionKey) => void taps.stopped(sessionKey),
    },
  });
  /** With whom the session has sent out to work. */
  const stopTalk = async (sessionKey: SessionKey): Promise<number> => {
    const children = await automation.subagents.stopAllOf(sessionKey);
    return children + (await pipeline.stop(sessionKey));
  };
  const lanes = createLanes(
    {
      turns: store.turns,
      clock,
      log,
      run: pipeline.runTurn,
      onLost: pipeline.abandon,
      adapters: () => [...adapters.started.keys(), errandAdapter],
    },
    // A turn that waits for a person takes nobody's place, least of all the one's who answers.
    // Nor do subagents, which have a limit of their own.
    {
      maxConcurrent: () =>
        config.current.queue.maxConcurrent + config.current.subagents.maxParallel + room.tools.waiting(),
    },
  );
  const outbound = createOutbound({
    outbox: store.outbox,
    turns: store.turns,
    clock,
    log,
    adapters: () => adapters.started,
    onSettled(delivery) {
      watch.notify();
      void taps.settled(delivery);
      void hookTaps.settled(delivery.id);
    },
  });

  let hasGateway = !parts.onlyGiven && config.current.gateway.enabled;
  const adapters = createAdapterSet({
    given: parts.adapters ?? [],
    chats: createChatBook(store.kv),
    clock,
    log,
    depsOf: (name, type) => ({
      clock,
      log: log.with({ adapter: name }),
      memory: buildChannelMemory(store.kv, name),
      saveAttachment: (channelId, file) => store.channels.saveAttachment({ adapter: name, channelId }, file),
      commands: () => commands.list(type),
      ...(hasGateway && { screen: gateway.screen, webhooks: gateway.webhooks }),
    }),
    async onMessage(origin, message) {
      await pipeline.receive(origin, message);
      automation.noteChat({ adapter: origin.adapter, channelId: message.channelId });
    },
    async onStop(origin, channelId, senderId) {
      await stopTalk(inbound.routeOf(origin, { channelId, senderId }).sessionKey);
    },
    onStarted() {
      lanes.wake();
      outbound.wake();
      void automation.start();
    },
  });
  async function follow(next: MomConfig): Promise<void> {
    inForce = next;
    log.setLevel(next.logging.level);
    await room.follow(next);
    hasGateway = !parts.onlyGiven && next.gateway.enabled;
    // An adapter that the edit has not touched may be ill for reasons of its own.
    ill = parts.onlyGiven ? [] : await adapters.follow(withWebchat(next));
    if (!parts.onlyGiven) await gateway.follow(next.gateway);
    await automation.follow();
    followHooks(next);
    lanes.wake();
  }

  const webhooks = createWebhooks({
    webhooks: gateway.webhooks,
    kv: store.kv,
    clock,
    log,
    ports,
    async accept(letter) {
      const accepted = await store.inbox.accept(letter);
      lanes.wake();
      return accepted;
    },
    agentIds: () => [...new Set([mainAgentId, ...Object.keys(config.current.agents)])],
    models: { isKnown: async (name) => (await models.resolve(name)).type === "model" },
  });
  const followHooks = (next: MomConfig) => {
    if (!parts.onlyGiven) webhooks.apply(next.hooks);
  };
  const healthBook = createHealthBook({
    kv: store.kv,
    clock,
    log,
    health: adapters.health,
    onChanged: gateway.watch.channelsChanged,
  });
  let isStopping = false;
  let isWarm = false;
  const housekeeping = createHousekeeping({
    store,
    exportsDir: layout.exportsDir,
    tidy: () => forgetErrands({ store, clock, forgetSession }),
    clock,
    log,
  });

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    isStopping = true;
    await config.close();
    await automation.stop();
    webhooks.close();
    healthBook.stop();
    housekeeping.stop();
    stopWatching();
    const waitFor = (work: Promise<void>, ms: number) => within(clock, ms, work, () => undefined);
    const drained = lanes.drain();
    await waitFor(drained, finishMs);
    pipeline.park();
    await waitFor(drained, finishMs / 2);
    await waitFor(outbound.drain(), deliverMs);
    await gateway.stop("Mom is stopping");
    await adapters.stop();
    await memory.close();
    await room.close();
    stalls.stop();
    await store.close();
  };

  const stopWatching = store.onOutsideChange(() => {
    lanes.wake();
    outbound.wake();
    room.tools.desk.recheck();
    automation.scheduler.wake();
  });
  try {
    await adapters.follow(parts.onlyGiven ? {} : withWebchat(config.current));
    if (!parts.onlyGiven) {
      healthBook.start();
      await gateway.follow(config.current.gateway);
      followHooks(config.current);
    }
    await config.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  housekeeping.start();
  // Reading many skills for the first time takes a while that the first message should not wait for.
  if (!parts.onlyGiven) {
    const warming = [room.agents.workspaceOf(mainAgentId).skills(), models.resolve()];
    void Promise.allSettled(warming).then(() => {
      isWarm = true;
    });
  }

  return {
    isNew: config.created,
    store,
    get url() {
      return gateway.url;
    },
    createLink: gateway.createLink,
    status,
    whenOver: watch.whenOver,
    stop: () => (stopping ??= stop()),
  };
}
