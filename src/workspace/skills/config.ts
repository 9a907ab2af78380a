/** The skills' slice of the configuration: where they are found beside the workspace, and which are never offered. */
import { z } from "zod";

const texts = z.array(z.string().min(1)).default([]);

export const skillsConfig = z
  .strictObject({
    extraFolders: texts.describe(
      "More folders with skills, looked at after mom's own: absolute, ~/…, or relative to the data directory.",
    ),
    piAgent: z.boolean().default(false).describe("Also take the skills in ~/.pi/agent/skills."),
    bundled: z.boolean().default(true).describe("Offer the skills that come with mom."),
    deny: texts.describe("Never offer these: names of skills, or the skillKey in their metadata."),
  })
  .describe("Where skills are found, and which are never offered.");

export type SkillsConfig = z.infer<typeof skillsConfig>;
