/**
 * Subagents on the real store, the real clock rows and the real scheduler, with a scripted agent in the place of turns. A house
 * can be let die at any write; opening it again is the next process.
 */
import assert from "node:assert/strict";
import { setImmediate as nextRound } from "node:timers/promises";
import { createSubagents, type SubagentRoom, subagentsConfig } from "../../src/agent/index.ts";
import { buildNote } from "../../src/agent/transcript-entries.ts";
import { createScheduler } from "../../src/automation/index.ts";
import { errandAdapter } from "../../src/base/errand-adapter.ts";
import { newEntryId } from "../../src/base/ids.ts";
import type { Principal } from "../../src/contracts/errand.ts";
import type { ErrandPorts, ErrandResult } from "../../src/contracts/errand-ports.ts";
import type { DeliveryId, SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { ChannelMessage, ChannelRef } from "../../src/contracts/message.ts";
import type { Scheduler } from "../../src/contracts/schedule.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { Letter, Store } from "../../src/contracts/store.ts";
import type { ToolScope } from "../../src/contracts/tool.ts";
import type { ClaimedTurn, Turn } from "../../src/contracts/turn.ts";
import { buildErrandLetter, buildRoute } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { createRecordingLog } from "./log.ts";

/** The n-th write of a process is its last: it dies right before or right after it. */
export interface Death {
  at: number;
  when: "before" | "after";
}

/** What people, platforms and models do, over all processes. */
export interface World {
  clock: FakeClock;
  /** Adapters that run. */
  up: Set<string>;
  /** People who are owners. */
  owners: Set<string>;
  /** Sessions with text from outside, by id of the session. */
  tainted: Map<string, string>;
  config: Partial<{ maxParallel: number; timeoutSeconds: number; relayTurns: number }>;
  /** What the agent answers. `hold`: it is at work until it is let go on or stopped. */
  answer(turn: Turn): ErrandResult | "hold";
  /** What the tools of a turn do before it answers; again after a crash. */
  act(turn: Turn, scope: ToolScope, house: Pick<SubagentHouse, "room">): Promise<unknown>;
  /** Turns that were worked on to their end, in order. */
  ended: { turn: ClaimedTurn; result: ErrandResult }[];
  /** Sessions that were asked to stop. */
  stopped: SessionKey[];
  log: ReturnType<typeof createRecordingLog>;
}

export interface SubagentHouse {
  store: Store;
  room: SubagentRoom;
  scheduler: Scheduler;
  /** A person says something, and their turn is at work: its scope. */
  speak(place: ChannelRef, senderId: string, text: string): Promise<{ scope: ToolScope; turn: ClaimedTurn }>;
  /** The same, and nobody has begun with it. */
  post(place: ChannelRef, senderId: string, text: string): Promise<string>;
  /** The person's turn is over. */
  finish(turn: ClaimedTurn): Promise<void>;
  /** The scope of a turn. */
  scopeOf(turn: Turn): Promise<ToolScope>;
  /** Everything that can go on goes on, until nothing does. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export const owner = { channel: { adapter: "chat", channelId: "D1" }, senderId: "U1" };
export const group = { channel: { adapter: "chat", channelId: "G1" }, senderId: "U2" };
export const mainKey = "agent:main:main" as SessionKey;
export const groupKey = "agent:main:group:chat:G1" as SessionKey;

export function createWorld(): World {
  return {
    clock: createFakeClock(),
    up: new Set(["chat"]),
    owners: new Set(["U1"]),
    tainted: new Map(),
    config: {},
    answer: () => ({ outcome: "done", reply: "fine" }),
    act: async () => undefined,
    ended: [],
    stopped: [],
    log: createRecordingLog(),
  };
}

export async function openHouse(world: World, dir: string, death?: Death): Promise<SubagentHouse> {
  const { clock, log } = world;
  const routesOf = () => [];
  const opened = await openStore({ layout: buildLayout(dir), clock, log, role: "owner", routesOf });
  const store = death ? toMortal(opened, death) : opened;
  const scheduler = createScheduler({ due: store.due, clock, log, kv: store.kv });
  const held = new Map<TurnId, ClaimedTurn>();
  const ports = createPorts(world);
  const stopSession = async (key: SessionKey) => {
    world.stopped.push(key);
    const { running } = await store.turns.requestStop(key);
    for (const id of running) {
      const turn = held.get(id);
      held.delete(id);
      if (turn) await end(turn, { outcome: "stopped", reply: "" });
    }
  };
  const room = createSubagents(
    {
      ...store,
      scheduler,
      clock,
      log,
      ports,
      sessionKeyOf: (agentId, childId) => buildRoute(agentId, { type: "subagent", childId }, owner.channel).sessionKey,
      stopSession,
      forgetSession: (key) => store.sessions.delete(key),
      agents: () => [{ id: "main" }, { id: "coder", model: "mom/big" }],
      isKnownModel: async (name) => name === "mom/big",
      isPassing: (adapter) => adapter === "once",
      taintOf: async ({ sessionId, type }, isAdmin) =>
        type === "group" ? "people" : !isAdmin ? "no admin" : world.tainted.get(sessionId),
      describeContext: async () => ({
        model: "mom/big",
        contextWindow: 1000,
        tokens: { system: 100, tools: 50, messages: 50 },
      }),
      onLetters: () => undefined,
    },
    () => subagentsConfig.parse(world.config),
  );
  scheduler.register("subagent", room.handler);
  await room.start();

  const end = async (turn: ClaimedTurn, result: ErrandResult) => {
    const { errand } = turn.message;
    const handler = errand?.type === "relay" ? room.relay : errand ? room.errands : undefined;
    const { deliveries, letters } = (errand && (await handler?.end(errand, turn, result))) ?? {
      deliveries: [],
      letters: [],
    };
    const { outcome, error } = result;
    await store.turns.finish(turn, { outcome, deliveries, letters, ...(error !== undefined && { error }) });
    world.ended.push({ turn, result });
    if (errand) await handler?.ended?.(errand, turn, result);
  };
  /** Said and answered, as far as that is not on record yet. */
  const converse = async (turn: ClaimedTurn, { outcome, reply }: ErrandResult) => {
    const begun = turn.attempt > 1 ? await store.turns.steps(turn) : [];
    const now = clock.now();
    if (begun.length === 0) {
      const message = { role: "user" as const, content: turn.message.text, timestamp: now };
      const entry = { type: "message" as const, id: newEntryId(), timestamp: new Date(now).toISOString(), message };
      await store.turns.record(turn, { body: { type: "input", seenSeq: turn.seq }, entries: [entry] });
    }
    if (begun.length > 1 || outcome !== "done") return;
    const note = buildNote(reply, now);
    const entry =
      note.type === "message" && note.message.role === "assistant"
        ? { ...note, message: { ...note.message, provider: "lab" } }
        : note;
    const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120 };
    const cost = { input: 0.01, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 0.02 };
    await store.turns.record(turn, {
      body: { type: "assistant" },
      entries: [entry],
      usage: [{ model: "lab/m", usage: { ...usage, cost } }],
    });
  };
  const work = async (): Promise<boolean> => {
    let did = false;
    for (;;) {
      for (const [id, turn] of held) {
        const answer = world.answer(turn);
        if (answer === "hold") continue;
        held.delete(id);
        did = true;
        await converse(turn, answer);
        await end(turn, answer);
      }
      const turn = await store.turns.claim(60_000, [errandAdapter, ...world.up]);
      if (!turn) return did;
      did = true;
      await store.sessions.open(turn.route);
      if (turn.stopRequested) {
        await end(turn, { outcome: "stopped", reply: "" });
        continue;
      }
      await world.act(turn, await scopeOf(turn), { room });
      const answer = world.answer(turn);
      if (answer === "hold") held.set(turn.id, turn);
      else {
        await converse(turn, answer);
        await end(turn, answer);
      }
    }
  };
  const scopeOf = async (turn: Turn): Promise<ToolScope> => {
    const { errand } = turn.message;
    const session = await store.sessions.open(turn.route);
    const sender = errand ? { ...errand.principal.sender, isBot: false } : turn.message.sender;
    return {
      session,
      turnId: turn.id,
      channel: errand ? errand.principal.channel : turn.route.channel,
      adapterType: "test",
      sender,
      isAdmin: world.owners.has(sender.id),
      model: "lab/m",
      ...(errand && { principal: errand.principal }),
    };
  };
  let said = 0;
  const post = async (channel: ChannelRef, senderId: string, text: string) => {
    const id = `m${clock.now()}-${++said}`;
    const letter = await ports.toChatLetter({ channel, sender: { id: senderId, username: "ann" } }, { id, text });
    assert.ok(letter);
    await store.inbox.accept(letter);
    return id;
  };
  return {
    store,
    room,
    scheduler,
    scopeOf,
    post,
    async speak(channel, senderId, text) {
      const id = await post(channel, senderId, text);
      const turn = await store.turns.claim(60_000, ["chat"]);
      assert.equal(turn?.message.id, id);
      assert.ok(turn);
      return { turn, scope: await scopeOf(turn) };
    },
    finish: (turn) => store.turns.finish(turn, { outcome: "done", deliveries: [] }),
    async settle() {
      for (let quiet = 0; quiet < 2; ) {
        await scheduler.start();
        const did = await work();
        await room.idle();
        await nextRound();
        quiet = did ? 0 : quiet + 1;
      }
    },
    async close() {
      await scheduler.stop().catch(() => undefined);
      await room.idle();
      await opened.close();
    },
  };
}

function createPorts(world: World): ErrandPorts {
  const { clock, up, owners } = world;
  const routeOf = (channel: ChannelRef, senderId: string): SessionRoute =>
    channel.channelId.startsWith("D") && owners.has(senderId)
      ? buildRoute("main", { type: "main" }, channel)
      : buildRoute("main", { type: channel.channelId.startsWith("D") ? "dm" : "group", channel }, channel);
  const toChatLetter: ErrandPorts["toChatLetter"] = async ({ channel, sender }, { id, text, outside, isHeard }) => {
    if (!up.has(channel.adapter)) return undefined;
    const route = routeOf(channel, sender.id);
    const message: ChannelMessage = {
      id,
      channelId: channel.channelId,
      timestamp: new Date(clock.now()).toISOString(),
      sender: { ...sender, isBot: false },
      text,
      attachments: [],
      isMention: true,
      ...(outside !== undefined && { metadata: { outside } }),
    };
    const verdict: Letter["verdict"] = isHeard
      ? { type: "heard" }
      : { type: "turn", kind: "agent", lane: route.sessionKey, route };
    return { adapter: channel.adapter, message, verdict };
  };
  return {
    toErrandLetter: (errand, parts) => buildErrandLetter(errand, parts, clock.now()),
    toChatLetter,
    async principalOf({ channel, sender }): Promise<Principal | undefined> {
      if (!up.has(channel.adapter)) return undefined;
      const { sessionKey, type, agentId } = routeOf(channel, sender.id);
      return { channel, sender, sessionKey, sessionType: type, agentId };
    },
    ownerOf: async () => undefined,
    planPosts: (channel, markdown, id, turnId) =>
      up.has(channel.adapter) && markdown.trim() !== ""
        ? [{ id: `${id}.0` as DeliveryId, channel, body: { type: "text", text: markdown }, ...(turnId && { turnId }) }]
        : [],
    isRunning: (adapter) => up.has(adapter),
  };
}

/** Writes of subagents and ends of turns are counted; whatever else the dead try fails too. */
function toMortal(store: Store, { at, when }: Death): Store {
  let count = 0;
  let isDead = false;
  const live = <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>, isWrite: boolean) =>
    async function mortal(...args: Args): Promise<Result> {
      const isLast = isWrite && ++count === at;
      isDead ||= isLast && when === "before";
      if (isDead) throw new Error("the process has died");
      const result = await act(...args);
      isDead ||= isLast;
      if (isDead) throw new Error("the process has died");
      return result;
    };
  const { due, turns, inbox, sessions } = store;
  return {
    ...store,
    due: {
      ...due,
      put: live(due.put, true),
      change: live(due.change, true),
      settle: live(due.settle, true),
      remove: live(due.remove, true),
      get: live(due.get, false),
      list: live(due.list, false),
      due: live(due.due, false),
    },
    turns: {
      ...turns,
      finish: live(turns.finish, true),
      record: live(turns.record, false),
      claim: live(turns.claim, false),
      requestStop: live(turns.requestStop, true),
    },
    inbox: { ...inbox, accept: live(inbox.accept, true) },
    sessions: { ...sessions, delete: live(sessions.delete, true), open: live(sessions.open, false) },
  };
}
