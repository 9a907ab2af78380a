/** What an event file is on the durable clock: an item of source `event`, and the texts that are made of it. */
import { z } from "zod";
import type { ChannelRef } from "../../contracts/message.ts";
import type { EventPlace } from "./event-folder.ts";
import type { FileEvent } from "./parse-event.ts";

/** A folder whose files mom looks at, and what they may do. */
export interface EventRoot extends EventPlace {
  /** Names it for good, and comes before the file's name in ids: `events`, `channels/slack/C1/events`. */
  label: string;
  /** May a file here speak in that chat? */
  mayUse(channel: ChannelRef): boolean;
  /** In whose name and with whose rights. Undefined: there is nobody who may talk there. */
  askerOf(channel: ChannelRef): Promise<{ id: string; username: string } | undefined>;
  /** The chat that it belongs to, told of files that cannot be used. Absent: the owner of `agentId` is. */
  home?: ChannelRef;
  agentId: string;
}

const channel = z.object({ adapter: z.string(), channelId: z.string() });
const common = { channel, text: z.string() };
const eventData = z.object({
  /** Of the file: another one is another event. */
  hash: z.string(),
  event: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("immediate"), ...common }),
      z.object({ type: z.literal("one-shot"), ...common, at: z.string(), atMs: z.number() }),
      z.object({ type: z.literal("periodic"), ...common, schedule: z.string(), timezone: z.string() }),
    ])
    .exactOptional(),
  /** Why the file cannot be used: it is to go to `failed/`. */
  fault: z.string().exactOptional(),
  /** Its end is in the ledger: the file is to go. */
  done: z.literal(true).exactOptional(),
});
export type EventData = z.output<typeof eventData>;

/** Undefined: it is not ours, or from a version that wrote something else. */
export const toEventData = (data: unknown): EventData | undefined => eventData.safeParse(data).data;

export const toItemId = (label: string, file: string): string => `${label}/${file}`;

export function fromItemId(id: string): { label: string; file: string } {
  const slash = id.lastIndexOf("/");
  return { label: id.slice(0, slash), file: id.slice(slash + 1) };
}

/** As the conversation shows it: nothing in a name can end the bracket or start a line. */
export const toPlainName = (file: string): string => file.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(0, 120);

export function formatEvent(file: string, event: FileEvent): string {
  return `[EVENT:${toPlainName(file)}:${event.type}:${whenOf(event)}] ${event.text}`;
}

function whenOf(event: FileEvent): string {
  if (event.type === "one-shot") return event.at;
  return event.type === "periodic" ? event.schedule : "immediate";
}
