/** Makings of a system prompt for tests: tools, skills, orders, files, and the least that a prompt needs. */
import type { PromptFacts } from "../../src/agent/prompt/prompt-facts.ts";
import { buildSystemPrompt, joinSections } from "../../src/agent/prompt/system-prompt.ts";
import type { ToolDeclaration } from "../../src/contracts/model.ts";
import type { StandingOrder } from "../../src/contracts/standing-order.ts";
import type { Skill } from "../../src/contracts/workspace.ts";

export const declare = (name: string, description = `What ${name} does. More about it.`): ToolDeclaration => ({
  name,
  description,
  parameters: { type: "object", properties: {} },
});
export const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `How to ${name}.`,
  path: `/w/skills/${name}/SKILL.md`,
  source: "workspace",
  isModelInvocable: true,
  isUserInvocable: true,
  tags: [],
  isPinned: false,
  missing: [],
  warnings: [],
  ...more,
});
export const order = (id: string, more: Partial<StandingOrder> = {}): StandingOrder => ({
  id,
  agentId: "main",
  text: `Order ${id}`,
  denyTools: [],
  denyRecipients: [],
  by: "cli:ann",
  createdAt: 1,
  ...more,
});
export const file = (name: string, text = `Text of ${name}`) => ({ name, text, totalChars: text.length });

export const bareFacts: PromptFacts = {
  mode: "full",
  session: { type: "main", agentId: "main" },
  tools: [],
  workspaceDir: "/w",
  channelFolder: "channels/cli/general",
};

export const promptOf = (facts: PromptFacts) => joinSections(buildSystemPrompt(facts));
export const sectionOf = (facts: PromptFacts, name: string) =>
  buildSystemPrompt(facts).find((section) => section.name === name)?.text;
