/**
 * The way in: a message from any source is admitted, routed to a session and written to the inbox, in that order and
 * before anything else happens. A stop is seen here, before any queue.
 */
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Commands } from "../contracts/command.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { QueueMode, SessionRoute } from "../contracts/session.ts";
import type { Accepted, Inbox, Letter, Pairings, Verdict } from "../contracts/store.ts";
import { createDoor } from "./door.ts";
import type { Origin } from "./origin.ts";

export interface Inbound {
  /** On disk, or known already, when it resolves. `sessionKey`: where it started a turn. */
  receive(origin: Origin, message: ChannelMessage): Promise<Accepted & { sessionKey?: SessionKey }>;
  /** The session that a sender's messages in a chat go to. */
  routeOf(origin: Origin, from: MessagePlace): SessionRoute;
  /** The letter that `receive` would write; for sources that write it themselves (schedules). */
  toLetter(origin: Origin, message: ChannelMessage): Promise<Letter>;
}

/** Where something was said, and by whom. */
export interface MessagePlace {
  channelId: string;
  senderId: string;
}

/** The kinds of session that messages from outside can go to. */
export type RouteKind = { type: "main" } | { type: "dm" | "group" } | { type: "topic"; topicId: string };

interface InboundDeps {
  inbox: Inbox;
  pairings: Pick<Pairings, "isApproved">;
  commands: Pick<Commands, "find">;
  clock: Clock;
  log: Log;
  /** The session of that kind, of the agent that answers there. */
  buildRoute(kind: RouteKind, channel: ChannelRef, senderId: string): SessionRoute;
  /** What a message does that comes while a turn of its session runs. */
  queueModeOf(origin: Origin, sessionKey: SessionKey): Promise<QueueMode>;
  /** A stranger may have been given a code: there may be a post to deliver. */
  onPosted(): void;
}

/** Longer texts are not taken in; the sender is told. */
const maxTextBytes = 1024 * 1024;
const keptOfTooLong = 2000;

export function createInbound(deps: InboundDeps): Inbound {
  const { inbox, commands, log, buildRoute, queueModeOf, onPosted } = deps;
  const queue = createKeyedQueue();
  const door = createDoor(deps);
  const routeOf = (origin: Origin, { channelId, senderId }: MessagePlace): SessionRoute => {
    const channel = { adapter: origin.adapter, channelId };
    if (origin.window) return { ...origin.window, channel, isWindow: true };
    const isOwner = origin.chat === "dm" && origin.rules.admins.includes(senderId);
    const kind = isOwner ? { type: "main" as const } : pickChatKind(origin);
    return buildRoute(kind, channel, senderId);
  };
  const decide = async (origin: Origin, message: ChannelMessage): Promise<Verdict> => {
    const admission = await door.ask(origin, message);
    if (admission.type !== "admitted") return admission;
    const { channelId, metadata } = message;
    const route = routeOf(origin, { channelId, senderId: message.sender.id });
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
  const write = async (origin: Origin, received: ChannelMessage): Promise<Letter> => {
    const message = cutTooLong(takeOffErrand(received));
    return { adapter: origin.adapter, message, verdict: await decide(origin, message) };
  };
  const report = ({ adapter, message, verdict }: Letter, accepted: Accepted) => {
    const where = { adapter, channel: message.channelId, message: message.id };
    if (accepted.type === "duplicate") log.debug("A message came again and was dropped", where);
    else if (verdict.type === "refused") log.info("A message was refused", { ...where, reason: verdict.reason });
  };
  return {
    routeOf,
    async toLetter(origin, message) {
      const letter = await write(origin, message);
      const { verdict } = letter;
      // Nobody is there who could be given a code.
      return verdict.type === "refused" ? { ...letter, verdict: { type: "refused", reason: verdict.reason } } : letter;
    },
    async receive(origin, message) {
      // What is decided may have to be looked up; the order in a chat stays that of arrival.
      const { letter, accepted } = await queue.run(`${origin.adapter} ${message.channelId}`, async () => {
        const written = await write(origin, message);
        const taken = await inbox.accept(written);
        door.note(origin, message, taken);
        return { letter: written, accepted: taken };
      });
      report(letter, accepted);
      const { verdict } = letter;
      if (verdict.type === "refused" && verdict.pairing) onPosted();
      return verdict.type === "turn" ? { ...accepted, sessionKey: verdict.route.sessionKey } : accepted;
    },
  };
}

function pickChatKind({ chat, topicId }: Origin): RouteKind {
  if (topicId !== undefined) return { type: "topic", topicId };
  return { type: chat === "dm" ? "dm" : "group" };
}

/** `stop` alone, in any case, with or without the slash. */
const isStop = (text: string): boolean => /^\s*\/?stop[.!]?\s*$/i.test(text);

/** Nobody on a platform works on another's behalf. */
function takeOffErrand(message: ChannelMessage): ChannelMessage {
  const { errand: _dropped, ...rest } = message;
  return message.errand === undefined ? message : rest;
}

function cutTooLong(message: ChannelMessage): ChannelMessage {
  if (message.text.length <= maxTextBytes / 4) return message;
  const bytes = Buffer.byteLength(message.text);
  if (bytes <= maxTextBytes) return message;
  const text = `${message.text.slice(0, keptOfTooLong).toWellFormed()}… (${bytes} bytes in all)`;
  const { rawText: _dropped, ...rest } = message;
  return { ...rest, text, metadata: { ...message.metadata, tooLongBytes: bytes } };
}
