/** An errand (`src/contracts/errand.ts`) as a letter: through the house's own door, onto the lane of the session it runs in. */
import { errandAdapter } from "../base/errand-adapter.ts";
import type { Errand } from "../contracts/errand.ts";
import type { ErrandSession } from "../contracts/errand-ports.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Letter } from "../contracts/store.ts";
import { buildRoute } from "./session-key.ts";

export interface ErrandParts {
  /** The same one is taken once. */
  messageId: string;
  text: string;
  session: ErrandSession;
  /** As in `ChannelMessage.metadata`. */
  outside?: string;
}

export function buildErrandLetter(errand: Errand, parts: ErrandParts, nowMs: number): Letter {
  const { messageId, text, outside } = parts;
  const route = toRoute(parts.session);
  const message: ChannelMessage = {
    id: messageId,
    channelId: toChannelId(parts.session),
    timestamp: new Date(nowMs).toISOString(),
    sender: { ...errand.principal.sender, isBot: false },
    text,
    attachments: [],
    isMention: true,
    ...(outside !== undefined && { metadata: { outside } }),
    errand,
  };
  return { adapter: errandAdapter, message, verdict: { type: "turn", kind: "agent", lane: route.sessionKey, route } };
}

function toRoute(session: ErrandSession): SessionRoute {
  if ("existing" in session) {
    const { sessionKey, type, agentId, lastChannel } = session.existing;
    // What is relayed is no word of the people there: it must not move where they are answered.
    return { sessionKey, type, agentId, channel: lastChannel, isWindow: true };
  }
  const { type, id, agentId, label, spawnedBy } = session;
  const channel = { adapter: errandAdapter, channelId: toChannelId(session) };
  const route = buildRoute(agentId, type === "cron" ? { type, jobId: id } : { type, childId: id }, channel);
  return { ...route, ...(label !== undefined && { label }), ...(spawnedBy !== undefined && { spawnedBy }) };
}

const toChannelId = (session: ErrandSession): string =>
  "existing" in session ? `relay/${session.existing.sessionKey}` : `${session.type}/${session.agentId}/${session.id}`;
