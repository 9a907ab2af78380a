/** The tools' slice of the configuration: which tools there are at all, and who gets which. Applied by policy/, layer by layer. */
import { z } from "zod";
import { agentExecConfig, approveConfig, execConfig } from "./approvals/config.ts";
import { hostToolsConfig } from "./host/config.ts";
import { imageConfig, ttsConfig } from "./media/config.ts";
import { browserConfig } from "./ui/config.ts";
import { webConfig } from "./web/config.ts";

const names = z.array(z.string().min(1));
const profile = z.enum(["minimal", "coding", "messaging", "full"]);

const allow = names
  .optional()
  .describe("Only these: names, group:<name>, or patterns with *. Left out: no limit. An empty list: none at all.");
const deny = names.default([]).describe("Never these: names, group:<name>, or patterns with *. Beats allow.");
const narrower = profile.optional().describe("Only what this set has.");

const lists = z.strictObject({ allow, deny });
const listsAndProfile = z.strictObject({ profile: narrower, allow, deny });

const byProvider = z
  .record(z.string().regex(/^[^/\s]+$/, "a provider's name has no slash and no spaces"), listsAndProfile)
  .default({})
  .describe("Narrows it further by the provider of the model that asks; the name may have *.");

const ofSession = (what: string) => lists.optional().describe(what);
const ofOthers = (who: string) =>
  ofSession(`${who} Its allow stands for the short list that such sessions have by themselves.`);

export const toolsConfig = z
  .strictObject({
    profile: profile
      .default("full")
      .describe("The set to start from. coding: files and programs; messaging: chat only; full: everything."),
    allow,
    deny,
    byProvider,
    byModel: z
      .record(z.string().min(1), listsAndProfile)
      .default({})
      .describe("The same by model: provider/model, a model's own name or an alias; any of them may have *."),
    bySession: z
      .strictObject({
        main: ofSession("The owner's own session."),
        dm: ofOthers("Somebody else in private."),
        group: ofOthers("Several people."),
        topic: ofOthers("A thread of a group."),
        subagent: ofSession("Helpers that a session starts."),
        cron: ofSession("Jobs that run by themselves."),
      })
      .prefault({})
      .describe("The same by kind of session. What others may use is opened here, and nowhere else."),
    byChannel: z
      .record(z.string().regex(/^[^/\s]+(?:\/.+)?$/, "write it as adapter or adapter/channelId"), lists)
      .default({})
      .describe("The same by chat: an adapter's name or type, or one chat of it as adapter/channelId."),
    bySender: z
      .record(z.string().regex(/^[^:\s]+:.+$/, "write it as adapter:userId"), lists)
      .default({})
      .describe("The same by person: adapter:userId, with the platform's own id, never a name."),
    sandbox: lists.prefault({}).describe("The same for sessions whose tools run in a sandbox."),
    exec: execConfig.prefault({}),
    approve: approveConfig,
    web: webConfig.prefault({}),
    browser: browserConfig.prefault({}),
    image: imageConfig,
    tts: ttsConfig,
    host: hostToolsConfig.prefault({}),
  })
  .describe("Which tools the model may use. Every rule can only take away from what the ones before it left.");

/** What an agent has of its own; it can only take away from what `tools` allows. */
export const agentToolsConfig = z
  .strictObject({ profile: narrower, allow, deny, byProvider, exec: agentExecConfig.optional() })
  .describe("Narrows what this agent may use, in the same words as under tools.");

/** One place of the config that narrows. */
export interface ToolRules {
  profile?: z.infer<typeof profile> | undefined;
  allow?: readonly string[] | undefined;
  deny: readonly string[];
}
export type AgentToolsConfig = z.infer<typeof agentToolsConfig>;
export type ToolsConfig = z.infer<typeof toolsConfig>;
