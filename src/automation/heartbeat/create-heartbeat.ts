/**
 * Heartbeats (spec 6.3): one item on the durable clock per agent. A beat that is not skipped is an errand in a session of its own, which
 * begins anew each time and is forgotten afterwards; what it finds worth saying is posted once.
 */
import type { ErrandHandler } from "../../contracts/errand-ports.ts";
import type { HeartbeatState } from "../../contracts/gateway.ts";
import type { HeartbeatEvent } from "../../contracts/heartbeat.ts";
import type { DueHandler, DueItem } from "../../contracts/schedule.ts";
import type { Turn } from "../../contracts/turn.ts";
import { type BeatData, createBeatRecords, mostShown, parseBeatData, parseBeatNote } from "./beat-records.ts";
import { decideBeat, lastBeatTurn, nextBeatAt, openTimesOf } from "./decide-beat.ts";
import { type BeatEnd, judgeBeat, readBeatEnd } from "./end-beat.ts";
import { findAgent, type HeartbeatAgent, type HeartbeatDeps, type OnHeartbeat } from "./heartbeat-deps.ts";

export interface Heartbeat {
  /** Makes good what a crash left, and puts every agent on the clock. Before the scheduler starts. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The config has changed. */
  follow(): Promise<void>;
  /** For the scheduler, as `heartbeat`. */
  readonly handler: DueHandler;
  /** For errands of the type `heartbeat`. */
  readonly errands: ErrandHandler;
  /** What came of the last beat. */
  last(agentId: string): Promise<HeartbeatEvent | undefined>;
  status(): Promise<HeartbeatState[]>;
  /** A beat now; it is skipped for the same reasons as ever. False: there is no such agent. */
  wake(agentId: string): Promise<boolean>;
}

const source = "heartbeat";

export function createHeartbeat(deps: HeartbeatDeps, onEvent: OnHeartbeat): Heartbeat {
  const { due, clock, log, scheduler } = deps;
  const records = createBeatRecords(deps.kv);
  /** Notes are written one after the other, and a stop waits for them. */
  let writing: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    writing = writing.then(work).catch((error: unknown) => log.warn("A heartbeat could not be noted", { error }));
    return writing;
  };
  const tell = async (event: HeartbeatEvent, turn?: Turn) => {
    // Skips do not hide which beat was noted last.
    const turnId = turn?.id ?? (await records.last(event.agentId))?.turnId;
    await records.noteLast(event.agentId, { event, ...(turnId !== undefined && { turnId }) });
    onEvent(event);
  };

  const planOf = (agent: HeartbeatAgent) => {
    const { enabled, everyMs, activeHours } = agent.config;
    return JSON.stringify([enabled !== false, everyMs, activeHours ?? null, deps.timeZones(agent.id)]);
  };
  const firstTime = (agent: HeartbeatAgent) =>
    agent.config.enabled === false ? undefined : nextBeatAt(agent, openTimesOf(deps, agent), clock.now());
  const putOnClock = async (agent: HeartbeatAgent) => {
    const plan = planOf(agent);
    const dueAt = firstTime(agent);
    const isThere = await due.get(source, agent.id);
    if (!isThere) await due.put({ source, id: agent.id, data: { plan } satisfies BeatData, ...(dueAt && { dueAt }) });
    else await due.change(source, agent.id, (item) => replan(item, plan, dueAt));
  };
  const follow = async () => {
    const agents = deps.agents();
    for (const { id } of await due.list(source)) {
      if (agents.some((agent) => agent.id === id)) continue;
      await due.remove(source, id);
      await records.forget(id);
    }
    for (const agent of agents) await putOnClock(agent);
    scheduler.wake();
  };

  /** Everything that a beat leaves behind it. The same however often it is called for one turn. */
  const noteEnd = async (turn: Turn, end: BeatEnd) => {
    const { errand } = turn.message;
    if (!errand) return;
    const now = clock.now();
    if (end.status === "sent") await records.noteSaid(errand.id, { turnId: turn.id, ts: now, hash: end.hash });
    await due.change(source, errand.id, (item) => afterBeat(item, end, parseBeatNote(errand.data).shown));
    if (end.status === "failed") log.warn("A heartbeat failed", { agent: errand.id, reason: end.reason });
    await tell(toEvent(errand.id, end, now, Math.max(0, now - turn.createdAt)), turn);
    await deps.sessions.delete(turn.route.sessionKey);
  };
  const mend = async (agentId: string) => {
    const turnId = await lastBeatTurn(deps, agentId);
    const turn = turnId && (await deps.turns.get(turnId));
    if (!turn || turn.state === "received" || turn.state === "queued" || turn.state === "running") return;
    if ((await records.last(agentId))?.turnId === turn.id) await deps.sessions.delete(turn.route.sessionKey);
    else await noteEnd(turn, await readBeatEnd(deps, turn));
  };

  return {
    async start() {
      for (const { id } of deps.agents()) await inTurn(() => mend(id));
      await follow();
    },
    stop: () => writing,
    follow,
    handler: {
      decide: async (item, nowMs) => ({ type: "settle", ...(await decideBeat(deps, item, nowMs)) }),
      settled({ id }, { state, reason }) {
        if (state === "ran") return deps.wakeLanes();
        const event: HeartbeatEvent = { ts: clock.now(), agentId: id, status: "skipped", silent: true };
        void inTurn(() => tell({ ...event, ...(reason !== undefined && { reason }) }));
      },
      async clockTurnedBack(nowMs) {
        for (const agent of deps.agents()) {
          const latest = nextBeatAt(agent, openTimesOf(deps, agent), nowMs);
          await due.change(source, agent.id, ({ dueAt, data }) =>
            dueAt !== undefined && dueAt > latest ? { dueAt: latest, data } : undefined,
          );
        }
      },
    },
    errands: {
      async end(errand, turn, result) {
        const { deliveries, letters } = await judgeBeat(deps, records, errand, turn, result);
        return { deliveries, letters };
      },
      ended: (errand, turn, result) =>
        inTurn(async () => noteEnd(turn, (await judgeBeat(deps, records, errand, turn, result)).end)),
    },
    last: async (agentId) => (await records.last(agentId))?.event,
    status: () => Promise.all(deps.agents().map((agent) => describe(agent))),
    async wake(agentId) {
      const agent = findAgent(deps, agentId);
      if (!agent) return false;
      await putOnClock(agent);
      await due.change(source, agentId, ({ data }) => ({ data, dueAt: clock.now() }));
      scheduler.wake();
      return true;
    },
  };

  async function describe({ id, config }: HeartbeatAgent): Promise<HeartbeatState> {
    const [item, last] = await Promise.all([due.get(source, id), records.last(id)]);
    return {
      agentId: id,
      isEnabled: config.enabled !== false,
      everyMs: config.everyMs,
      ...(item?.dueAt !== undefined && { nextAt: item.dueAt }),
      ...(last && { last: last.event }),
    };
  }
}

/** Undefined: it was reckoned from the same, and is where it belongs. */
function replan(item: DueItem, plan: string, dueAt: number | undefined) {
  const data = parseBeatData(item);
  const isAtRest = item.dueAt === undefined;
  if (data.plan === plan && isAtRest === (dueAt === undefined)) return undefined;
  return { data: { ...data, plan }, ...(dueAt !== undefined && { dueAt }) };
}

/** How the item goes on after a beat that ran; when it is due stays as it is. */
function afterBeat(item: DueItem, { status }: BeatEnd, seen: readonly string[]) {
  const { failures = 0, shown = [], ...rest } = parseBeatData(item);
  const hasFailed = status === "failed";
  const known = hasFailed ? shown : [...new Set([...shown, ...seen])].slice(-mostShown);
  const data: BeatData = {
    ...rest,
    ...(hasFailed && { failures: failures + 1 }),
    ...(known.length > 0 && { shown: known }),
  };
  return { data, ...(item.dueAt !== undefined && { dueAt: item.dueAt }) };
}

function toEvent(agentId: string, end: BeatEnd, ts: number, durationMs: number): HeartbeatEvent {
  const base = { ts, agentId, durationMs, status: end.status, hasMedia: false };
  if (end.status === "sent") {
    const { channel, preview } = end;
    const to = `${channel.adapter}/${channel.channelId}`;
    return { ...base, to, channel: channel.adapter, preview, silent: false, indicatorType: "alert" };
  }
  if (!("reason" in end)) return { ...base, silent: true, indicatorType: "ok" };
  const isError = end.status === "failed";
  return { ...base, reason: end.reason, silent: true, ...(isError && { indicatorType: "error" as const }) };
}
