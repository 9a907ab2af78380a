/**
 * The one schema of config.json, composed of each room's slice, and the file that a new data directory gets. Feeds the
 * start, live edits, `mom config` and its JSON Schema.
 */
import { z } from "zod";
import { agentConfig, subagentsConfig } from "../agent/index.ts";
import { agentHeartbeatConfig, cronConfig, eventsConfig, heartbeatConfig, hooksConfig } from "../automation/index.ts";
import { errandAdapter } from "../base/errand-adapter.ts";
import { channelCatalog, channelsConfig } from "../channels/index.ts";
import { gatewayConfig } from "../gateway/index.ts";
import { memoryConfig } from "../memory/index.ts";
import { authConfig, budgetConfig, modelsConfig } from "../models/index.ts";
import { loggingConfig } from "../observability/index.ts";
import { sandboxConfig } from "../sandbox/index.ts";
import { mainAgentId, queueConfig, routesConfig, sessionsConfig } from "../sessions/index.ts";
import { agentToolsConfig, securityConfig, toolsConfig } from "../tools/index.ts";
import { skillsConfig } from "../workspace/index.ts";

const adapterName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a name has letters, digits, dots, dashes and underscores only")
  .refine((name) => name !== errandAdapter, `"${errandAdapter}" is mom's own; choose another name`);

const { cli, slack, discord, telegram, webchat } = channelCatalog;
const adapter = z.discriminatedUnion("type", [
  cli.configSchema,
  slack.configSchema,
  discord.configSchema,
  telegram.configSchema,
  webchat.configSchema,
]);

const agent = agentConfig.extend({
  tools: agentToolsConfig.optional(),
  budget: budgetConfig.default([]),
  heartbeat: agentHeartbeatConfig.optional(),
});

const slices = z.object({
  $schema: z.string().optional().describe("Where editors find the JSON Schema; mom does not read it."),
  adapters: z
    .record(adapterName, adapter)
    .default({})
    .describe("Where people talk to mom: one entry per login, by name."),
  channels: channelsConfig.prefault({}),
  models: modelsConfig.prefault({}),
  auth: authConfig.prefault({}),
  agents: z
    .record(adapterName, agent)
    .default({})
    .describe(
      "Agents by name, each with its own model, workspace, tools and budget. main answers where no route names another.",
    ),
  routes: routesConfig.default([]),
  sessions: sessionsConfig.prefault({}),
  tools: toolsConfig.prefault({}),
  sandbox: sandboxConfig.prefault({}),
  security: securityConfig.prefault({}),
  queue: queueConfig.prefault({}),
  skills: skillsConfig.prefault({}),
  memory: memoryConfig.prefault({}),
  cron: cronConfig.prefault({}),
  events: eventsConfig.prefault({}),
  hooks: hooksConfig.prefault({}),
  heartbeat: heartbeatConfig.prefault({}),
  subagents: subagentsConfig.prefault({}),
  gateway: gatewayConfig.prefault({}),
  logging: loggingConfig.prefault({}),
});

/** What one slice says of another is checked here. */
export const configSchema = slices.superRefine(({ agents, routes }, context) => {
  for (const [index, { agent: name }] of routes.entries()) {
    if (name === mainAgentId || agents[name] !== undefined) continue;
    const known = [mainAgentId, ...Object.keys(agents)].join(", ");
    const message = `There is no agent "${name}"; there is ${known}. Add it under agents.`;
    context.addIssue({ code: "custom", path: ["routes", index, "agent"], message });
  }
});

export type MomConfig = z.output<typeof configSchema>;

/** Written into a data directory that has no config yet. */
export const defaultConfigText = `// The configuration of mom. This is JSON5: comments, bare keys and trailing commas are fine.
// Edits are picked up while mom runs. "mom config validate" checks the file, "mom config schema" lists every key.
//
// No secret needs to stand here: any string may be "\${ENV_NAME}" or { "$file": "path" }.
{
  // Where people talk to mom: one entry per login, under a name of your choice.
  adapters: {
    // The terminal that mom was started in. Whoever sits at it is the owner.
    terminal: { type: "cli" },
  },

  // Which model answers. Without any, mom takes one that has a key ("mom auth add anthropic", or a variable such as
  // ANTHROPIC_API_KEY), else a local Ollama, else its small built-in one, which needs neither key nor network.
  models: {
    // default: "anthropic/<model>",
    // providers: {
    //   lab: { api: "openai-completions", baseUrl: "http://127.0.0.1:8000/v1", apiKey: "\${LAB_KEY}", models: [{ id: "m1" }] },
    // },
  },

  // The web page and the API, on this machine only; "mom gateway link" lets a browser in. How to reach it from elsewhere,
  // safely: docs/gateway.md.
  gateway: {
    // port: 18800,
    // http: { openai: true },
  },

  // What the model may do: "minimal", "coding", "messaging" or "full", less what is denied.
  tools: {
    profile: "full",
    deny: [],
  },
}
`;
