/** From what the rooms do to what the gateway is told: which session a post belongs to, when a turn is really over. */
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayWatch } from "../../contracts/gateway.ts";
import type { DeliveryId, SessionKey, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage, ChannelRef } from "../../contracts/message.ts";
import type { Delivery, Store } from "../../contracts/store.ts";
import type { Turn, TurnState } from "../../contracts/turn.ts";

export interface Taps {
  turnEvent(turn: Turn, event: AgentSessionEvent): void;
  /** The turn has ended its work, or one of its posts was settled: it may be over. */
  mayBeOver(turnId: TurnId): Promise<void>;
  /** A post was called for, and its row says what became of it. */
  settled(delivery: Pick<Delivery, "id" | "turnId">): Promise<void>;
  /** A stop was asked for: turns that were waiting are over without having begun. */
  stopped(sessionKey: SessionKey): Promise<void>;
  /** These were taken into a running turn. */
  absorbed(channel: ChannelRef, messages: readonly ChannelMessage[]): Promise<void>;
}

interface TapParts {
  store: Pick<Store, "turns" | "outbox">;
  watch: GatewayWatch;
  clock: Clock;
  log: Log;
  /** The session that a chat of the web chat shows; undefined for chats of other adapters. */
  sessionOfChat(channel: ChannelRef): SessionKey | undefined;
}

const gatherMs = 250;
/** The gateway tells each end once: those that were told before do no harm. */
const mostStopped = 20;
const endStates: ReadonlySet<TurnState> = new Set(["done", "failed", "stopped"]);

export function createTaps({ store, watch, clock, log, sessionOfChat }: TapParts): Taps {
  /** What cannot be told costs looks only. */
  const quietly = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      log.debug("The gateway could not be told of something", { error });
    }
  };
  // Everybody who is connected is told of it: turns in quick succession are one change.
  const changed = new Set<SessionKey>();
  const tellChanged = (key: SessionKey) => {
    if (changed.has(key)) return;
    changed.add(key);
    clock.after(gatherMs, () => {
      changed.delete(key);
      watch.sessionChanged(key);
    });
  };
  const mayBeOver = async (turnId: TurnId) => {
    const turn = await store.turns.get(turnId);
    if (!turn || !endStates.has(turn.state)) return;
    watch.ended(turn);
    tellChanged(turn.route.sessionKey);
  };
  const settled = async ({ id, turnId }: { id: DeliveryId; turnId?: TurnId }) => {
    const delivery = await store.outbox.get(id);
    if (delivery?.state === "sent") {
      const turn = turnId && (await store.turns.get(turnId));
      watch.sent(delivery, turn?.route.sessionKey ?? sessionOfChat(delivery.channel));
    }
    if (turnId) await mayBeOver(turnId);
  };
  return {
    turnEvent(turn, event) {
      watch.turnEvent(turn, event);
      if (event.type === "approval_request") watch.approvalRequested(event.approval);
      if (event.type !== "approval_end") return;
      watch.approvalResolved({ id: event.approvalId, sessionKey: turn.route.sessionKey });
    },
    mayBeOver: (turnId) => quietly(() => mayBeOver(turnId)),
    settled: (delivery) => quietly(() => settled(delivery)),
    stopped: (sessionKey) =>
      quietly(async () => {
        const turns = await store.turns.list({ sessionKey, states: ["stopped"], limit: mostStopped });
        for (const turn of turns) watch.ended(turn);
      }),
    absorbed: (channel, messages) =>
      quietly(async () => {
        for (const { id } of messages) {
          const turn = await store.turns.ofMessage(channel, id);
          if (turn) watch.ended(turn);
        }
      }),
  };
}
