/**
 * The composition root: makes every room, joins them through their ports, starts and stops them in order. Whoever reads
 * this knows who depends on whom; nothing else in the house does.
 */
import { hostname } from "node:os";
import { createAgent } from "../agent/index.ts";
import { createScheduler } from "../automation/index.ts";
import { within } from "../base/within.ts";
import { answerCommand, createCommands, type StatusFacts } from "../commands/index.ts";
import { createConfigSource } from "../config/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { ModelProvider } from "../contracts/model.ts";
import type { Store } from "../contracts/store.ts";
import type { Toolbox } from "../contracts/tool.ts";
import { createInbound } from "../inbound/index.ts";
import { createModels } from "../models/index.ts";
import type { Logger } from "../observability/index.ts";
import { createStallMonitor } from "../observability/index.ts";
import { createOutbound } from "../outbound/index.ts";
import { createHostExecutor, loadPrograms } from "../sandbox/index.ts";
import { buildChatRoute, buildMainRoute, createLanes } from "../sessions/index.ts";
import { buildLayout, type JsonlFiles, openStore } from "../store/index.ts";
import { createToolbox } from "../tools/index.ts";
import { ensureWorkspace } from "../workspace/index.ts";
import { createAdapterSet, type GivenAdapter } from "./adapters.ts";
import { configSchema, defaultConfigText, type MomConfig } from "./config-schema.ts";
import { createPipeline } from "./pipeline.ts";
import { createSwitch } from "./switch.ts";
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
  /** Stand between the app and its store or models; tests put faults there. */
  wrapStore?(store: Store): Store;
  wrapFiles?(files: JsonlFiles): JsonlFiles;
  wrapModels?(models: ModelProvider): ModelProvider;
}

export interface App {
  /** The config was not there and has just been made. */
  readonly isNew: boolean;
  readonly store: Store;
  status(): Promise<StatusFacts>;
  /** When the turn is over and all its posts are delivered. */
  whenOver(turnId: TurnId): Promise<void>;
  /** Finishes or parks what runs, within ten seconds, and lets go of the data directory. May be called twice. */
  stop(): Promise<void>;
}

const agentId = "main";
const finishMs = 4000;
const deliverMs = 3000;
const keepFinishedMs = 30 * 24 * 3600_000;
const pruneEveryMs = 6 * 3600_000;

/** Resolves when messages can come in and everything that a crash left behind has been taken up. */
export async function createApp(parts: AppParts): Promise<App> {
  const { dataDir, version, env, clock, log } = parts;
  const startedAt = clock.monotonic();
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
    checkHealth: async () => listIllAdapters(),
  });
  log.setLevel(config.current.logging.level);
  await ensureWorkspace(layout.workspaceDir);
  const opened = await openStore({
    layout,
    clock,
    log,
    role: "owner",
    routesOf: (channel) => [
      buildMainRoute(agentId, channel),
      buildChatRoute(agentId, "dm", channel),
      buildChatRoute(agentId, "group", channel),
    ],
    ...(parts.wrapFiles && { wrapFiles: parts.wrapFiles }),
  });
  const store = parts.wrapStore?.(opened) ?? opened;
  const stalls = createStallMonitor({ clock, log });

  const buildModels = ({ models }: MomConfig) => {
    const created = createModels({ clock, log, env }, models);
    return parts.wrapModels?.(created) ?? created;
  };
  const models = createSwitch<ModelProvider>(buildModels(config.current));
  const executor = createHostExecutor({ clock, log, programs: await loadPrograms(), environment: env });
  const scheduler = createScheduler({
    schedules: store.schedules,
    clock,
    log,
    toLetter(adapterName, message) {
      const origin = adapters.originOf(adapterName, message.channelId);
      return origin && inbound.toLetter(origin, message);
    },
    onLetter: () => lanes.wake(),
    isPassing: (name) => adapters.started.get(name)?.capabilities.isPassing === true,
    adapters: () => [...adapters.started.keys()],
  });
  const buildToolbox = ({ tools, sandbox }: MomConfig) =>
    createToolbox(
      {
        executor,
        outbox: store.outbox,
        scheduler,
        clock,
        log,
        workspaceDir: layout.workspaceDir,
        channelFolder: layout.channelFolder,
        hiddenPaths: layout.hostOnlyPaths,
      },
      { ...tools, roots: sandbox.roots },
    );
  const toolbox = createSwitch<Toolbox>(buildToolbox(config.current));
  const agent = createAgent({
    models: models.port,
    toolbox: toolbox.port,
    inbox: store.inbox,
    sessions: store.sessions,
    transcripts: store.transcripts,
    clock,
    log,
    surroundings: {
      workspaceDir: layout.workspaceDir,
      channelFolder: layout.channelFolder,
      adapterType: (name) => adapters.typeOf(name),
      host: { name: hostname(), os: process.platform, arch: process.arch, node: process.version },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  });

  const status = async (): Promise<StatusFacts> => {
    const resolved = await models.port.resolve();
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
      adapters: [...adapters.started.values()].map((each) => ({ name: each.name, state: each.health().state })),
    };
  };
  const commands = createCommands({ sessions: store.sessions, status });
  const inbound = createInbound({
    inbox: store.inbox,
    commands,
    log,
    mainRoute: (channel) => buildMainRoute(agentId, channel),
    chatRoute: (type, channel) => buildChatRoute(agentId, type, channel),
  });
  const watch = createTurnWatch({ turns: store.turns });
  const pipeline = createPipeline({
    store,
    inbound,
    agent,
    log,
    clock,
    answerCommand: (turn, session) =>
      answerCommand(commands, { turn, session, adapterType: adapters.typeOf(turn.adapter) }),
    adapter: (name) => adapters.started.get(name),
    mayAbsorb: () => config.current.queue.mode === "steer",
    wakeLanes: () => lanes.wake(),
    wakeOutbound: () => outbound.wake(),
    onFinished: () => watch.notify(),
  });
  const lanes = createLanes(
    {
      turns: store.turns,
      clock,
      log,
      run: pipeline.runTurn,
      onLost: pipeline.abandon,
      adapters: () => [...adapters.started.keys()],
    },
    { maxConcurrent: () => config.current.queue.maxConcurrent },
  );
  const outbound = createOutbound({
    outbox: store.outbox,
    clock,
    log,
    adapters: () => adapters.started,
    onSettled: () => watch.notify(),
  });

  const adapters = createAdapterSet({
    given: parts.adapters ?? [],
    log,
    channelDeps: { clock, log },
    async onMessage(origin, message) {
      await pipeline.receive(origin, message);
    },
    async onStop(origin, channelId, senderId) {
      await pipeline.stop(inbound.routeOf(origin, channelId, senderId).sessionKey);
    },
    onStarted() {
      lanes.wake();
      outbound.wake();
      void scheduler.start().catch((error: unknown) => log.error("Schedules cannot be read", { error }));
    },
  });
  async function follow(next: MomConfig): Promise<void> {
    log.setLevel(next.logging.level);
    models.use(buildModels(next));
    toolbox.use(buildToolbox(next));
    if (!parts.onlyGiven) await adapters.follow(next.adapters);
    lanes.wake();
  }
  function listIllAdapters(): string[] {
    return [...adapters.started.values()].flatMap((each) => {
      const { state, detail } = each.health();
      return state === "failed" ? [`${each.name}: ${detail ?? "failed"}`] : [];
    });
  }

  let isStopping = false;
  let cancelPrune = () => {};
  const prune = async () => {
    try {
      while (!isStopping && (await store.prune(clock.now() - keepFinishedMs)) > 0) await clock.sleep(100);
    } catch (error) {
      log.warn("Old rows could not be dropped", { error });
    }
    if (!isStopping) cancelPrune = clock.after(pruneEveryMs, () => void prune());
  };

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    isStopping = true;
    await config.close();
    scheduler.stop();
    cancelPrune();
    stopWatching();
    const waitFor = (work: Promise<void>, ms: number) => within(clock, ms, work, () => undefined);
    const drained = lanes.drain();
    await waitFor(drained, finishMs);
    pipeline.park();
    await waitFor(drained, finishMs / 2);
    await waitFor(outbound.drain(), deliverMs);
    await adapters.stop();
    await executor.close();
    stalls.stop();
    await store.close();
  };

  const stopWatching = store.onOutsideChange(() => {
    lanes.wake();
    outbound.wake();
  });
  try {
    await adapters.follow(parts.onlyGiven ? {} : config.current.adapters);
    await config.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  cancelPrune = clock.after(60_000, () => void prune());

  return {
    isNew: config.created,
    store,
    status,
    whenOver: watch.whenOver,
    stop: () => (stopping ??= stop()),
  };
}
