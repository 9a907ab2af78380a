/**
 * The way in: a message from any source is admitted, routed to a session and written to the inbox, in that order and
 * before anything else happens. A stop is seen here, before any queue.
 */
import type { AccessRules } from "../contracts/channel.ts";
import type { Commands } from "../contracts/command.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelInfo, ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
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
  /** The session that a sender's messages in a chat go to. */
  routeOf(origin: Origin, channelId: string, senderId: string): SessionRoute;
  /** The letter that `receive` would write; for sources that write it themselves (schedules). */
  toLetter(origin: Origin, message: ChannelMessage): Letter;
}

interface InboundDeps {
  inbox: Inbox;
  commands: Commands;
  log: Log;
  mainRoute(channel: ChannelRef): SessionRoute;
  chatRoute(type: "dm" | "group", channel: ChannelRef): SessionRoute;
}

/** Longer texts are not taken in; the sender is told. */
const maxTextBytes = 1024 * 1024;
const keptOfTooLong = 2000;

export function createInbound({ inbox, commands, log, mainRoute, chatRoute }: InboundDeps): Inbound {
  const routeOf = (origin: Origin, channelId: string, senderId: string): SessionRoute => {
    const channel = { adapter: origin.adapter, channelId };
    if (origin.chat !== "dm") return chatRoute("group", channel);
    return origin.rules.admins.includes(senderId) ? mainRoute(channel) : chatRoute("dm", channel);
  };
  const decide = (origin: Origin, message: ChannelMessage): Verdict => {
    const admission = admit(message, origin.chat, origin.rules);
    if (admission.type !== "admitted") return admission;
    const session = routeOf(origin, message.channelId, message.sender.id);
    const lane = session.sessionKey;
    const beside = `${lane}#beside`;
    if (message.metadata?.["tooLongBytes"] !== undefined) {
      return { type: "turn", kind: "command", lane: beside, route: session };
    }
    if (isStop(message.text)) {
      return { type: "turn", kind: "command", lane: beside, route: session, stops: lane };
    }
    const found = commands.find(message.text, origin.adapterType);
    if (found.type === "none") return { type: "turn", kind: "agent", lane, route: session };
    const isImmediate = found.type === "unknown" || found.command.immediate === true;
    return { type: "turn", kind: "command", lane: isImmediate ? beside : lane, route: session };
  };
  const toLetter = (origin: Origin, received: ChannelMessage): Letter => {
    const message = cutTooLong(received);
    return { adapter: origin.adapter, message, verdict: decide(origin, message) };
  };
  return {
    routeOf,
    toLetter,
    async receive(origin, message) {
      const letter = toLetter(origin, message);
      const accepted = await inbox.accept(letter);
      const where = { adapter: origin.adapter, channel: message.channelId, message: message.id };
      if (accepted.type === "duplicate") log.debug("A message came again and was dropped", where);
      else if (letter.verdict.type === "refused") {
        log.info("A message was refused", { ...where, reason: letter.verdict.reason });
      }
      return accepted;
    },
  };
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
