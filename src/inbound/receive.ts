/**
 * The way in: a message from any source is admitted, routed to a session and written to the inbox, in that order and
 * before anything else happens. A stop is seen here, before any queue.
 */
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { AccessRules } from "../contracts/channel.ts";
import type { Commands } from "../contracts/command.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelInfo, ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { QueueMode, SessionRoute } from "../contracts/session.ts";
import type { Accepted, Inbox, Letter, Verdict } from "../contracts/store.ts";
import { admit } from "./admit.ts";

/** What inbound knows of the adapter that a message came through. */
export interface Origin {
  adapter: string;
  adapterType: string;
  chat: ChannelInfo["type"];
  rules: AccessRules;
}

export interface Inbound {
  /** On disk, or known already, when it resolves. */
  receive(origin: Origin, message: ChannelMessage): Promise<Accepted>;
  /** The session that a sender's messages in a chat (and topic) go to. */
  routeOf(origin: Origin, from: MessagePlace): SessionRoute;
  /** The letter that `receive` would write; for sources that write it themselves (schedules). */
  toLetter(origin: Origin, message: ChannelMessage): Promise<Letter>;
}

/** Where something was said, and by whom. */
export interface MessagePlace {
  channelId: string;
  senderId: string;
  /** A topic that the platform keeps apart within the chat. */
  topicId?: string | undefined;
}

/** The kinds of session that messages from outside can go to. */
export type RouteKind = { type: "main" } | { type: "dm" | "group" } | { type: "topic"; topicId: string };

interface InboundDeps {
  inbox: Inbox;
  commands: Pick<Commands, "find">;
  log: Log;
  /** The session of that kind, of the agent that answers there. */
  buildRoute(kind: RouteKind, channel: ChannelRef, senderId: string): SessionRoute;
  /** What a message does that comes while a turn of its session runs. */
  queueModeOf(origin: Origin, sessionKey: SessionKey): Promise<QueueMode>;
}

/** Longer texts are not taken in; the sender is told. */
const maxTextBytes = 1024 * 1024;
const keptOfTooLong = 2000;

export function createInbound({ inbox, commands, log, buildRoute, queueModeOf }: InboundDeps): Inbound {
  const queue = createKeyedQueue();
  const routeOf = (origin: Origin, { channelId, senderId, topicId }: MessagePlace): SessionRoute => {
    const isOwner = origin.chat === "dm" && origin.rules.admins.includes(senderId);
    const kind = isOwner ? { type: "main" as const } : pickChatKind(origin.chat, topicId);
    return buildRoute(kind, { adapter: origin.adapter, channelId }, senderId);
  };
  const decide = async (origin: Origin, message: ChannelMessage): Promise<Verdict> => {
    const admission = admit(message, origin.chat, origin.rules);
    if (admission.type !== "admitted") return admission;
    const { channelId, metadata } = message;
    const topicId = typeof metadata?.["topicId"] === "string" ? metadata["topicId"] : undefined;
    const route = routeOf(origin, { channelId, senderId: message.sender.id, topicId });
    const lane = route.sessionKey;
    const beside = `${lane}#beside`;
    if (metadata?.["tooLongBytes"] !== undefined) return { type: "turn", kind: "command", lane: beside, route };
    if (isStop(message.text)) return { type: "turn", kind: "command", lane: beside, route, stops: lane };
    const found = await commands.find(message.text, { adapterType: origin.adapterType, agentId: route.agentId });
    if (found.type === "none" || found.type === "prompt") {
      const interrupts = (await queueModeOf(origin, lane)) === "interrupt";
      return { type: "turn", kind: "agent", lane, route, ...(interrupts && { interrupts }) };
    }
    const isImmediate = found.type === "unknown" || found.command.immediate === true;
    return { type: "turn", kind: "command", lane: isImmediate ? beside : lane, route };
  };
  const toLetter = async (origin: Origin, received: ChannelMessage): Promise<Letter> => {
    const message = cutTooLong(received);
    return { adapter: origin.adapter, message, verdict: await decide(origin, message) };
  };
  return {
    routeOf,
    toLetter,
    async receive(origin, message) {
      // What is decided may have to be looked up; the order in a chat stays that of arrival.
      const { letter, accepted } = await queue.run(`${origin.adapter} ${message.channelId}`, async () => {
        const written = await toLetter(origin, message);
        return { letter: written, accepted: await inbox.accept(written) };
      });
      const where = { adapter: origin.adapter, channel: message.channelId, message: message.id };
      if (accepted.type === "duplicate") log.debug("A message came again and was dropped", where);
      else if (letter.verdict.type === "refused") {
        log.info("A message was refused", { ...where, reason: letter.verdict.reason });
      }
      return accepted;
    },
  };
}

function pickChatKind(chat: Origin["chat"], topicId: string | undefined): RouteKind {
  if (topicId !== undefined) return { type: "topic", topicId };
  return { type: chat === "dm" ? "dm" : "group" };
}

/** `stop` alone, in any case, with or without the slash. */
const isStop = (text: string): boolean => /^\s*\/?stop[.!]?\s*$/i.test(text);

function cutTooLong(message: ChannelMessage): ChannelMessage {
  if (message.text.length <= maxTextBytes / 4) return message;
  const bytes = Buffer.byteLength(message.text);
  if (bytes <= maxTextBytes) return message;
  const text = `${message.text.slice(0, keptOfTooLong).toWellFormed()}… (${bytes} bytes in all)`;
  const { rawText: _dropped, ...rest } = message;
  return { ...rest, text, metadata: { ...message.metadata, tooLongBytes: bytes } };
}
