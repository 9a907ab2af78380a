/**
 * The turns of the fake house: what is said goes through a real store, and the test plays the agent: events, posts, end. A
 * turn that no script answers waits for the test to take it (`next`).
 */
import { deliveryIdOf } from "../../src/base/ids.ts";
import type { AgentSessionEvent } from "../../src/contracts/agent.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type { GatewayWatch, OperatorSaid, SaidResult } from "../../src/contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { ChannelMessage } from "../../src/contracts/message.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { DeliveryBody, Store } from "../../src/contracts/store.ts";
import type { ClaimedTurn, NewStep, TurnOutcome } from "../../src/contracts/turn.ts";

export interface HouseTurn {
  readonly turn: ClaimedTurn;
  /** Aborts when the turn is stopped; the house ends it then. */
  readonly signal: AbortSignal;
  event(event: AgentSessionEvent): void;
  /** A whole answer of the model as it streams: a delta per text, then its end. */
  stream(...deltas: string[]): void;
  /** A step of the transcript. */
  record(step: NewStep): Promise<void>;
  /** Posted and delivered while the turn goes on. */
  aside(text: string): Promise<void>;
  /** Over, with the reply (and what else is posted) delivered. */
  end(reply?: string, more?: { outcome?: TurnOutcome; error?: string; bodies?: DeliveryBody[] }): Promise<void>;
}

export type TurnScript = (turn: HouseTurn) => void | Promise<void>;

export interface HouseTurns {
  /** The platform's side of `say`: on disk, and running where its lane is free. */
  accept(said: Pick<OperatorSaid, "messageId" | "text" | "attachments">, to: Recipient): Promise<SaidResult>;
  next(): Promise<HouseTurn>;
  stop(sessionKey: SessionKey): Promise<number>;
  whenOver(turnId: TurnId): Promise<void>;
  isRunning(sessionKey: SessionKey): boolean;
  /** Everything that waits in the outbox leaves. */
  deliver(): Promise<void>;
}

export interface Recipient {
  route: SessionRoute;
  /** The chat that it is said in. */
  channelId: string;
  senderId: string;
}

interface HouseTurnDeps {
  store: Store;
  clock: Clock;
  watch(): GatewayWatch | undefined;
  script(): TurnScript | undefined;
}

export const adapter = "webchat";
export const someUsage = {
  input: 10,
  output: 5,
  cacheRead: 2,
  cacheWrite: 1,
  totalTokens: 18,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};
const leaseMs = 3_600_000;

export function createHouseTurns(deps: HouseTurnDeps): HouseTurns {
  const { store, clock, watch } = deps;
  const running = new Map<TurnId, { sessionKey: SessionKey; stop(): Promise<void> }>();
  const unanswered: HouseTurn[] = [];
  const askers: ((turn: HouseTurn) => void)[] = [];
  const waiting = new Map<TurnId, PromiseWithResolvers<void>>();

  const deliver = async () => {
    const adapters = [...new Set((await store.outbox.list({ states: ["pending"], limit: 1000 })).map(adapterOf))];
    for (;;) {
      const delivery = await store.outbox.claim(adapters, leaseMs);
      if (!delivery) return;
      await store.outbox.settle(delivery, { type: "sent", messageId: `posted-${delivery.id}` });
      const turn = delivery.turnId && (await store.turns.get(delivery.turnId));
      watch()?.sent({ ...delivery, state: "sent" }, turn?.route.sessionKey);
    }
  };
  const settle = async (turnId: TurnId) => {
    running.delete(turnId);
    const turn = await store.turns.get(turnId);
    if (turn) watch()?.ended(turn);
    waiting.get(turnId)?.resolve();
    waiting.delete(turnId);
    await wake();
  };
  const begin = (turn: ClaimedTurn): HouseTurn => {
    const { sessionKey, channel } = turn.route;
    const stopper = new AbortController();
    let posts = 0;
    const toNew = (body: DeliveryBody) => ({ id: deliveryIdOf(turn.id, posts++), turnId: turn.id, channel, body });
    const finish = async (outcome: TurnOutcome, bodies: DeliveryBody[], error?: string) => {
      if (!running.has(turn.id)) return;
      await store.turns.finish(turn, { outcome, deliveries: bodies.map(toNew), ...(error !== undefined && { error }) });
      await deliver();
      await settle(turn.id);
    };
    const stop = () => {
      stopper.abort();
      return finish("stopped", []);
    };
    running.set(turn.id, { sessionKey, stop });
    const event = (shown: AgentSessionEvent) => watch()?.turnEvent(turn, shown);
    return {
      turn,
      signal: stopper.signal,
      event,
      stream(...deltas) {
        event({ type: "message_start" });
        for (const delta of deltas) event({ type: "text_delta", delta });
        event({ type: "message_end", text: deltas.join(""), hasToolCalls: false, usage: someUsage });
      },
      record: (step) => store.turns.record(turn, step),
      async aside(text) {
        await store.outbox.post([toNew({ type: "text", text, isAside: true })]);
        await deliver();
      },
      end: (reply = "", { outcome = "done", error, bodies = [] } = {}) =>
        finish(outcome, [...(reply === "" ? [] : [{ type: "text" as const, text: reply }]), ...bodies], error),
    };
  };
  const wake = async () => {
    const turn = await store.turns.claim(leaseMs, [adapter]);
    if (!turn) return;
    await store.sessions.open(turn.route);
    const begun = begin(turn);
    const script = deps.script();
    const asker = script ? undefined : askers.shift();
    if (script) void Promise.resolve(script(begun)).catch((error: unknown) => begun.end("", toFailure(error)));
    else if (asker) asker(begun);
    else unanswered.push(begun);
    await wake();
  };

  const turns: HouseTurns = {
    deliver,
    async accept(said, { route, channelId, senderId }) {
      const message = buildMessage(said, channelId, senderId, clock.now());
      const { sessionKey } = route;
      const letter = { adapter, message, verdict: { type: "turn", kind: "agent", lane: sessionKey, route } as const };
      const accepted = await store.inbox.accept(letter);
      if (accepted.type === "duplicate") {
        const turn = await store.turns.ofMessage({ adapter, channelId }, said.messageId);
        if (!turn) return { type: "refused", reason: "It is known, and started nothing" };
        return { type: "accepted", turnId: turn.id, sessionKey: turn.route.sessionKey, isRepeat: true };
      }
      const { turnId } = accepted;
      if (turnId === undefined) return { type: "refused", reason: "It started nothing" };
      watch()?.said({ adapter, channelId }, message, { turnId, sessionKey });
      await wake();
      return { type: "accepted", turnId, sessionKey, isRepeat: false };
    },
    next() {
      const turn = unanswered.shift();
      if (turn) return Promise.resolve(turn);
      return new Promise((resolve) => askers.push(resolve));
    },
    async stop(sessionKey) {
      const waits = await store.turns.list({ sessionKey, states: ["received", "queued"], limit: 1000 });
      const stopped = await store.turns.requestStop(sessionKey);
      for (const id of stopped.running) await running.get(id)?.stop();
      for (const { id } of waits) await settle(id);
      return stopped.running.length + stopped.waiting;
    },
    async whenOver(turnId) {
      const merged = (await store.turns.get(turnId))?.mergedInto;
      if (merged !== undefined) return turns.whenOver(merged);
      const over = waiting.get(turnId) ?? Promise.withResolvers<void>();
      waiting.set(turnId, over);
      const turn = await store.turns.get(turnId);
      if (!turn || ["done", "failed", "stopped"].includes(turn.state)) {
        waiting.delete(turnId);
        over.resolve();
      }
      await over.promise;
    },
    isRunning: (key) => [...running.values()].some(({ sessionKey }) => sessionKey === key),
  };
  return turns;
}

const adapterOf = ({ channel }: { channel: { adapter: string } }) => channel.adapter;

const toFailure = (error: unknown) => ({ outcome: "failed" as const, error: String(error) });

function buildMessage(
  { messageId, text, attachments }: Pick<OperatorSaid, "messageId" | "text" | "attachments">,
  channelId: string,
  senderId: string,
  nowMs: number,
): ChannelMessage {
  return {
    id: messageId,
    channelId,
    timestamp: new Date(nowMs).toISOString(),
    sender: { id: senderId, username: senderId, isBot: false },
    text,
    attachments,
    isMention: true,
  };
}
