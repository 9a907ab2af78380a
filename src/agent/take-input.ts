/**
 * The first step of a turn: the message becomes part of the transcript, with what was said around it, the pictures that
 * came along and the skill it calls. What earlier turns needed and this one does not leaves the context in the same step.
 */
import type { TurnContext } from "../contracts/agent.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { ModelInfo } from "../contracts/model.ts";
import type { NewEntry } from "../contracts/turn.ts";
import type { ExpandedPrompt } from "../contracts/workspace.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { buildInput } from "./build-input.ts";
import { mostContextEntries } from "./context/load-context.ts";
import { buildSkillScope } from "./context/pick-scope.ts";
import type { SharedParts } from "./create-workbench.ts";
import { readImages } from "./read-images.ts";
import { buildMessageEntry, buildModelChange, buildSkillText } from "./transcript-entries.ts";

/** Chatter of a group that is folded into one turn, at most; elsewhere what is heard is mom's own doings, and none is left out lightly. */
const mostChatterLines = 50;
const mostHeardLines = 300;
/** The first-run ritual is over after so many turns, whatever came of it. */
const firstRunTurns = 5;

/** A message that calls what cannot be used is answered at once; nothing is recorded then. */
export async function takeInput(
  deps: AgentDeps,
  parts: {
    message: ChannelMessage;
    context: TurnContext;
    /** Absent: none could be had. */
    model: ModelInfo | undefined;
    shared: SharedParts;
  },
): Promise<{ type: "taken" } | { type: "refused"; message: string }> {
  const { message, context, model, shared } = parts;
  const { turn, session } = context;
  const now = deps.clock.now();
  const { errand } = message;
  const channelFolder = deps.surroundings.channelFolder(errand?.principal.channel ?? turn.route.channel);
  // Findings, events and words of other sessions are text; only what a person has written calls a skill or a template.
  const isTyped = errand === undefined || errand.type === "cron";
  const expanded = isTyped ? await deps.workspaceOf(session.agentId).expand(message.text, channelFolder) : undefined;
  if (expanded?.type === "refused") return expanded;

  const isGroup = session.type === "group" || session.type === "topic";
  const mostLines = isGroup ? mostChatterLines : mostHeardLines;
  const heard = await deps.inbox.unseen(session.sessionKey, turn.route.channel, turn.seq, mostLines);
  for (const { outside } of heard) if (outside !== undefined) await deps.noteOutside(session.sessionId, outside);
  const input = buildInput({
    messages: [message],
    heard,
    expandedText: pickText(expanded),
    images: await readImages(deps, [message]),
    toToolPath: (path) => deps.surroundings.toToolPath({ session, channel: turn.route.channel }, path),
    localTime: shared.times.minute(now),
    nowMs: now,
  });
  const said = buildMessageEntry(input, now);
  const { entries: past } = await deps.transcripts.context(session.sessionKey, mostContextEntries);
  const afterTurns = deps.profileOf(session.agentId).forgetAfterTurns;
  const entries: NewEntry[] = [
    ...shared.contexts.expire([...past, { ...said, parentId: null }], { afterTurns, nowMs: now }),
    ...(model === undefined || session.model === model.ref ? [] : [buildModelChange(model, now)]),
    ...(expanded?.type === "skill" ? [toSkillText(expanded, now)] : []),
    said,
  ];
  await context.record({ body: { type: "input", seenSeq: turn.seq }, entries });
  if (session.type === "main") await endFirstRunInTime(deps, session.agentId);
  return { type: "taken" };
}

function toSkillText({ skill, body }: Extract<ExpandedPrompt, { type: "skill" }>, nowMs: number): NewEntry {
  const scope = buildSkillScope(skill);
  return buildSkillText(
    skill.name,
    `<skill name="${skill.name}" path="${skill.path}">\n${body}\n</skill>`,
    scope,
    nowMs,
  );
}

function pickText(expanded: Exclude<ExpandedPrompt, { type: "refused" }> | undefined): string | undefined {
  if (expanded?.type === "template") return expanded.text;
  return expanded && (expanded.args || `Do what the skill ${expanded.skill.name} says.`);
}

async function endFirstRunInTime({ kv, workspaceOf }: AgentDeps, agentId: string): Promise<void> {
  const workspace = workspaceOf(agentId);
  if (!(await workspace.isFirstRun())) return;
  const turns = Number((await kv.get("first-run", agentId)) ?? 0) + 1;
  await kv.set("first-run", agentId, turns);
  if (turns > firstRunTurns) await workspace.endFirstRun();
}
