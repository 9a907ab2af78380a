/** The slice of the configuration that jobs have (spec 6.2). */
import { z } from "zod";

export const cronConfig = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Jobs and reminders run. Off: they wait, and come late or are missed."),
    maxLatenessMinutes: z
      .int()
      .min(1)
      .max(60 * 24 * 31)
      .default(60 * 24)
      .describe(
        "A due time that could not be served in time (mom was down, the chat's adapter too) is served this much later at most, once per job; older ones end as missed.",
      ),
  })
  .describe("Jobs and reminders: what mom does on her own at a time.");

export type CronConfig = z.output<typeof cronConfig>;
