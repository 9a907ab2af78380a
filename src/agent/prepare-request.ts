/** Everything of a request but the messages: tools by policy, the prompt by section, and what both cost. */
import type { Errand } from "../contracts/errand.ts";
import type { ChannelContext } from "../contracts/message.ts";
import type { ModelInfo, ThinkingLevel, ToolDeclaration } from "../contracts/model.ts";
import type { ToolScope, ToolSet } from "../contracts/tool.ts";
import type { BootstrapFile, Skill } from "../contracts/workspace.ts";
import type { AgentDeps, ChannelFacts } from "./agent-deps.ts";
import { pickFileType } from "./build-scope.ts";
import { charactersPerToken, estimateTokensOfText, safetyMargin } from "./compaction/token-estimate.ts";
import type { LocalTimes } from "./prompt/local-time.ts";
import type { PromptFacts, PromptSection } from "./prompt/prompt-facts.ts";
import { buildSystemPrompt, joinSections, pickPromptMode } from "./prompt/system-prompt.ts";

export interface PreparedRequest {
  toolSet: ToolSet;
  tools: ToolDeclaration[];
  sections: PromptSection[];
  system: string;
  thinking: ThinkingLevel;
  skills: readonly Skill[];
  /** Estimates, with the safety margin. */
  tokens: { system: number; tools: number };
}

/** A file of the workspace takes at most this share of the window, whatever the agent's limit is. */
const bootstrapShare = 0.05;
/** The index of skills takes at most this one. */
const skillsShare = 0.1;

export async function prepareRequest(
  deps: AgentDeps,
  parts: { model: ModelInfo; scope: ToolScope; channel: ChannelContext; times: LocalTimes; errand?: Errand },
): Promise<PreparedRequest> {
  const { model, scope, errand } = parts;
  const { session } = scope;
  const { surroundings } = deps;
  const profile = deps.profileOf(session.agentId);
  const workspace = deps.workspaceOf(session.agentId);
  const channelFolder = surroundings.channelFolder(scope.channel);
  const maxChars = Math.min(
    profile.bootstrapMaxChars,
    Math.floor(model.contextWindow * charactersPerToken * bootstrapShare),
  );
  const [toolSet, bootstrapFiles, { skills }, overrides, standingOrders, isFirstRun] = await Promise.all([
    deps.toolbox.open(scope),
    errand?.files === "none"
      ? []
      : workspace.bootstrapFiles({ sessionType: pickFileType(scope), channelFolder, maxChars }),
    workspace.skills(channelFolder),
    workspace.promptOverrides(),
    deps.standingOrders.list(session.agentId),
    workspace.isFirstRun(),
  ]);
  const adapter = surroundings.adapter(parts.channel.adapter);
  const thinking = errand?.thinking ?? session.thinkingLevel ?? profile.thinking;
  const facts: PromptFacts = {
    mode: errand?.promptMode ?? pickPromptMode(session),
    session,
    tools: toolSet.declarations,
    skills,
    skillsMaxChars: Math.floor(model.contextWindow * charactersPerToken * skillsShare),
    standingOrders,
    owners: parts.channel.users.filter(({ id }) => adapter.owners.includes(id)),
    users: parts.channel.users,
    channels: parts.channel.channels,
    timeZone: surroundings.timeZone,
    localDate: parts.times.date(deps.clock.now()),
    workspaceDir: profile.workspaceDir,
    workDir: surroundings.workDir(scope),
    channelFolder: surroundings.toToolPath(scope, channelFolder) || ".",
    ...(surroundings.docsDir !== undefined && { docsDir: surroundings.docsDir }),
    bootstrapFiles,
    isFirstRun: isFirstRun && session.type === "main",
    overrides,
    aliases: deps.models.aliases(),
    host: surroundings.host,
    ...(session.type === "main" && profile.workDir !== profile.workspaceDir && { repo: profile.workDir }),
    model: model.ref,
    ...(thinking !== "off" && model.reasoning && { thinking }),
    hostTools: toolSet.hostTools,
    ...(toolSet.sandbox && { sandbox: toolSet.sandbox }),
    adapterType: adapter.type,
    capabilities: adapter.capabilities,
    channelToolHints: buildChannelHints(adapter, toolSet.declarations),
    hasReplyTags: adapter.hasReplyTags ?? false,
    ...(canReact(toolSet.declarations) && { reactionLevel: adapter.reactionLevel ?? "none" }),
    ...(errand?.role && { extra: errand.role }),
    ...pickDoings(surroundings.ownDoings(scope), bootstrapFiles),
  };
  const sections = buildSystemPrompt(facts);
  const system = joinSections(sections);
  const tools = toolSet.declarations;
  const withMargin = (text: string) => Math.ceil(estimateTokensOfText(text) * safetyMargin);
  const tokens = { system: withMargin(system), tools: withMargin(JSON.stringify(tools)) };
  return { toolSet, tools, sections, system, thinking, skills, tokens };
}

/** While HEARTBEAT.md is empty no heart beats, and nothing needs to be said of it. */
function pickDoings(
  { eventsDoc, heartbeatPrompt }: ReturnType<AgentDeps["surroundings"]["ownDoings"]>,
  files: readonly BootstrapFile[],
): Pick<PromptFacts, "eventsDoc" | "heartbeatPrompt"> {
  const beats = heartbeatPrompt !== undefined && files.some(({ name }) => name === "HEARTBEAT.md");
  return { ...(eventsDoc !== undefined && { eventsDoc }), ...(beats && { heartbeatPrompt }) };
}

/** Is there something to react with? */
const canReact = (tools: readonly ToolDeclaration[]) =>
  tools.some(({ name }) => name === "message" || /_(?:add_)?react(?:ion)?$/.test(name));

/** One line, where the platform has tools of its own that are allowed here. */
function buildChannelHints({ label, tools = [] }: ChannelFacts, allowed: readonly ToolDeclaration[]): string[] {
  const usable = tools.filter((name) => allowed.some((tool) => tool.name === name));
  if (label === undefined || usable.length === 0) return [];
  return [`You are connected to ${label}. Available channel tools: ${usable.join(", ")}.`];
}
