/**
 * The summary of a conversation that may be longer than the model's window: in parts that fit, then the notes on the parts
 * merged. Whatever a model cannot be brought to say is put together mechanically, so there always is a summary.
 */
import type { ModelMessage } from "../../contracts/model.ts";
import { createLimitedAsk, type LimitedAsk } from "./limited-ask.ts";
import { buildMechanicalSummary } from "./mechanical-summary.ts";
import { estimateRendered, indent, renderMaterial } from "./render-material.ts";
import { fitText } from "./shorten-text.ts";
import { splitByMaxTokens, splitByTokenShare } from "./split-messages.ts";
import {
  type Ask,
  buildMergePrompt,
  buildNotesPrompt,
  type PromptFrame,
  type SummaryPrompt,
} from "./summary-prompts.ts";
import { stripHeading } from "./summary-text.ts";
import { charactersPerToken, estimateTokensOfText, safetyMargin, sumTokens } from "./token-estimate.ts";
import { ensureContextWindow } from "./window-share.ts";

/** More are not read by a model: the oldest are put together mechanically. */
const maxParts = 10;
const maxLeftOutLines = 10;
/** `notes 3 of 10:` */
const maxLabelCharacters = 20;
/** First as it is, then once with half as much. */
const attempts = [1, 0.5];

export interface StagedSummaryRequest {
  messages: readonly ModelMessage[];
  /** What stands for everything before; carried on. */
  previousSummary?: string | undefined;
  /** What whoever ordered it wants taken care of. */
  instructions?: string | undefined;
  /** Of the model that is asked, tokens. */
  contextWindow: number;
  ask: Ask;
  signal: AbortSignal;
  /** Length of the summary. Absent: by the window. */
  maxSummaryTokens?: number;
}

export type StagedSummary =
  | { type: "summary"; text: string; asks: number /** Why the model had to be replaced. */; lastFailure?: string }
  | { type: "aborted" };

/** Never fails because the model does; a rejection of `ask` that is not the abort goes through. */
export async function summariseInStages(request: StagedSummaryRequest): Promise<StagedSummary> {
  const limited = createLimitedAsk(request.ask, request.signal);
  try {
    const text = await summarise(request, limited);
    const lastFailure = limited.lastFailure();
    return { type: "summary", text, asks: limited.count(), ...(lastFailure !== undefined && { lastFailure }) };
  } catch (error) {
    if (request.signal.aborted) return { type: "aborted" };
    throw error;
  }
}

export function pickSummaryTokens(contextWindow: number, scale = 1): number {
  return Math.floor(Math.max(200, Math.min(4096, ensureContextWindow(contextWindow) * 0.1 * Math.min(1, scale))));
}

/** Sizes for one summary: `material` is what may stand in a prompt, `answer` what may come back. */
interface Stage {
  limited: LimitedAsk;
  frame: PromptFrame;
  answerCharacters: number;
  materialCharacters: number;
  leftOut: string[];
}

async function summarise(request: StagedSummaryRequest, limited: LimitedAsk): Promise<string> {
  request.signal.throwIfAborted();
  const { messages, instructions } = request;
  const window = ensureContextWindow(request.contextWindow);
  const answerTokens = request.maxSummaryTokens ?? pickSummaryTokens(window);
  const answerCharacters = answerTokens * charactersPerToken;
  const previous = fitText(stripHeading(request.previousSummary ?? "").trim(), answerCharacters);
  if (messages.length === 0) return previous;
  const frame = { instructions, maxOutputTokens: answerTokens };
  const materialTokens = Math.floor((window - answerTokens) / safetyMargin) - measurePrompt(frame);
  // The old notes are part of one prompt, and two sets of notes must fit into a merge.
  if (materialTokens < answerTokens * 3) return buildMechanicalSummary(messages, previous, answerCharacters);
  const stage: Stage = {
    limited,
    frame,
    answerCharacters,
    materialCharacters: (materialTokens - estimateTokensOfText(indent(previous))) * charactersPerToken,
    leftOut: [],
  };
  const parts = splitIntoParts(messages, stage.materialCharacters / charactersPerToken);
  const [only] = parts;
  const body =
    parts.length === 1 && only
      ? await summarisePart(only, previous, stage)
      : await summariseParts(parts, previous, stage);
  return appendLeftOut(body, stage);
}

/** Tokens of everything in a prompt but the material: the longer of the two kinds. */
function measurePrompt(frame: PromptFrame): number {
  const measure = ({ system, user }: SummaryPrompt) => estimateTokensOfText(system) + estimateTokensOfText(user);
  return Math.max(measure(buildNotesPrompt("", " ", frame)), measure(buildMergePrompt([""], frame)));
}

/** Even shares first, so that the last part is not a crumb; what is still too large is split by size. */
function splitIntoParts(messages: readonly ModelMessage[], maxTokens: number): ModelMessage[][] {
  const count = Math.ceil(sumTokens(messages, estimateRendered) / maxTokens);
  const shares = splitByTokenShare(messages, count, estimateRendered);
  return shares.flatMap((share) => splitByMaxTokens(share, maxTokens, estimateRendered));
}

async function summariseParts(parts: readonly ModelMessage[][], previous: string, stage: Stage): Promise<string> {
  const surplus = Math.max(0, parts.length - maxParts);
  const notes = previous === "" ? [] : [previous];
  if (surplus > 0) notes.push(buildMechanicalSummary(parts.slice(0, surplus).flat(), "", stage.answerCharacters));
  for (const part of parts.slice(surplus)) notes.push(await summarisePart(part, "", stage));
  return merge(notes, stage);
}

async function summarisePart(part: readonly ModelMessage[], previous: string, stage: Stage): Promise<string> {
  let room = stage.materialCharacters;
  for (const share of attempts) {
    const { text, leftOut } = renderMaterial(part, Math.floor(room * share));
    room = Math.min(room, text.length);
    const notes = await stage.limited.ask(buildNotesPrompt(text, previous, stage.frame));
    if (notes === undefined) continue;
    stage.leftOut.push(...leftOut);
    return fitText(notes, stage.answerCharacters);
  }
  return buildMechanicalSummary(part, previous, stage.answerCharacters);
}

/** Round after round, as many at a time as fit into a prompt, until one is left. */
async function merge(notes: readonly string[], stage: Stage): Promise<string> {
  let rest = notes;
  while (rest.length > 1) {
    const merged: string[] = [];
    for (const group of packNotes(rest, stage.materialCharacters)) merged.push(await mergeGroup(group, stage));
    rest = merged;
  }
  return rest[0] ?? "";
}

/** Groups of at least two, the last one apart. */
function packNotes(notes: readonly string[], maxCharacters: number): string[][] {
  const groups: string[][] = [];
  let characters = 0;
  for (const text of notes) {
    const group = groups.at(-1);
    const added = indent(text).length + maxLabelCharacters;
    if (group && (group.length < 2 || characters + added <= maxCharacters)) {
      group.push(text);
      characters += added;
    } else {
      groups.push([text]);
      characters = added;
    }
  }
  return groups;
}

async function mergeGroup(notes: readonly string[], stage: Stage): Promise<string> {
  const [only = ""] = notes;
  if (notes.length < 2) return only;
  const fitEach = (characters: number) => notes.map((text) => fitText(text, Math.floor(characters / notes.length)));
  const whole = notes.reduce((sum, text) => sum + text.length, 0);
  for (const share of attempts) {
    const short = share === 1 ? notes : fitEach(whole * share);
    const merged = await stage.limited.ask(buildMergePrompt(short, stage.frame));
    if (merged !== undefined) return fitText(merged, stage.answerCharacters);
  }
  return fitEach(stage.answerCharacters - notes.length * 2).join("\n\n");
}

function appendLeftOut(body: string, { leftOut, answerCharacters }: Stage): string {
  if (leftOut.length === 0) return body;
  const more = leftOut.length - maxLeftOutLines;
  const lines = [...leftOut.slice(0, maxLeftOutLines), ...(more > 0 ? [`${more} more`] : [])];
  const list = fitText(lines.map((line) => `- ${line}`).join("\n"), Math.floor(answerCharacters / 3));
  const section = `\n\n## Left out of this summary\n${list}`;
  return `${fitText(body, answerCharacters - section.length)}${section}`;
}
