/**
 * Shortens old tool results before a summary is thought of: cheaper, and the conversation itself stays whole. Soft: head
 * and tail are kept. Hard: one line is left. The agent appends each prune to the transcript as a `context_edit`, so the
 * file keeps everything, and a pruned result is not pruned again, except from soft to hard.
 */
import type { EntryId } from "../../contracts/ids.ts";
import type { ToolCall, ToolResultMessage } from "../../contracts/model.ts";
import type { ContextItem } from "../context/context-item.ts";
import { countPictures, describeCall, textOf } from "./describe-message.ts";
import { cutMiddle, fitLine, fitText, formatCount } from "./shorten-text.ts";
import {
  charactersPerToken,
  type EstimateTokens,
  estimateTokens,
  estimateTokensOfText,
  safetyMargin,
} from "./token-estimate.ts";
import { isAnswer } from "./tool-groups.ts";
import { ensureContextWindow, maxReserveShare } from "./window-share.ts";

const softShare = 0.3;
const hardShare = 0.5;
/** Hard pruning goes on to here, so that it (and with it a provider's prompt cache) does not start again every turn. */
const hardTargetShare = 0.4;
const softMinCharacters = 4000;
const keptCharacters = 1500;
/** Shorter results are left alone: a marker says hardly less. */
const smallCharacters = 1000;
/** Results before the last three answers are old. */
const recentAnswers = 3;
/** The last results alone over `hardShare` of the window are cut to this share of it. */
const lastResultsShare = 0.4;

export interface Prune {
  targetId: EntryId;
  /** Replaces what the model is sent of that entry. */
  content: string;
}

export interface PruneOptions {
  contextWindow: number;
  /** Everything that would be sent, system prompt and tools included, with the safety margin. */
  tokens: number;
  estimate?: EstimateTokens;
}

interface Candidate {
  id: EntryId;
  message: ToolResultMessage;
  /** `read notes.md` */
  call: string;
  /** End of a marker: how to have it again. */
  again: string;
  isEdited: boolean;
  /** The running turn's last results, which the model has not answered yet. */
  isLast: boolean;
  isOld: boolean;
  isPinned: boolean;
}

/** Pure; empty while there is room. Every target once. */
export function planPrunes(
  items: readonly ContextItem[],
  { contextWindow, tokens, estimate = estimateTokens }: PruneOptions,
): Prune[] {
  const window = ensureContextWindow(contextWindow);
  if (tokens <= window * softShare) return [];
  const candidates = listCandidates(items);
  const old = candidates.filter((candidate) => candidate.isOld && !candidate.isPinned);
  const prunes = new Map<EntryId, string>();
  let left = tokens;
  const apply = (candidate: Candidate, content: string) => {
    const before = prunes.get(candidate.id);
    const tokensNow = before === undefined ? estimate(candidate.message) : estimateTokensOfText(before);
    const saved = tokensNow - estimateTokensOfText(content);
    if (saved <= 0) return;
    prunes.set(candidate.id, content);
    left -= saved * safetyMargin;
  };
  for (const candidate of old) if (isSoftTarget(candidate)) apply(candidate, buildSoft(candidate));
  if (left > window * hardShare) {
    for (const candidate of old) {
      if (left > window * hardTargetShare && isHardTarget(candidate)) apply(candidate, buildHard(candidate));
    }
  }
  if (left > window * (1 - maxReserveShare)) {
    for (const [candidate, content] of planLastResults(candidates, window, estimate)) apply(candidate, content);
  }
  return [...prunes].map(([targetId, content]) => ({ targetId, content }));
}

const isSoftTarget = ({ message, isEdited }: Candidate) =>
  countPictures(message) > 0 || (!isEdited && textOf(message).length > softMinCharacters);

const isHardTarget = ({ message }: Candidate) => countPictures(message) > 0 || textOf(message).length > smallCharacters;

function buildSoft({ message, call, again }: Candidate): string {
  const text = textOf(message);
  const short =
    text.length > softMinCharacters
      ? cutMiddle(text, keptCharacters, keptCharacters, (gone) => {
          return `\n[… ${formatCount(gone)} characters of the result of ${call} left out${again} …]\n`;
        })
      : text;
  return [short, ...formatLostPictures(message, call, again)].filter((part) => part !== "").join("\n");
}

const buildHard = ({ call, again }: Candidate) => `[Old tool result of ${call} cleared${again}]`;

function formatLostPictures(message: ToolResultMessage, call: string, again: string): string[] {
  const pictures = countPictures(message);
  const what = pictures === 1 ? "Picture" : `${pictures} pictures`;
  return pictures === 0 ? [] : [`[${what} in the result of ${call} cleared${again}]`];
}

const tooLarge = "[Too large to be shown whole. If you need the rest, ask for it in smaller pieces.]";

/** The one case where the last results are touched: by themselves they leave no room for anything else. */
function planLastResults(
  candidates: readonly Candidate[],
  window: number,
  estimate: EstimateTokens,
): [Candidate, string][] {
  const last = candidates.filter((candidate) => candidate.isLast);
  const total = last.reduce((sum, { message }) => sum + estimate(message), 0);
  if (total * safetyMargin <= window * hardShare) return [];
  const maxTokens = Math.floor((window * lastResultsShare) / safetyMargin / last.length);
  return last
    .filter(({ message, isEdited }) => !isEdited && estimate(message) > maxTokens)
    .map((candidate) => {
      const { message, call, again } = candidate;
      const end = [...formatLostPictures(message, call, again), tooLarge];
      const room = maxTokens * charactersPerToken - end.join("\n").length - 1;
      return [candidate, [fitText(textOf(message), room), ...end].filter((part) => part !== "").join("\n")];
    });
}

function listCandidates(items: readonly ContextItem[]): Candidate[] {
  const answers = items.flatMap(({ message }, index) => (isAnswer(message) ? [index] : []));
  const oldEnd = answers.at(-recentAnswers) ?? 0;
  const lastAnswer = answers.at(-1) ?? -1;
  // Providers use ids again, so the latest call with an id is the one that a result answers.
  const calls = new Map<string, ToolCall>();
  const candidates: Candidate[] = [];
  for (const [index, { id, message, scope, isEdited }] of items.entries()) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
    }
    if (message.role !== "toolResult") continue;
    const call = calls.get(message.toolCallId);
    candidates.push({
      id,
      message,
      call: toMarkerText(call ? describeCall(call) : message.toolName),
      again: scope ? `. ${toMarkerText(scope.reload)}` : "; run it again if you need it",
      isEdited: isEdited ?? false,
      isLast: index > lastAnswer,
      isOld: index < oldEnd,
      isPinned: scope?.pinned ?? false,
    });
  }
  return candidates;
}

/** One line that cannot end the marker it stands in. */
const toMarkerText = (text: string) => fitLine(text.replace(/[[\]]/g, ""), 300);
