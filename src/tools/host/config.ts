/** Custom tools' slice of the configuration, `tools.host`. */
import { z } from "zod";

export const hostToolsConfig = z
  .strictObject({
    timeoutSeconds: z.int().min(1).max(3600).default(120).describe("The longest that one call may take."),
    disabled: z.array(z.string().min(1)).default([]).describe("Custom tools by name that are there but not offered."),
  })
  .describe("Custom tools of this host: tools/<name>/index.ts in the data directory.");
