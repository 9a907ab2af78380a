/** Jobs on a real store and a real scheduler, with a clock that the test moves, a house that admits as it says, and crashes. */

import type { TestContext } from "node:test";
import type { CronConfig } from "../../src/automation/cron/config.ts";
import { createCronService, type RunningCronService } from "../../src/automation/cron/create-cron-service.ts";
import { createScheduler } from "../../src/automation/scheduler.ts";
import type { NewCronJob } from "../../src/contracts/cron.ts";
import type { ErrandPorts, ErrandResult } from "../../src/contracts/errand-ports.ts";
import type { DeliveryId, SessionKey } from "../../src/contracts/ids.ts";
import type { ChannelRef } from "../../src/contracts/message.ts";
import type { Letter, Store } from "../../src/contracts/store.ts";
import { buildErrandLetter } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { crashAt, type DueCrash } from "./crash-at.ts";
import { createRecordingLog } from "./log.ts";
import { createTempFolder } from "./temp-folder.ts";

export const homeChat: ChannelRef = { adapter: "slack", channelId: "C1" };
export const asker = { id: "U1", username: "ann" };
export const ownerChat: ChannelRef = { adapter: "slack", channelId: "D1" };

export interface CronLife {
  store: Store;
  cron: RunningCronService;
  /** Serves what is due now. */
  look(): Promise<void>;
  /** Moves time on; what comes due on the way is served in its order. */
  pass(ms: number): Promise<void>;
  /** Does the next turn as the agent would; undefined: none waits. `dies`: after its end was asked for, before it is written. */
  work(result?: Partial<ErrandResult>, dies?: "before-finish" | "before-ended"): Promise<string | undefined>;
  /** Turns so far, oldest first: `chat text`. */
  turns(): Promise<string[]>;
  heard(channel?: ChannelRef): Promise<string[]>;
  /** Posts so far: `chat text`. */
  posts(): Promise<string[]>;
  /** Oldest due time first: `time state reason`. */
  ledger(id: string): Promise<string[]>;
  end(): Promise<void>;
}

export interface CronStage {
  clock: FakeClock;
  log: ReturnType<typeof createRecordingLog>;
  running: Set<string>;
  /** By sender id: why they may not talk. */
  refusals: Map<string, string>;
  config: CronConfig;
  beats: string[];
  sessionType: "main" | "group";
  dir: string;
  begin(crash?: DueCrash): Promise<CronLife>;
}

export async function openCronStage(context: TestContext, startMs = Date.UTC(2026, 0, 1)): Promise<CronStage> {
  const { dir } = await createTempFolder(context);
  const clock = createFakeClock(startMs);
  const log = createRecordingLog();
  const stage: CronStage = {
    clock,
    log,
    running: new Set(["slack"]),
    refusals: new Map(),
    config: { enabled: true, maxLatenessMinutes: 1440 },
    beats: [],
    sessionType: "group",
    dir,
    begin: (crash) => begin(stage, crash),
  };
  return stage;
}

async function begin(stage: CronStage, crash?: DueCrash): Promise<CronLife> {
  const { clock, log, dir } = stage;
  const store = await openStore({ layout: buildLayout(dir), clock, log, role: "owner", routesOf: () => [] });
  const due = crash ? crashAt(store.due, crash) : store.due;
  const scheduler = createScheduler({ due, clock, log, kv: store.kv });
  const cron = createCronService(
    {
      due,
      scheduler,
      turns: store.turns,
      sessions: store.sessions,
      clock,
      log,
      ports: buildPorts(stage),
      agentIds: () => ["main", "coder"],
      models: { isKnown: async (name) => name === "fake/one" },
      isPassing: (adapter) => adapter === "once",
      outsideOf: async () => undefined,
      onLetters: () => undefined,
      beat: async (agentId) => void stage.beats.push(agentId),
    },
    () => stage.config,
  );
  scheduler.register("cron", cron.handler);
  return {
    store,
    cron,
    async look() {
      await cron.start().catch(() => undefined);
      await scheduler.start();
      await clock.advance(0);
    },
    pass: (ms) => clock.advance(ms),
    work: (result, dies) => work(store, cron, result, dies),
    async turns() {
      const turns = await store.turns.list({ limit: 1000 });
      return turns.toSorted((a, b) => a.seq - b.seq).map(({ message }) => `${message.channelId} ${message.text}`);
    },
    async heard(channel = homeChat) {
      const lines = await store.inbox.unseen("agent:main:nobody" as SessionKey, channel, 2 ** 40, 1000);
      return lines.map(({ text }) => text);
    },
    async posts() {
      const posts = await store.outbox.list({ limit: 1000 });
      const sorted = posts.toSorted((a, b) => a.seq - b.seq);
      return sorted.map(({ channel, body }) => `${channel.channelId} ${body.type === "text" ? body.text : body.type}`);
    },
    async ledger(id) {
      const rows = await store.due.ledger({ source: "cron", id, limit: 1000 });
      return rows.toReversed().map(({ dueAt, state, reason = "" }) => {
        return `${new Date(dueAt).toISOString()} ${state} ${reason}`.trim();
      });
    },
    async end() {
      await cron.stop();
      await scheduler.stop().catch(() => undefined);
      await store.close();
    },
  };
}

async function work(
  store: Store,
  cron: RunningCronService,
  given: Partial<ErrandResult> = {},
  dies?: "before-finish" | "before-ended",
): Promise<string | undefined> {
  const turn = await store.turns.claim(60_000, ["slack", "errands"]);
  if (!turn) return undefined;
  const result: ErrandResult = { outcome: "done", reply: "all is well", ...given };
  const { errand } = turn.message;
  const error = result.error === undefined ? {} : { error: result.error };
  const end = errand ? await cron.errands.end(errand, turn, result) : { deliveries: [], letters: [] };
  if (dies === "before-finish") {
    await store.turns.release(turn);
    return turn.message.text;
  }
  await store.turns.finish(turn, { outcome: result.outcome, ...error, ...end });
  if (errand && dies !== "before-ended") await cron.errands.ended?.(errand, turn, result);
  return turn.message.text;
}

const keyOf = ({ adapter, channelId }: ChannelRef) => `agent:main:group:${adapter}:${channelId}` as SessionKey;

/** The house as jobs see it: everybody is admitted where the test does not refuse. */
function buildPorts(stage: CronStage): ErrandPorts {
  const { running, refusals, clock } = stage;
  const toChatLetter: ErrandPorts["toChatLetter"] = async ({ channel, sender }, { id, text, outside, isHeard }) => {
    if (!running.has(channel.adapter)) return undefined;
    const message: Letter["message"] = {
      id,
      channelId: channel.channelId,
      timestamp: new Date(clock.now()).toISOString(),
      sender: { ...sender, isBot: false },
      text,
      attachments: [],
      isMention: true,
      ...(outside !== undefined && { metadata: { outside } }),
    };
    const reason = refusals.get(sender.id);
    const route = { sessionKey: keyOf(channel), type: stage.sessionType, agentId: "main", channel };
    if (reason !== undefined) return { adapter: channel.adapter, message, verdict: { type: "refused", reason } };
    if (isHeard) return { adapter: channel.adapter, message, verdict: { type: "heard" } };
    const verdict = { type: "turn", kind: "agent", lane: route.sessionKey, route } as const;
    return { adapter: channel.adapter, message, verdict };
  };
  return {
    toErrandLetter: (errand, parts) => buildErrandLetter(errand, parts, clock.now()),
    toChatLetter,
    async principalOf({ channel, sender }) {
      if (!running.has(channel.adapter) || refusals.has(sender.id)) return undefined;
      return { channel, sender, sessionKey: keyOf(channel), sessionType: stage.sessionType, agentId: "main" };
    },
    async ownerOf(agentId) {
      if (!running.has(ownerChat.adapter) || agentId !== "main") return undefined;
      return { channel: ownerChat, sender: asker, sessionKey: keyOf(ownerChat), sessionType: "main", agentId };
    },
    planPosts(channel, markdown, id, turnId) {
      if (!running.has(channel.adapter)) return [];
      const body = { type: "text", text: markdown } as const;
      return [{ id: `${turnId ?? id}.0` as DeliveryId, channel, ...(turnId !== undefined && { turnId }), body }];
    },
    isRunning: (adapter) => running.has(adapter),
  };
}

/** A word to the home chat. */
export const buildWord = (more: Partial<NewCronJob> = {}): NewCronJob => ({
  name: "tea",
  schedule: { kind: "cron", expr: "0 9 * * *", tz: "UTC" },
  payload: { kind: "systemEvent", text: "make tea" },
  home: { channel: homeChat, askedBy: asker },
  ...more,
});

/** A run in a session of its own. */
export const buildErrandJob = (more: Partial<NewCronJob> = {}): NewCronJob => ({
  ...buildWord(),
  name: "report",
  payload: { kind: "agentTurn", message: "write the report" },
  ...more,
});
