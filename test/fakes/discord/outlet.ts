/** Between what happens and what the gateway tells: who may see how much of a message, and events that come out of order. */
import { GatewayIntentBits } from "discord-api-types/v10";
import type { Fault } from "../platform.ts";
import type { GatewayEvent } from "./gateway.ts";
import { toMessage } from "./objects.ts";
import type { StoredMessage, World } from "./world.ts";

type EventFault = Extract<Fault, { type: "duplicate" | "reorder" | "late" }>;

/** Names one event of one message, to tell when it was confirmed. */
export const toMark = (t: string, id: string) => `${t} ${id}`;

/** Who sees it, and how much: without the intent, Discord empties what is not meant for the bot. */
export function toMessageEvent(
  world: World,
  t: "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE",
  message: StoredMessage,
  origin: string,
): GatewayEvent {
  const place = world.places.get(message.placeId);
  const isDirect = place?.type === 1;
  const isFromBot = message.author === world.bot;
  const needed = isDirect ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
  const where = { id: message.id, channel_id: message.placeId, ...(!isDirect && { guild_id: world.guildId }) };
  const shown = t === "MESSAGE_DELETE" ? where : toMessage(world, message, origin, true);
  const isForBot = isDirect || isFromBot || message.content.includes(`<@${world.bot.id}>`);
  const emptied = { ...shown, content: "", attachments: [], embeds: [], components: [] };
  return {
    t,
    dataFor(intents) {
      if (!(intents & needed)) return undefined;
      const seesText = isForBot || t === "MESSAGE_DELETE" || (intents & GatewayIntentBits.MessageContent) !== 0;
      return seesText ? shown : emptied;
    },
    ...(!isFromBot && { mark: toMark(t, message.id) }),
    // A bot cannot list its direct chats: before it has heard of one, it could not read there what it missed.
    isOwed: place !== undefined && isDirect && !place.isKnown,
    onConfirmed() {
      if (place) place.isKnown = true;
    },
  };
}

/** Where nothing follows that an event could be late for. */
const latestMs = 200;

export interface Outlet {
  disturb(fault: EventFault): void;
  dispatch(event: GatewayEvent): void;
  /** Events that are held back. */
  readonly held: number;
}

/** Events that come twice, out of order, or late. */
export function createOutlet(dispatch: (event: GatewayEvent) => void): Outlet {
  const faults: EventFault[] = [];
  let held: { event: GatewayEvent; isBefore: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const takeHeld = () => {
    clearTimeout(timer);
    const taken = held;
    held = undefined;
    return taken;
  };
  return {
    disturb: (fault) => void faults.push(fault),
    get held() {
      return held ? 1 : 0;
    },
    dispatch(event) {
      if (event.mark === undefined) return dispatch(event);
      const fault = held ? undefined : faults.shift();
      if (fault?.type === "late" || fault?.type === "reorder") {
        // By then its chat may have been read beyond it.
        held = { event: { ...event, isOwed: true }, isBefore: fault.type === "late" };
        timer = setTimeout(() => {
          const alone = takeHeld();
          if (alone) dispatch(alone.event);
        }, latestMs).unref();
        return;
      }
      const waiting = takeHeld();
      if (waiting?.isBefore) dispatch(waiting.event);
      dispatch(event);
      if (waiting && !waiting.isBefore) dispatch(waiting.event);
      if (fault?.type === "duplicate") dispatch(event);
    },
  };
}
