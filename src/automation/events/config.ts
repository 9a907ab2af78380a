/** The slice `events` of the configuration. Imported by the composition root at every start: nothing heavy. */
import { z } from "zod";

export const eventsConfig = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Whether the files in workspace/events and in the chats' events folders are looked at."),
    maxLatenessMinutes: z
      .int()
      .min(1)
      .max(525_600)
      .default(1440)
      .describe("What came due longer ago than this while mom was down is reported instead of run."),
  })
  .describe("Event files: what mom is to do now, at a time, or again and again, written as JSON.");

export type EventsConfig = z.output<typeof eventsConfig>;
