/** The sessions' slices of the configuration: waiting and running, which agent answers, when a conversation begins anew. */
import { z } from "zod";

const queueMode = z.enum(["steer", "followup", "collect", "interrupt"]);

export const queueConfig = z
  .strictObject({
    mode: queueMode
      .default("steer")
      .describe(
        "A message that comes while a turn runs: steer shows it to the model after the current tool call, followup gives it a turn of its own afterwards, collect makes one turn of all that wait, interrupt ends the running turn first. /queue changes it for one session.",
      ),
    byChannel: z
      .record(z.string(), queueMode)
      .default({})
      .describe("The mode for an adapter, by its name or its type; the name goes first."),
    maxConcurrent: z.int().min(1).max(256).default(16).describe("How many sessions may run a turn at the same time."),
  })
  .describe("How messages wait and how many turns run at once.");

export const sessionsConfig = z
  .strictObject({
    resetAfterIdleMinutes: z
      .int()
      .positive()
      .optional()
      .describe("A conversation that rested this long begins anew with the next message. Left out: never."),
    resetAtHour: z
      .int()
      .min(0)
      .max(23)
      .optional()
      .describe(
        "Hour of the day, local time, from which on the next message begins a new conversation. Left out: never.",
      ),
  })
  .describe("When conversations begin anew, beside /new.");

export const routesConfig = z
  .array(
    z.strictObject({
      adapter: z.string().optional().describe("Name of an adapter."),
      channel: z.string().optional().describe("The platform's id of a chat."),
      sender: z.string().optional().describe("The platform's id of a person."),
      agent: z.string().describe("Name of the agent, as under agents."),
    }),
  )
  .describe("Which agent answers: the first entry whose named parts all match; without any, main.");

export type QueueConfig = z.output<typeof queueConfig>;
export type SessionsConfig = z.output<typeof sessionsConfig>;
export type RoutesConfig = z.output<typeof routesConfig>;
