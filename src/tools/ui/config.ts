/** The browser's slice of the configuration: `tools.browser`. */
import { z } from "zod";

export const browserConfig = z
  .strictObject({
    executablePath: z
      .string()
      .startsWith("/", "must be an absolute path")
      .optional()
      .describe("Chromium or Chrome to use. Absent: looked for on PATH and in the usual places."),
    headless: z.boolean().default(true).describe("false shows the window; it needs a screen. No pdf then."),
    timeoutSeconds: z.number().int().min(1).max(300).default(30).describe("The longest that one action may take."),
    idleMinutes: z
      .number()
      .int()
      .min(1)
      .max(1440)
      .default(10)
      .describe("Pages that a session leaves alone for so long are closed; with the last one the browser ends."),
    maxTabs: z.number().int().min(1).max(50).default(8).describe("Open pages per session."),
  })
  .describe("The browser tool.");

export type BrowserConfig = z.infer<typeof browserConfig>;
