/**
 * One compaction: what would be sent, in; the summary and the first entry that is kept, out. The agent appends them to the
 * transcript as an entry; nothing of the transcript is lost. Runs before the window is full, after an overflow error and
 * on `/compact`.
 */
import type { EntryId } from "../../contracts/ids.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import type { ContextItem } from "../context/context-item.ts";
import { textOf } from "./describe-message.ts";
import { buildMechanicalSummary } from "./mechanical-summary.ts";
import { pickCut } from "./pick-cut.ts";
import { pickRunningRequest } from "./running-request.ts";
import { fitText } from "./shorten-text.ts";
import { pickSummaryTokens, type StagedSummary, summariseInStages } from "./summarise-in-stages.ts";
import type { Ask } from "./summary-prompts.ts";
import { buildSummaryText, splitSummary } from "./summary-text.ts";
import {
  charactersPerToken,
  type EstimateTokens,
  estimateTokens,
  estimateTokensOfText,
  safetyMargin,
  sumTokens,
} from "./token-estimate.ts";
import { computeAdaptiveRatio, ensureContextWindow, maxReserveShare } from "./window-share.ts";

/** A summary shorter than this says nothing, and putting away less than this gains nothing. */
const minSummaryTokens = 60;
const minGainTokens = 120;
/** The words that the context puts before a summary: with them, too, there must be fewer tokens than before. */
const prefaceTokens = 20;
/** The rest of the room is for the turns until the next compaction. */
const maxRoomShare = 2 / 3;

export interface CompactItemsRequest {
  items: readonly ContextItem[];
  /** Tokens, of the model that the items are for. */
  contextWindow: number;
  /** Under 1: keep less. For another try after an overflow error, each smaller than the one before. */
  ratioScale?: number;
  /** What whoever ordered it wants taken care of. */
  instructions?: string | undefined;
  /** Asks a model for a summary. Absent: it is put together mechanically. */
  ask?: Ask | undefined;
  signal: AbortSignal;
  /** Estimate of what is sent besides the items: system prompt and tools. */
  fixedTokens: number;
  estimate?: EstimateTokens;
}

/** Tokens are estimates without the margin, `fixedTokens` included. */
export type Compaction =
  | {
      type: "compacted";
      /** Begins with `summaryHeading`. */
      summary: string;
      firstKeptId: EntryId;
      tokensBefore: number;
      /** Always fewer than before. */
      tokensAfter: number;
      asks: number;
      /** Why the model was replaced by a mechanical summary, in part or in whole. */
      lastFailure?: string;
    }
  | { type: "nothing"; tokens: number }
  | { type: "aborted" };

export async function compactItems(request: CompactItemsRequest): Promise<Compaction> {
  if (request.signal.aborted) return { type: "aborted" };
  const { items, fixedTokens, estimate = estimateTokens } = request;
  const sum = (some: readonly ContextItem[]) => sumTokens(toMessages(some), estimate);
  const tokensBefore = fixedTokens + sum(items);
  const plan = planCompaction(request, estimate);
  const firstKept = plan && items[plan.cut];
  if (!plan || !firstKept) return { type: "nothing", tokens: tokensBefore };
  const keptTokens = fixedTokens + sum(items.slice(plan.cut));
  const maxSummaryTokens = Math.min(plan.maxSummaryTokens, tokensBefore - keptTokens - 1 - prefaceTokens);
  if (maxSummaryTokens < minSummaryTokens) return { type: "nothing", tokens: tokensBefore };
  const body = await summarise(request, plan, maxSummaryTokens);
  if (body.type === "aborted") return body;
  const summary = buildSummaryText({
    body: body.text,
    request: plan.request,
    reloads: plan.reloads,
    maxCharacters: maxSummaryTokens * charactersPerToken,
  });
  return {
    type: "compacted",
    summary,
    firstKeptId: firstKept.id,
    tokensBefore,
    tokensAfter: keptTokens + estimateTokensOfText(summary),
    asks: body.asks,
    ...(body.lastFailure !== undefined && { lastFailure: body.lastFailure }),
  };
}

interface Plan {
  cut: number;
  /** Messages that the summary has to stand for, the old summary apart. */
  gone: readonly ContextItem[];
  previousSummary: string | undefined;
  request: string | undefined;
  reloads: string[];
  /** Of the whole text. */
  maxSummaryTokens: number;
  /** Of its body, the words of the running turn apart. */
  bodyTokens: number;
}

/** What goes and what stays, before anybody is asked. Undefined when there is too little to gain. */
function planCompaction(request: CompactItemsRequest, estimate: EstimateTokens): Plan | undefined {
  const { items, ratioScale = 1 } = request;
  const first = items[0]?.isSummary ? 1 : 0;
  const picked = pickCut(items, pickKeepTokens(request, estimate), { roomTokens: pickRoomTokens(request), estimate });
  const cut = picked ?? first;
  const gone = items.slice(first, cut);
  const bodyTokens = pickSummaryTokens(request.contextWindow, ratioScale);
  const words = pickRunningRequest(items, cut);
  const running = words === undefined ? undefined : fitText(words, bodyTokens * charactersPerToken);
  const maxSummaryTokens = bodyTokens + estimateTokensOfText(running ?? "");
  const previous = items.slice(0, first);
  const spareTokens = sumTokens(toMessages(previous), estimate) - maxSummaryTokens;
  if (Math.max(spareTokens, sumTokens(toMessages(gone), estimate)) < minGainTokens) return undefined;
  return {
    cut,
    gone,
    previousSummary: previous[0] && pickPreviousSummary(textOf(previous[0].message), words),
    request: running,
    reloads: gone.flatMap(({ scope }) => (scope?.pinned ? [`${scope.name}: ${scope.reload}`] : [])),
    maxSummaryTokens,
    bodyTokens,
  };
}

/** The share of recent history, and where large fixed parts leave little, not so much that it is full again at once. */
function pickKeepTokens(request: CompactItemsRequest, estimate: EstimateTokens): number {
  const window = ensureContextWindow(request.contextWindow);
  const ratio = computeAdaptiveRatio(toMessages(request.items), window, estimate);
  return Math.min((ratio * window * (request.ratioScale ?? 1)) / safetyMargin, pickRoomTokens(request) * maxRoomShare);
}

/** What the window has for history besides the fixed parts, the summary and the answer. */
function pickRoomTokens({ contextWindow, fixedTokens, ratioScale = 1 }: CompactItemsRequest): number {
  const window = ensureContextWindow(contextWindow);
  const free = (window * (1 - maxReserveShare)) / safetyMargin - fixedTokens - pickSummaryTokens(window);
  return Math.max(0, free * Math.min(1, ratioScale));
}

/** The words of the running turn are carried on by themselves; once is enough. */
function pickPreviousSummary(text: string, words: string | undefined): string {
  const { body, request } = splitSummary(text);
  return request !== undefined && words?.startsWith(request) ? body : text;
}

async function summarise(
  { contextWindow, instructions, ask, signal }: CompactItemsRequest,
  { gone, previousSummary, bodyTokens }: Plan,
  maxTokens: number,
): Promise<StagedSummary> {
  const messages = toMessages(gone);
  const maxSummaryTokens = Math.min(bodyTokens, maxTokens);
  if (!ask) {
    const text = buildMechanicalSummary(messages, previousSummary, maxSummaryTokens * charactersPerToken);
    return { type: "summary", text, asks: 0 };
  }
  return summariseInStages({ messages, previousSummary, instructions, contextWindow, ask, signal, maxSummaryTokens });
}

const toMessages = (items: readonly ContextItem[]): ModelMessage[] => items.map((item) => item.message);
