/** Tells the operator's scripts (spec 6.4) what happens in the house. Nothing is put together that nobody hears. */
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { Hooks } from "../contracts/hook.ts";
import type { DeliveryId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Outbox, Sessions } from "../contracts/store.ts";
import type { Turn } from "../contracts/turn.ts";

export interface HookTaps {
  said(channel: ChannelRef, message: ChannelMessage, turn: { turnId: TurnId; sessionKey: SessionKey }): void;
  turnEvent(turn: Turn, event: AgentSessionEvent): void;
  /** A post was delivered, or could not be. Resolves when that is told. */
  settled(id: DeliveryId): Promise<void>;
}

export function createHookTaps(hooks: Hooks, outbox: Pick<Outbox, "get">): HookTaps {
  return {
    said({ adapter, channelId }, { id, sender, text }, turn) {
      if (!hooks.isHeard("message:received")) return;
      hooks.tell({ type: "message:received", adapter, channelId, messageId: id, senderId: sender.id, text, ...turn });
    },
    turnEvent({ id, route: { sessionKey } }, event) {
      if (event.type === "tool_execution_end" && hooks.isHeard("tool:after")) {
        const { toolName: tool, isError, durationMs } = event;
        hooks.tell({ type: "tool:after", sessionKey, turnId: id, tool, isError, durationMs });
      }
      if (event.type === "auto_compaction_end") hooks.tell({ type: "compaction", sessionKey, turnId: id });
    },
    async settled(id) {
      if (!hooks.isHeard("message:sent")) return;
      const delivery = await outbox.get(id).catch(() => undefined);
      if (delivery?.state !== "sent" || delivery.body.type !== "text") return;
      const { channel, body, messageId, turnId } = delivery;
      const named = { ...(messageId !== undefined && { messageId }), ...(turnId !== undefined && { turnId }) };
      hooks.tell({ type: "message:sent", ...channel, text: body.text, ...named });
    },
  };
}

/** The same sessions; who looks on is told when a life of one begins and ends. */
export function withHooks(sessions: Sessions, hooks: Hooks): Sessions {
  const starts = ({ sessionKey, sessionId, agentId }: SessionEntry) =>
    hooks.tell({ type: "session:start", sessionKey, sessionId, agentId });
  const ends = ({ sessionKey, sessionId, agentId }: SessionEntry, reason: string) =>
    hooks.tell({ type: "session:end", sessionKey, sessionId, agentId, reason });
  const isHeard = () => hooks.isHeard("session:start") || hooks.isHeard("session:end");
  return {
    ...sessions,
    async open(route) {
      const known = isHeard() ? await sessions.get(route.sessionKey) : undefined;
      const session = await sessions.open(route);
      if (!known && isHeard()) starts(session);
      return session;
    },
    async reset(key, by, to) {
      const before = isHeard() ? await sessions.get(key) : undefined;
      const session = await sessions.reset(key, by, to);
      if (before && before.sessionId !== session.sessionId) {
        ends(before, to === undefined ? "a new conversation" : "another conversation was taken up");
        starts(session);
      }
      return session;
    },
    async delete(key, but) {
      const before = isHeard() ? await sessions.get(key) : undefined;
      const isGone = await sessions.delete(key, but);
      if (before && isGone) ends(before, "deleted");
      return isGone;
    },
  };
}
