/** `subagents` in the config: how many work at a time, for how long, and how long two sessions may talk. */
import { z } from "zod";

export const subagentsConfig = z
  .strictObject({
    maxParallel: z.int().min(1).max(32).default(4).describe("Subagents that work at the same time; the others wait."),
    timeoutSeconds: z
      .int()
      .min(10)
      .max(24 * 3600)
      .default(3600)
      .describe("How long one may work where whoever sends it says nothing else."),
    relayTurns: z
      .int()
      .min(1)
      .max(50)
      .default(5)
      .describe(
        "How many words may go to and fro between sessions (sessions_send) before a person has to speak again.",
      ),
  })
  .describe("Subagents, and sessions that talk to each other.");

export type SubagentsConfig = z.infer<typeof subagentsConfig>;
