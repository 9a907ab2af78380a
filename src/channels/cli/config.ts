/** The terminal's slice of the configuration. Whoever sits at it is the owner, so it has no allow-lists. */
import { z } from "zod";
import type { AccessRules } from "../../contracts/channel.ts";

/** Who sits at the terminal that mom was started in. */
export const localUserId = "local";

/** That person started mom, so they are the owner. */
export const ownerRules: AccessRules = { admins: [localUserId], dm: "none" };

export const cliConfigSchema = z.strictObject({
  type: z.literal("cli"),
  toolOutput: z
    .enum(["off", "summary", "full"])
    .default("summary")
    .describe("What is shown of tools: nothing, one line each with a live tail, or their output too."),
});

export type CliConfig = z.infer<typeof cliConfigSchema>;
