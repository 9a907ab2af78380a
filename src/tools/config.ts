/** The tools' slice of the configuration: which tools there are at all. What a session gets of them is policy. */
import { z } from "zod";

const names = z.array(z.string().min(1));

export const toolsConfig = z
  .strictObject({
    profile: z
      .enum(["minimal", "coding", "messaging", "full"])
      .default("full")
      .describe("The set to start from. coding: files and programs; messaging: chat only; full: everything."),
    allow: names
      .default([])
      .describe("Only these: names, group:<name>, or patterns with *. Empty: everything the profile has."),
    deny: names.default([]).describe("Never these: names, group:<name>, or patterns with *. Beats allow."),
  })
  .describe("Which tools the model may use.");

/** What an agent has of its own; it can only take away from what `tools` allows. */
export const agentToolsConfig = z
  .strictObject({ allow: names.default([]), deny: names.default([]) })
  .describe("Narrows what this agent may use, in the same words as under tools.");

export type AgentToolsConfig = z.infer<typeof agentToolsConfig>;
export type ToolsConfig = z.infer<typeof toolsConfig>;
