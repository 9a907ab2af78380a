/**
 * The system prompt: its sections in the order of spec 3.5, each a function of its own. What does not change between turns
 * comes first and is the same to the byte, so that providers' prompt caches hit; what may change is the tail.
 */
import type { SessionEntry } from "../../contracts/session.ts";
import { toBlock } from "./plain-line.ts";
import type { PromptFacts, PromptMode, PromptSection } from "./prompt-facts.ts";
import { cliReference } from "./sections/cli-reference.ts";
import { dateAndTime, today } from "./sections/date-and-time.ts";
import { identity } from "./sections/identity.ts";
import { memoryRecall } from "./sections/memory-recall.ts";
import { events, heartbeats, modelAliases, runtime, selfUpdate } from "./sections/operation.ts";
import { channels, userIdentity, users } from "./sections/people.ts";
import { projectContext } from "./sections/project-context.ts";
import { messaging, reactions, reasoningFormat, replyTags, silentReplies, voice } from "./sections/replies.ts";
import { skills } from "./sections/skills.ts";
import { standingOrders } from "./sections/standing-orders.ts";
import { channelTools, hostTools, toolCallStyle, tooling } from "./sections/tooling.ts";
import { documentation, sandbox, workspace, workspaceFiles } from "./sections/workspace.ts";

interface SectionRule {
  /** Also its heading. */
  name: string;
  /** Undefined: its condition does not hold. */
  build(facts: PromptFacts): string | undefined;
  /** A line or two that needs no heading. */
  isBare?: true;
  /** Not for subagents. */
  isForFullOnly?: true;
  /** Not part of the base that SYSTEM.md replaces. */
  staysWithSystemFile?: true;
}

const stableSections: readonly SectionRule[] = [
  { name: "Identity", build: identity, isBare: true },
  { name: "Tooling", build: tooling },
  { name: "Host tools", build: hostTools },
  { name: "Channel tools", build: channelTools },
  { name: "Tool call style", build: toolCallStyle },
  { name: "CLI quick reference", build: cliReference },
  { name: "Skills", build: skills, isForFullOnly: true, staysWithSystemFile: true },
  { name: "Memory recall", build: memoryRecall, isForFullOnly: true },
  { name: "User identity", build: userIdentity, isForFullOnly: true },
  { name: "Current date & time", build: dateAndTime },
  { name: "Workspace", build: workspace },
  { name: "Documentation", build: documentation, isForFullOnly: true },
  { name: "Sandbox", build: sandbox },
  { name: "Workspace files", build: workspaceFiles },
  { name: "Reply tags", build: replyTags, isForFullOnly: true },
  { name: "Messaging", build: messaging, isForFullOnly: true },
  { name: "Voice", build: voice, isForFullOnly: true },
  { name: "Self-update", build: selfUpdate, isForFullOnly: true },
  { name: "Model aliases", build: modelAliases, isForFullOnly: true },
  { name: "Events", build: events, isForFullOnly: true },
  { name: "Project context", build: projectContext, staysWithSystemFile: true },
  { name: "Silent replies", build: silentReplies, isForFullOnly: true },
  { name: "Heartbeats", build: heartbeats, isForFullOnly: true },
  { name: "Users", build: users, isForFullOnly: true },
  { name: "Channels", build: channels, isForFullOnly: true },
  // After every text that others had a hand in.
  { name: "Standing orders", build: standingOrders, staysWithSystemFile: true },
];

/** These hang on the model, the channel and the day. The date changes most often and is the last line. */
const volatileSections: readonly SectionRule[] = [
  { name: "Runtime", build: runtime, isBare: true, staysWithSystemFile: true },
  { name: "Reactions", build: reactions },
  // Asked for by the model, not by the base: without it, thinking would be posted.
  { name: "Reasoning format", build: reasoningFormat, staysWithSystemFile: true },
  { name: "Date", build: today, isBare: true, staysWithSystemFile: true },
];

/** Pure: the same facts give the same bytes. */
export function buildSystemPrompt(facts: PromptFacts): PromptSection[] {
  if (facts.mode === "none") return [{ name: "Identity", text: identity() }];
  const system = toBlock(facts.overrides?.system ?? "");
  const append = toBlock(facts.overrides?.append ?? "");
  const buildAll = (rules: readonly SectionRule[]) =>
    rules
      .filter((rule) => rule.staysWithSystemFile || system === "")
      .filter((rule) => !rule.isForFullOnly || facts.mode === "full")
      .flatMap((rule) => buildSection(rule, facts) ?? []);
  return [
    ...(system ? [{ name: "SYSTEM.md", text: system }] : []),
    ...buildAll(stableSections),
    ...(facts.extra ?? []).filter(({ text }) => text !== "").map(({ name, text }) => ({ name, text })),
    ...(append ? [{ name: "APPEND_SYSTEM.md", text: append }] : []),
    ...buildAll(volatileSections).map((section) => ({ ...section, isVolatile: true as const })),
  ];
}

function buildSection({ name, build, isBare }: SectionRule, facts: PromptFacts): PromptSection | undefined {
  const body = build(facts);
  return body === undefined ? undefined : { name, text: isBare ? body : `## ${name}\n${body}` };
}

/** Between two sections. */
export const sectionGap = "\n\n";

/** What is sent. */
export function joinSections(sections: readonly Pick<PromptSection, "text">[]): string {
  return sections.map(({ text }) => text).join(sectionGap);
}

export function pickPromptMode(session: Pick<SessionEntry, "type">): PromptMode {
  return session.type === "subagent" ? "minimal" : "full";
}
