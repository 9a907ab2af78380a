/**
 * What mom does on her own: the durable clock, and everybody who puts something on it (jobs, event files, heartbeats,
 * subagents). Joined with the house here; begins when the adapters are up, ends before the turns do.
 */
import { join } from "node:path";
import { createSubagents, type SubagentRoom } from "../agent/index.ts";
import {
  createCronService,
  createEventFiles,
  createHeartbeat,
  createScheduler,
  type EventFiles,
  type Heartbeat,
  pickHeartbeat,
} from "../automation/index.ts";
import { errandAdapter } from "../base/errand-adapter.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Errand } from "../contracts/errand.ts";
import type { ErrandHandler, ErrandPorts } from "../contracts/errand-ports.ts";
import type { HeartbeatEvent } from "../contracts/heartbeat.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { Scheduler } from "../contracts/schedule.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { buildSessionKey, mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import { readWorkspaceFile } from "../workspace/index.ts";
import type { AdapterSet } from "./adapters.ts";
import type { MomConfig } from "./config-schema.ts";
import type { AgentRoom } from "./create-agent-room.ts";
import { createBeginning } from "./create-beginning.ts";
import { tellOfJobs } from "./gateway/house-automation.ts";
import { listEventRoots } from "./list-event-roots.ts";

export interface Automation {
  readonly scheduler: Scheduler;
  readonly cron: ReturnType<typeof tellOfJobs>;
  readonly events: EventFiles;
  readonly heartbeat: Heartbeat;
  readonly subagents: SubagentRoom;
  errands(type: Errand["type"]): ErrandHandler;
  /** Somebody speaks there: the chat may have events of its own. Quick. */
  noteChat(channel: ChannelRef): void;
  /** Makes good what a crash left, then serves what came due meanwhile. Again after every adapter that comes up. */
  start(): Promise<void>;
  /** The config has changed. */
  follow(): Promise<void>;
  stop(): Promise<void>;
}

export interface AutomationParts {
  layout: ReturnType<typeof buildLayout>;
  clock: Clock;
  log: Log;
  store: Store;
  room: AgentRoom;
  ports: ErrandPorts;
  config(): MomConfig;
  adapters(): AdapterSet;
  /** Ends the session's running and waiting turns. */
  stopSession(sessionKey: SessionKey): Promise<unknown>;
  forgetSession(sessionKey: SessionKey): Promise<unknown>;
  /** Letters or posts were written. */
  onWritten(): void;
  onHeartbeat(event: HeartbeatEvent): void;
  onCronChanged(jobId?: string): void;
}

/** Lines of a chat that a heartbeat is shown. */
const talkLines = 6;

export function createAutomation(parts: AutomationParts): Automation {
  const { layout, clock, log, store, room, ports, config, adapters } = parts;
  const scheduler = createScheduler({ due: store.due, clock, log, kv: store.kv });
  const shared = { ...store, scheduler, clock, log, ports };
  const agentIds = () => [...new Set([mainAgentId, ...Object.keys(config().agents)])];
  const isKnownModel = async (name: string) => (await room.models.resolve(name)).type === "model";
  const isPassing = (name: string) => adapters().started.get(name)?.capabilities.isPassing === true;
  const taintOf = room.tools.desk.taintOf;
  // A heartbeat's session and an owner's job are the owner's, like the main one; of others' jobs their own chat is asked.
  const outsideOf = (session: SessionEntry) => taintOf(session, session.type === "main" || session.type === "cron");

  const service = createCronService(
    {
      ...shared,
      agentIds,
      models: { isKnown: isKnownModel },
      isPassing,
      outsideOf,
      onLetters: parts.onWritten,
      beat: async (agentId) => void (await heartbeat.wake(agentId)),
    },
    () => config().cron,
  );
  const cron = tellOfJobs(service, { cronChanged: parts.onCronChanged });
  const heartbeat = createHeartbeat(
    {
      ...shared,
      agents: () =>
        agentIds().map((id) => ({
          id,
          config: pickHeartbeat(config().heartbeat, config().agents[id]?.heartbeat),
          readFile: () => readHeartbeat(room.agents.profileOf(id).workspaceDir),
        })),
      mainSessionOf: (agentId) => buildSessionKey(agentId, { type: "main" }),
      recentTalk: ({ channel }) => store.channels.tail(channel, talkLines),
      async outsideOf(sessionKey) {
        const session = await store.sessions.get(sessionKey);
        return session && outsideOf(session);
      },
      isOverBudget: room.isOverBudget,
      timeZones: () => ({ user: machineZone(), local: machineZone() }),
      wakeLanes: parts.onWritten,
    },
    parts.onHeartbeat,
  );
  /** Chats whose own folders of events are looked at. */
  const chats = new Map<string, ChannelRef>();
  const events = createEventFiles(
    {
      ...shared,
      adapters: () => [...adapters().health().keys()],
      isUnknownChat: ({ adapter, channelId }) =>
        adapters().started.has(adapter) && adapters().originOf(adapter, channelId)?.chat === "unknown",
      roots: () =>
        listEventRoots({
          layout,
          store,
          adapters: adapters(),
          agents: agentIds().map((id) => ({ id, workspaceDir: room.agents.profileOf(id).workspaceDir })),
          chats: [...chats.values()],
        }),
    },
    () => config().events,
  );
  const subagents = createSubagents(
    {
      ...shared,
      sessionKeyOf: (agentId, childId) => buildSessionKey(agentId, { type: "subagent", childId }),
      stopSession: parts.stopSession,
      forgetSession: parts.forgetSession,
      agents: () =>
        agentIds().map((id) => {
          const model = config().agents[id]?.model;
          return { id, ...(model !== undefined && { model }) };
        }),
      isKnownModel,
      isPassing,
      taintOf,
      describeContext: (session) =>
        room.agent.describeContext(session, { adapter: session.lastChannel.adapter, users: [], channels: [] }),
      onLetters: parts.onWritten,
    },
    () => config().subagents,
  );
  const wake = (handler: typeof cron.handler) => ({
    ...handler,
    settled(...args: Parameters<NonNullable<typeof handler.settled>>) {
      handler.settled?.(...args);
      parts.onWritten();
    },
  });
  scheduler.register("cron", wake(cron.handler));
  scheduler.register("event", wake(events.handler));
  scheduler.register("heartbeat", wake(heartbeat.handler));
  scheduler.register("subagent", wake(subagents.handler));
  const handlers: Record<Errand["type"], ErrandHandler> = {
    cron: cron.errands,
    heartbeat: heartbeat.errands,
    subagent: subagents.errands,
    relay: subagents.relay,
  };
  const begin = async () => {
    for (const channel of await store.channels.list()) {
      if (channel.adapter !== errandAdapter) chats.set(toChatKey(channel), channel);
    }
    await subagents.start();
    await cron.start();
    await heartbeat.start();
    await events.start();
  };
  const beginning = createBeginning({ clock, log, begin, go: scheduler.start });
  return {
    scheduler,
    cron,
    events,
    heartbeat,
    subagents,
    errands: (type) => handlers[type],
    noteChat(channel) {
      const key = toChatKey(channel);
      if (!beginning.hasBegun() || chats.has(key)) return;
      chats.set(key, channel);
      void events.look(join(layout.channelFolder(channel), "events")).catch(() => undefined);
    },
    start: beginning.start,
    async follow() {
      await heartbeat.follow();
      await events.look();
      scheduler.wake();
    },
    async stop() {
      await beginning.stop();
      await events.stop();
      await scheduler.stop();
      await cron.stop();
      await heartbeat.stop();
      await subagents.idle();
    },
  };
}

const toChatKey = ({ adapter, channelId }: ChannelRef) => `${adapter} ${channelId}`;

const maxHeartbeatBytes = 32 * 1024;

async function readHeartbeat(workspaceDir: string): Promise<string | undefined> {
  const read = await readWorkspaceFile(workspaceDir, "HEARTBEAT.md", { maxBytes: maxHeartbeatBytes });
  return read.type === "text" ? read.text : undefined;
}

const machineZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
