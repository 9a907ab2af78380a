/** The heartbeat's slice of the configuration (spec 6.3): one for all agents, and what each agent has otherwise. */
import { z } from "zod";
import type { HeartbeatConfig } from "../../contracts/heartbeat.ts";
import { isTimeZone, parseClockTime } from "./active-hours.ts";
import { longestEveryMs, parseDuration, shortestEveryMs } from "./parse-duration.ts";

/** What she is woken with where the config says nothing. */
const defaultPrompt =
  "Look at HEARTBEAT.md below and do what it asks for now. Is something new and worth an interruption, say it; else answer HEARTBEAT_OK.";

const every = z.string().superRefine((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= shortestEveryMs && ms <= longestEveryMs) return;
  const message =
    ms === undefined
      ? `"${text.slice(0, 40)}" is no duration: write a number and s, m, h or d, such as "5m" or "1h30m".`
      : `"${text.slice(0, 40)}" is out of range: from 1m to 7d. To have none at all, set enabled: false.`;
  context.addIssue({ code: "custom", message });
});

const clockTime = (kind: "start" | "end") =>
  z.string().superRefine((text, context) => {
    if (parseClockTime(text, kind) !== undefined) return;
    const range = kind === "end" ? "00:00 to 24:00" : "00:00 to 23:59";
    context.addIssue({ code: "custom", message: `"${text.slice(0, 40)}" is no time of the day: HH:MM, ${range}.` });
  });

const activeHours = z
  .strictObject({
    start: clockTime("start").describe("HH:MM: from then on."),
    end: clockTime("end").describe(
      "HH:MM or 24:00: up to then, that minute not included. Before start: past midnight, on the next day.",
    ),
    timezone: z
      .string()
      .refine((zone) => zone === "user" || zone === "local" || isTimeZone(zone), {
        error: 'is no time zone: write "user", "local" or a name such as "Europe/Vienna".',
      })
      .optional()
      .describe(
        "Whose clock: user (the person mom works for), local (mom's machine), or a zone such as Europe/Vienna. Left out: user.",
      ),
  })
  .superRefine(({ start, end }, context) => {
    if (start !== end) return;
    const message = "start and end are the same time. Leave activeHours out for the whole day, or end at 24:00.";
    context.addIssue({ code: "custom", path: ["end"], message });
  });

const fields = {
  enabled: z
    .boolean()
    .describe("false: never. Left out or true: as soon as HEARTBEAT.md has content; until then it costs nothing."),
  every: every.describe("How often, such as 5m, 30m or 1h30m; from 1m to 7d."),
  prompt: z.string().trim().min(1).max(1000).describe("What mom is woken with; HEARTBEAT.md follows it."),
  target: z
    .enum(["main", "last"])
    .describe(
      "Where something worth saying goes: last is where its owner last spoke, main the chat that the main session began in.",
    ),
  model: z.string().min(1).describe("provider/model or an alias, mostly a cheap one. Left out: the agent's."),
  ackMaxChars: z
    .int()
    .min(0)
    .max(2000)
    .describe("Beside HEARTBEAT_OK, at most so many characters are still nothing to say."),
  session: z
    .string()
    .min(1)
    .max(512)
    .describe("Key of the conversation that it looks after, as `mom sessions list` shows it. Left out: the main one."),
  activeHours: activeHours.describe("Only between these times of the day. Left out: always."),
  includeReasoning: z
    .boolean()
    .describe("What the model thought is posted above what it says, where the model shows its thoughts."),
};

/** `heartbeat`: for every agent that says nothing else. */
export const heartbeatConfig = z
  .strictObject({
    enabled: fields.enabled.optional(),
    every: fields.every.default("5m"),
    prompt: fields.prompt.default(defaultPrompt),
    target: fields.target.default("last"),
    model: fields.model.optional(),
    ackMaxChars: fields.ackMaxChars.default(100),
    session: fields.session.optional(),
    activeHours: fields.activeHours.optional(),
    includeReasoning: fields.includeReasoning.default(false),
  })
  .describe("Heartbeats: now and then mom looks by herself whether something is to be said.");

/** `agents.<name>.heartbeat`: what is set here goes first. */
export const agentHeartbeatConfig = z
  .strictObject({
    enabled: fields.enabled.optional(),
    every: fields.every.optional(),
    prompt: fields.prompt.optional(),
    target: fields.target.optional(),
    model: fields.model.optional(),
    ackMaxChars: fields.ackMaxChars.optional(),
    session: fields.session.optional(),
    activeHours: fields.activeHours.optional(),
    includeReasoning: fields.includeReasoning.optional(),
  })
  .describe("The agent's own heartbeat. What is left out is as under heartbeat.");

type HeartbeatSettings = z.output<typeof heartbeatConfig>;
type AgentHeartbeatSettings = z.output<typeof agentHeartbeatConfig>;

/** Both must have passed their schema: a duration that is none would count as the default. */
export function pickHeartbeat(all: HeartbeatSettings, own: AgentHeartbeatSettings = {}): HeartbeatConfig {
  const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  const { every: interval, ...rest }: HeartbeatSettings = { ...all, ...said };
  return { ...rest, everyMs: parseDuration(interval) ?? defaultEveryMs };
}

const defaultEveryMs = 5 * 60_000;
