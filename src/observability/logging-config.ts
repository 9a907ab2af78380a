/** The `logging` slice of config.json. Composed into the one schema by the app. */
import { z } from "zod";

export const loggingConfig = z.object({
  level: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Lines below this level are not written, neither to stderr nor to state/logs."),
});
