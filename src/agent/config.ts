/** One entry of `agents`: how an agent thinks, where it works and how long it may take. */
import { z } from "zod";

export const agentConfig = z.strictObject({
  model: z.string().min(1).optional().describe("provider/model or an alias. Left out: models.default."),
  fallbacks: z
    .array(z.string().min(1))
    .optional()
    .describe("Tried in this order when the model gives no answer. Left out: models.fallbacks."),
  thinking: z
    .enum(["off", "low", "medium", "high"])
    .optional()
    .describe("How much it thinks before it answers. Left out: models.thinking."),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Its folder, relative to the data directory. Left out: workspace for main, agents/<name>/workspace else.",
    ),
  workDir: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The folder its tools start in, for work on code elsewhere on this machine; AGENTS.md and CLAUDE.md of it and its parents are read. Left out: its workspace.",
    ),
  bootstrapMaxChars: z
    .int()
    .min(500)
    .default(20_000)
    .describe(
      "Of each file of the workspace that is shown to the model (SOUL.md, USER.md …), at most this many characters; less on models with a small window.",
    ),
  runTimeoutSeconds: z.int().positive().default(600).describe("A turn that takes longer is ended."),
  memoryFlush: z
    .boolean()
    .default(true)
    .describe("Before a long conversation is shortened, what should last is noted in memory/ (one more model call)."),
  forgetAfterTurns: z
    .int()
    .positive()
    .default(3)
    .describe("Skill texts and large tool results leave what is sent to the model this many turns later."),
});
