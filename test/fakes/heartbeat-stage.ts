/** A house for heartbeats: the real store, scheduler and heartbeat on a fake clock; the test plays the owner's chat and the model. */
import type { TestContext } from "node:test";
import { createHeartbeat, type Heartbeat } from "../../src/automation/heartbeat/create-heartbeat.ts";
import type { HeartbeatDeps } from "../../src/automation/heartbeat/heartbeat-deps.ts";
import { createScheduler } from "../../src/automation/scheduler.ts";
import { errandAdapter } from "../../src/base/errand-adapter.ts";
import { deliveryIdOf, newEntryId } from "../../src/base/ids.ts";
import type { Errand, Principal } from "../../src/contracts/errand.ts";
import type { ErrandPorts, ErrandResult } from "../../src/contracts/errand-ports.ts";
import type { HeartbeatConfig, HeartbeatEvent } from "../../src/contracts/heartbeat.ts";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { ChannelMessage, LogLine } from "../../src/contracts/message.ts";
import type { Scheduler } from "../../src/contracts/schedule.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { Letter, Store } from "../../src/contracts/store.ts";
import type { ClaimedTurn } from "../../src/contracts/turn.ts";
import { buildErrandLetter, openSession } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock } from "./clock.ts";
import { createRecordingLog } from "./log.ts";
import { createTempFolder } from "./temp-folder.ts";

export const mainKey = "agent:main:main" as SessionKey;
export const ownerChat = { adapter: "slack", channelId: "D1" };
export const owner: Principal = {
  channel: ownerChat,
  sender: { id: "U1", username: "ann" },
  sessionKey: mainKey,
  sessionType: "main",
  agentId: "main",
};
const leaseMs = 60_000;

/** What the test may change between beats. */
export interface HeartbeatScene {
  file: string | undefined;
  config: HeartbeatConfig;
  owner: Principal | undefined;
  talk: LogLine[];
  isOverBudget: boolean;
  /** By session: where its text came from. */
  outside: Map<string, string>;
  /** Adapters that run. */
  running: Set<string>;
  hasAgent: boolean;
}

export interface HeartbeatStage {
  readonly scene: HeartbeatScene;
  readonly store: Store;
  readonly heartbeat: Heartbeat;
  readonly scheduler: Scheduler;
  readonly deps: HeartbeatDeps;
  readonly events: HeartbeatEvent[];
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly dir: string;
  /** How often letters were told of. */
  readonly wakes: () => number;
  /** The owner says something in a chat; the turn is open until it is claimed and finished. */
  say(
    text: string,
    more?: Partial<{ id: string; channel: { adapter: string; channelId: string }; isHeard: true; outside: string }>,
  ): Promise<void>;
  /** Ends every open turn of people. */
  finishTalk(): Promise<void>;
  /** The next errand, begun: its session is open and has a line. */
  claim(): Promise<ClaimedTurn & { errand: Errand }>;
  /** The model's part: `end`, its rows, `ended`. A crash leaves `ended` out, or both after `end`. */
  answer(
    reply: string,
    more?: Partial<ErrandResult> & { crash?: "before-finish" | "before-ended" },
  ): Promise<ClaimedTurn>;
  /** Ends the process as it stands and starts a new one. */
  restart(): Promise<void>;
}

export const config: HeartbeatConfig = { everyMs: 300_000, prompt: "Look.", target: "last", ackMaxChars: 100 };

export async function createHeartbeatStage(
  test: TestContext,
  startMs = Date.UTC(2026, 0, 15, 12),
): Promise<HeartbeatStage> {
  const { dir } = await createTempFolder(test);
  const clock = createFakeClock(startMs);
  const log = createRecordingLog();
  const events: HeartbeatEvent[] = [];
  let wakes = 0;
  const scene: HeartbeatScene = {
    file: "# Heartbeat\n- is the oven on?\n",
    config: { ...config },
    owner,
    talk: [],
    isOverBudget: false,
    outside: new Map(),
    running: new Set(["slack", "terminal"]),
    hasAgent: true,
  };
  const open = async () => {
    const store = await openStore({ layout: buildLayout(dir), clock, log, role: "owner", routesOf: () => [] });
    const scheduler = createScheduler({ due: store.due, clock, log, kv: store.kv });
    const { due, turns, inbox, outbox, sessions, transcripts, kv } = store;
    const deps: HeartbeatDeps = {
      ...{ due, turns, inbox, outbox, sessions, transcripts, kv, clock, log, scheduler },
      ports: buildPorts(scene, () => clock.now()),
      agents: () => (scene.hasAgent ? [{ id: "main", config: scene.config, readFile: async () => scene.file }] : []),
      mainSessionOf: () => mainKey,
      recentTalk: async () => scene.talk,
      outsideOf: async (key) => scene.outside.get(key),
      isOverBudget: async () => scene.isOverBudget,
      timeZones: () => ({ user: "Europe/Vienna", local: "UTC" }),
      wakeLanes: () => void wakes++,
    };
    const heartbeat = createHeartbeat(deps, (event) => void events.push(event));
    scheduler.register("heartbeat", heartbeat.handler);
    await heartbeat.start();
    await scheduler.start();
    return { store, scheduler, deps, heartbeat };
  };
  let house = await open();
  const close = async () => {
    await house.scheduler.stop();
    await house.heartbeat.stop();
    await house.store.close();
  };
  test.after(close);

  const claim = async () => {
    const turn = await house.store.turns.claim(leaseMs, [errandAdapter]);
    const errand = turn?.message.errand;
    if (!turn || !errand) throw new Error("No beat waits");
    const steps = await house.store.turns.steps(turn);
    await openSession({ sessions: house.store.sessions, clock, config: {} }, turn, steps.length > 0);
    const timestamp = new Date(clock.now()).toISOString();
    const message = { role: "user" as const, content: turn.message.text, timestamp: clock.now() };
    const entries = [{ type: "message" as const, id: newEntryId(), timestamp, message }];
    if (steps.length === 0)
      await house.store.turns.record(turn, { body: { type: "input", seenSeq: turn.seq }, entries });
    return { ...turn, errand };
  };

  return {
    scene,
    get store() {
      return house.store;
    },
    get heartbeat() {
      return house.heartbeat;
    },
    get scheduler() {
      return house.scheduler;
    },
    get deps() {
      return house.deps;
    },
    events,
    clock,
    log,
    dir,
    wakes: () => wakes,
    async say(text, { id = `m${clock.now()}`, channel = ownerChat, isHeard, outside } = {}) {
      const route: SessionRoute = { sessionKey: mainKey, type: "main", agentId: "main", channel };
      const message = {
        ...toMessage(owner.sender, channel.channelId, id, text, clock.now()),
        ...(outside !== undefined && { metadata: { outside } }),
      };
      const verdict: Letter["verdict"] = isHeard
        ? { type: "heard" }
        : { type: "turn", kind: "agent", lane: mainKey, route };
      await house.store.inbox.accept({ adapter: channel.adapter, message, verdict });
    },
    async finishTalk() {
      for (;;) {
        const turn = await house.store.turns.claim(leaseMs, ["slack", "terminal"]);
        if (!turn) return;
        await house.store.sessions.open(turn.route);
        await house.store.turns.record(turn, { body: { type: "input", seenSeq: turn.seq }, entries: [] });
        await house.store.turns.finish(turn, { outcome: "done", deliveries: [] });
      }
    },
    claim,
    async answer(reply, { crash, ...more } = {}) {
      const { errand, ...turn } = await claim();
      const result: ErrandResult = { outcome: "done", reply, ...more };
      const { deliveries, letters } = await house.heartbeat.errands.end(errand, turn, result);
      if (crash === "before-finish") return turn;
      const { outcome, error } = result;
      await house.store.turns.finish(turn, { outcome, deliveries, letters, ...(error !== undefined && { error }) });
      if (crash === undefined) await house.heartbeat.errands.ended?.(errand, turn, result);
      return turn;
    },
    async restart() {
      await close();
      house = await open();
    },
  };
}

function toMessage(
  sender: { id: string; username: string },
  channelId: string,
  id: string,
  text: string,
  nowMs: number,
): ChannelMessage {
  const timestamp = new Date(nowMs).toISOString();
  return { id, channelId, timestamp, sender: { ...sender, isBot: false }, text, attachments: [], isMention: true };
}

function buildPorts(scene: HeartbeatScene, now: () => number): ErrandPorts {
  return {
    toErrandLetter: (errand, parts) => buildErrandLetter(errand, parts, now()),
    async toChatLetter({ channel, sender }, { id, text, outside, isHeard }) {
      if (!scene.running.has(channel.adapter)) return undefined;
      const message = toMessage(sender, channel.channelId, id, text, now());
      const metadata = outside === undefined ? {} : { metadata: { outside } };
      const verdict: Letter["verdict"] = isHeard ? { type: "heard" } : { type: "refused", reason: "not in this play" };
      return { adapter: channel.adapter, message: { ...message, ...metadata }, verdict };
    },
    principalOf: async ({ channel, sender }) => ({
      channel,
      sender,
      sessionKey: `agent:main:group:${channel.adapter}:${channel.channelId}` as SessionKey,
      sessionType: "group",
      agentId: "main",
    }),
    ownerOf: async () => scene.owner,
    planPosts: (channel, markdown, id, turnId) =>
      scene.running.has(channel.adapter)
        ? [{ id: deliveryIdOf(id, 0), channel, body: { type: "text", text: markdown }, ...(turnId && { turnId }) }]
        : [],
    isRunning: (adapter) => scene.running.has(adapter),
  };
}
