/**
 * How an operator speaks through the gateway: a message into the web chat's window on a session, and so into the inbox like
 * any other. Nothing here starts a turn by itself.
 */
import { AgentError } from "../../base/errors.ts";
import type { WebchatAdapter } from "../../channels/index.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse, GatewayWatch, OperatorSaid, SaidResult } from "../../contracts/gateway.ts";
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { ChannelInfo, ChannelMessage, ChannelRef } from "../../contracts/message.ts";
import type { SessionEntry, SessionRoute } from "../../contracts/session.ts";
import type { Sessions, Store } from "../../contracts/store.ts";
import { buildRoute } from "../../sessions/index.ts";

interface HouseTalkParts {
  store: Store;
  sessions: Sessions;
  clock: Clock;
  /** What the owner is called; as at the terminal. */
  ownerName: string;
  webchat(): WebchatAdapter | undefined;
  adapter(name: string): PlatformAdapter | undefined;
  agentIds(): string[];
  /** The session that the owner's own web chat goes to. */
  mainRoute(): SessionRoute;
  isStopping(): boolean;
  stop(sessionKey: SessionKey): Promise<number>;
  /** Programs that the session has left running. */
  endRuns(key: SessionKey): Promise<void>;
  wakeLanes(): void;
  wakeOutbound(): void;
  onSaid: GatewayWatch["said"];
  onChanged(key: SessionKey): void;
}

interface HouseTalk
  extends Pick<GatewayHouse, "say" | "chatOf" | "post" | "stop" | "resetSession" | "deleteSession" | "mainSessionKey"> {
  /** Where an operator stands who speaks in that session, and as whom; the session is there afterwards. Undefined: no such session. */
  standIn(by: { sessionKey: SessionKey; isAdmin: boolean }): Promise<OperatorPlace | undefined>;
}

export interface OperatorPlace {
  session: SessionEntry;
  channel: ChannelRef;
  sender: { id: string; username: string };
}

const mainChat = "main";
const openStates = ["received", "queued", "running"] as const;

export function buildHouseTalk(parts: HouseTalkParts): HouseTalk {
  const { store, sessions } = parts;
  const mainSessionKey: HouseTalk["mainSessionKey"] = (agentId) => {
    const main = parts.mainRoute();
    if (agentId === undefined || agentId === main.agentId) return main.sessionKey;
    return parts.agentIds().includes(agentId) ? mainRouteOf(agentId).sessionKey : undefined;
  };
  const chatOf = (sessionKey: SessionKey): ChannelRef => ({
    adapter: openedWebchat(parts).name,
    channelId: sessionKey === parts.mainRoute().sessionKey ? mainChat : `session/${sessionKey}`,
  });
  const isBusy = async (key: SessionKey) =>
    (await store.turns.list({ sessionKey: key, states: [...openStates], limit: 1 })).length > 0;

  return {
    mainSessionKey,
    chatOf,
    async say(said) {
      if (parts.isStopping()) throw stopping();
      const place = await findPlace(parts, said);
      if (place.type === "unknown") return place;
      return said.answerThere ? sayThere(parts, said, place.route) : sayHere(parts, said, place);
    },
    standIn: (by) => standIn(parts, by),
    async post(session, text, id) {
      const { lastChannel } = session;
      const texts = parts.adapter(lastChannel.adapter)?.render(text) ?? [text];
      await store.outbox.post(
        texts.map((part, n) => ({
          id: (n === 0 ? id : `${id}.${n}`) as DeliveryId,
          channel: lastChannel,
          body: { type: "text", text: part },
        })),
      );
      parts.wakeOutbound();
    },
    async stop(sessionKey) {
      const stopped = await parts.stop(sessionKey);
      parts.onChanged(sessionKey);
      return stopped;
    },
    async resetSession(key, by, to) {
      if (await isBusy(key)) return false;
      const session = await sessions.reset(key, by, to);
      parts.onChanged(key);
      return session;
    },
    async deleteSession(key) {
      await parts.endRuns(key);
      const isGone = await sessions.delete(key);
      if (isGone) parts.onChanged(key);
      return isGone;
    },
  };
}

async function standIn(
  parts: HouseTalkParts,
  { sessionKey, isAdmin }: { sessionKey: SessionKey; isAdmin: boolean },
): Promise<OperatorPlace | undefined> {
  const place = await findPlace(parts, { to: { type: "session", sessionKey }, isAdmin });
  if (place.type === "unknown") return undefined;
  const { chat, route, senderId } = place;
  const webchat = openedWebchat(parts);
  if (chat.window) webchat.openWindow(chat);
  const session = (await parts.store.sessions.get(sessionKey)) ?? (await parts.sessions.open(route));
  const channel = { adapter: webchat.name, channelId: chat.id };
  return { session, channel, sender: { id: senderId, username: parts.ownerName } };
}

interface Place {
  type: "place";
  chat: ChannelInfo;
  route: SessionRoute;
  senderId: "owner" | "operator" | "api";
}

async function findPlace(
  parts: HouseTalkParts,
  { to, isAdmin }: Pick<OperatorSaid, "to" | "isAdmin">,
): Promise<Place | (SaidResult & { type: "unknown" })> {
  const adapter = openedWebchat(parts).name;
  const main = parts.mainRoute();
  if (to.type === "named") {
    if (!parts.agentIds().includes(to.agentId)) return { type: "unknown", what: `agent "${to.agentId}"` };
    const channel = { adapter, channelId: `api/${to.agentId}/${to.name}` };
    const route = buildRoute(to.agentId, { type: "dm", channel }, channel);
    return { type: "place", chat: buildWindow(channel.channelId, route, to.name), route, senderId: "api" };
  }
  const senderId = isAdmin ? "owner" : "operator";
  // Who is no admin has no main session of their own: they speak in the owner's through a window.
  if (to.sessionKey === main.sessionKey && isAdmin) {
    return { type: "place", chat: { id: mainChat, name: mainChat, type: "dm" }, route: main, senderId };
  }
  const session: KnownSession | undefined =
    (await parts.store.sessions.get(to.sessionKey)) ?? findMain(parts, to.sessionKey, main);
  if (!session) return { type: "unknown", what: `session ${to.sessionKey}` };
  const channelId = `session/${to.sessionKey}`;
  const { sessionKey, type, agentId } = session;
  const route: SessionRoute = { sessionKey, type, agentId, channel: { adapter, channelId } };
  const chat = buildWindow(channelId, route, session.label);
  return { type: "place", chat, route, senderId };
}

type KnownSession = Pick<SessionEntry, "sessionKey" | "type" | "agentId" | "label">;

/** The owner's own session of another agent, before anything was said in it. */
function findMain({ agentIds }: HouseTalkParts, key: SessionKey, main: SessionRoute): KnownSession | undefined {
  return [main, ...agentIds().map(mainRouteOf)].find(({ sessionKey }) => sessionKey === key);
}

const mainRouteOf = (agentId: string): SessionRoute =>
  buildRoute(agentId, { type: "main" }, { adapter: "", channelId: mainChat });

const buildWindow = (
  id: string,
  { sessionKey, type, agentId }: SessionRoute,
  name = sessionKey as string,
): ChannelInfo => ({
  id,
  name,
  type: "dm",
  window: { sessionKey, type, agentId },
});

async function sayHere(
  parts: HouseTalkParts,
  said: OperatorSaid,
  { chat, route, senderId }: Place,
): Promise<SaidResult> {
  const webchat = openedWebchat(parts);
  const channel = { adapter: webchat.name, channelId: chat.id };
  const earlier = await parts.store.turns.ofMessage(channel, said.messageId);
  if (!earlier) {
    if (chat.window) webchat.openWindow(chat);
    await webchat.submit(buildMessage(parts, said, chat.id, senderId));
  }
  const turn = earlier ?? (await parts.store.turns.ofMessage(channel, said.messageId));
  if (!turn) return { type: "refused", reason: "The message started no turn; `mom logs tail` says why." };
  return { type: "accepted", turnId: turn.id, sessionKey: route.sessionKey, isRepeat: earlier !== undefined };
}

/**
 * In the session's own chat, so that the answer is posted there. The operator has no rights there beyond those of the
 * session: no adapter's list names them.
 */
async function sayThere(parts: HouseTalkParts, said: OperatorSaid, { sessionKey }: SessionRoute): Promise<SaidResult> {
  const session = await parts.store.sessions.get(sessionKey);
  if (!session) return { type: "unknown", what: `session ${sessionKey}` };
  const { type, agentId, lastChannel: channel } = session;
  const message = buildMessage(parts, said, channel.channelId, "gateway:owner");
  const route: SessionRoute = { sessionKey, type, agentId, channel };
  const verdict = { type: "turn", kind: "agent", lane: sessionKey, route } as const;
  const accepted = await parts.store.inbox.accept({ adapter: channel.adapter, message, verdict });
  const turn = await parts.store.turns.ofMessage(channel, said.messageId);
  if (!turn) return { type: "refused", reason: "The message could not be taken in." };
  const isRepeat = accepted.type === "duplicate";
  if (!isRepeat) {
    parts.wakeLanes();
    parts.onSaid(channel, message, { turnId: turn.id, sessionKey });
  }
  return { type: "accepted", turnId: turn.id, sessionKey, isRepeat };
}

function buildMessage(
  { clock, ownerName }: HouseTalkParts,
  { messageId, deviceName, text, attachments }: OperatorSaid,
  channelId: string,
  senderId: string,
): ChannelMessage {
  return {
    id: messageId,
    channelId,
    timestamp: new Date(clock.now()).toISOString(),
    sender: { id: senderId, username: senderId === "api" ? "api" : ownerName, isBot: false },
    text,
    attachments,
    isMention: true,
    metadata: { device: deviceName },
  };
}

function openedWebchat({ webchat }: HouseTalkParts): WebchatAdapter {
  const adapter = webchat();
  if (adapter) return adapter;
  throw new AgentError("WEBCHAT_OFF", "The web chat is not running", {
    hint: "`mom channels status` says why; an entry of the type webchat under adapters may be disabled.",
    retryable: true,
  });
}

const stopping = () =>
  new AgentError("STOPPING", "Mom is stopping", { hint: "Try again when she is back.", retryable: true });
