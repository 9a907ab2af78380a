/**
 * An event file's text → an event, or what is wrong with it and how to mend that. The files are written by agents and people:
 * whoever finds one in `failed/` must understand why from the reason alone.
 */
import { z } from "zod";
import { toPrintable } from "../../base/printable.ts";
import type { ChannelRef } from "../../contracts/message.ts";

interface EventCommon {
  channel: ChannelRef;
  text: string;
}

export type FileEvent =
  | (EventCommon & { type: "immediate" })
  /** `at`: as it was written. */
  | (EventCommon & { type: "one-shot"; at: string; atMs: number })
  | (EventCommon & { type: "periodic"; schedule: string; timezone: string });

export type ParsedEvent =
  | { type: "event"; event: FileEvent }
  /** No JSON: perhaps somebody is still writing it. */
  | { type: "unfinished"; reason: string }
  | { type: "fault"; reason: string };

/** Larger files are not read. */
export const maxEventBytes = 64 * 1024;

const common = { channelId: z.string().min(3).max(1000), text: z.string().min(1) };
const shape = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("immediate"), ...common }),
  z.strictObject({ type: z.literal("one-shot"), ...common, at: z.string().max(40) }),
  z.strictObject({
    type: z.literal("periodic"),
    ...common,
    schedule: z.string().min(9).max(200),
    timezone: z.string().min(1).max(100),
  }),
]);
type Written = z.output<typeof shape>;

const examples = {
  immediate: '{"type":"immediate","channelId":"slack/C1","text":"…"}',
  "one-shot": '{"type":"one-shot","channelId":"slack/C1","text":"…","at":"2026-12-15T09:00:00+01:00"}',
  periodic: '{"type":"periodic","channelId":"slack/C1","text":"…","schedule":"0 9 * * 1-5","timezone":"Europe/Vienna"}',
};

export function parseEvent(bytes: Uint8Array): ParsedEvent {
  if (bytes.includes(0)) return fault("It is not text (it has NUL bytes). Write JSON as UTF-8 text.");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // What the parser says quotes the file; where it is wrong can be seen in the file itself.
    return { type: "unfinished", reason: "It is not JSON in UTF-8. Write one JSON object, and nothing behind it." };
  }
  const written = shape.safeParse(value);
  return written.success ? toEvent(written.data) : fault(explain(value, written.error));
}

function toEvent(written: Written): ParsedEvent {
  const channel = toChannel(written.channelId);
  if (!channel) return fault('channelId is not "<adapter>/<chat>". Write it like "slack/C1".');
  const { text } = written;
  if (text.trim() === "") return fault("text is empty. Write what is to be done.");
  switch (written.type) {
    case "immediate":
      return { type: "event", event: { type: "immediate", channel, text } };
    case "one-shot": {
      const at = readTime(written.at);
      if (typeof at === "string") return fault(at);
      return { type: "event", event: { type: "one-shot", channel, text, at: written.at, atMs: at } };
    }
    case "periodic": {
      const { schedule, timezone } = written;
      if (schedule.trim().split(/\s+/).length !== 5) {
        return fault("schedule has not five fields (minute hour day month weekday). Write it like 0 9 * * 1-5.");
      }
      return { type: "event", event: { type: "periodic", channel, text, schedule: schedule.trim(), timezone } };
    }
  }
}

/** The adapter's name has no slash; a chat's id may have some. */
function toChannel(channelId: string): ChannelRef | undefined {
  const slash = channelId.indexOf("/");
  if (slash < 1 || slash === channelId.length - 1) return undefined;
  return { adapter: channelId.slice(0, slash), channelId: channelId.slice(slash + 1) };
}

const timeShape = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** Milliseconds, or what is wrong. */
function readTime(text: string): number | string {
  const [, year, month, day, offset] = timeShape.exec(text) ?? [];
  if (year === undefined) return "at is not a time. Write it like 2026-12-15T09:00:00+01:00.";
  if (offset === undefined) return "at has no offset from UTC. Add it: 2026-12-15T09:00:00+01:00, or Z for UTC.";
  const atMs = Date.parse(text);
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return Number.isFinite(atMs) && isDay ? atMs : "at is a time that there is not. Look at day, month and hour.";
}

function explain(value: unknown, error: z.ZodError): string {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const example = examples[type as keyof typeof examples] ?? Object.values(examples).join(" or ");
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  const what = `${where ? `${where}: ` : ""}${issue?.message ?? "it is not an event"}`;
  return `${toPrintable(what).slice(0, 300)}. Write it like ${example}`;
}

const fault = (reason: string): ParsedEvent => ({ type: "fault", reason });
