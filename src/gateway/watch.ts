/**
 * What the house tells while it works, as events of the protocol and signs of turns. Turns wait for it: it only builds and
 * hands on. What is long is cut for the screens; the feed has it whole.
 */
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { GatewayHouse, GatewayWatch } from "../contracts/gateway.ts";
import type { ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { DeliveryBody } from "../contracts/store.ts";
import { shortenRecord, shortenText, shortenValue } from "./history/shorten.ts";
import { toHeartbeatEvent } from "./methods/automation-summary.ts";
import { toApprovalSummary, toChannelStatus, toFileReference } from "./methods/to-summary.ts";
import type { EventLog } from "./parts.ts";
import type { ChatItem, Payload } from "./protocol/index.ts";
import type { TurnRecorder } from "./turn-feed.ts";

interface WatchDeps {
  events: EventLog;
  /** What `createTurnFeed` gives. */
  feed: TurnRecorder;
  house: Pick<GatewayHouse, "channels">;
}

export function createWatch({ events, feed, house }: WatchDeps): GatewayWatch {
  return {
    said(channel, message, { turnId, sessionKey }) {
      const item = toSaidItem(message);
      events.publish("chat.message", { turnId, messageId: message.id, channel: toRef(channel), item }, sessionKey);
    },
    turnEvent(turn, event) {
      feed.turnEvent(turn, event);
      events.publish("agent", { turnId: turn.id, event: toScreenEvent(event) }, turn.route.sessionKey);
    },
    sent(delivery, sessionKey) {
      feed.sent(delivery);
      const { id: deliveryId, turnId, channel, body } = delivery;
      const shown = toShown(body);
      if (!shown || sessionKey === undefined) return;
      const post = { deliveryId, channel: toRef(channel), ...(turnId !== undefined && { turnId }), ...shown };
      events.publish("chat.post", post, sessionKey);
    },
    ended(turn) {
      if (!feed.ended(turn)) return;
      const { id: turnId, state, mergedInto, error, route } = turn;
      const end = {
        turnId,
        state,
        ...(mergedInto !== undefined && { mergedInto }),
        ...(error !== undefined && { error }),
      };
      events.publish("chat.end", end, route.sessionKey);
    },
    sessionChanged: (sessionKey) => events.publish("session.changed", { sessionKey }),
    approvalRequested: (approval) => events.publish("approval.requested", { approval: toApprovalSummary(approval) }),
    approvalResolved: ({ id, sessionKey }) => events.publish("approval.resolved", { id, sessionKey }),
    pairingChanged: () => events.publish("pairing.changed", {}),
    channelsChanged: () => events.publish("channels.changed", { channels: house.channels().map(toChannelStatus) }),
    configChanged: (outcome, detail) => events.publish("config.changed", { outcome, detail }),
    cronChanged: (jobId) => events.publish("cron", jobId === undefined ? {} : { jobId }),
    heartbeat: (event) => events.publish("heartbeat", toHeartbeatEvent(event)),
    memoryChanged: (agentId) => events.publish("memory", { agentId }),
  };
}

const toRef = ({ adapter, channelId }: ChannelRef): ChannelRef => ({ adapter, channelId });

function toSaidItem({ id, timestamp, sender, text, attachments }: ChannelMessage): ChatItem {
  const at = Date.parse(timestamp);
  return {
    id,
    at: Number.isFinite(at) ? at : 0,
    role: "user",
    sender: sender.displayName ?? sender.username,
    text: shortenText(text),
    ...(attachments.length > 0 && { attachments: attachments.map(toFileReference) }),
  };
}

/** Changes of posts and deeds beside them are no posts of their own. */
function toShown(body: DeliveryBody): Pick<Payload<"chat.post">, "text" | "file" | "isAside"> | undefined {
  if (body.type === "text") return { text: body.text, ...(body.isAside && { isAside: true }) };
  if (body.type !== "file") return undefined;
  return { file: { filename: body.filename }, ...(body.caption !== undefined && { text: body.caption }) };
}

/** Everybody who may read is sent this: of a question only what a screen shows, of what tools take and give no more than fits. */
function toScreenEvent(event: AgentSessionEvent): Record<string, unknown> {
  switch (event.type) {
    case "approval_request":
      return { type: event.type, toolCallId: event.approval.toolCallId, approval: toApprovalSummary(event.approval) };
    case "tool_execution_start":
      return { ...event, args: shortenRecord(event.args) };
    case "tool_execution_update":
      return { ...event, text: shortenText(event.text) };
    case "tool_execution_end":
      return { ...event, text: shortenText(event.text), details: shortenValue(event.details ?? null) };
    default:
      return event;
  }
}
