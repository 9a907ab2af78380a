/** The lanes' slice of the configuration. */
import { z } from "zod";

export const queueConfig = z
  .strictObject({
    mode: z
      .enum(["steer", "followup"])
      .default("steer")
      .describe(
        "A message that comes while a turn runs: steer shows it to the model after the current tool call, followup gives it a turn of its own afterwards.",
      ),
    maxConcurrent: z.int().min(1).max(256).default(16).describe("How many sessions may run a turn at the same time."),
  })
  .describe("How messages wait and how many turns run at once.");
