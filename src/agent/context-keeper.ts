/**
 * Keeps what a model is sent within its window: builds it from the transcript, trims old tool results first, then
 * summarises what is old, before the window is full and again when the provider says that it is. Everything it changes is
 * appended to the transcript; nothing is lost there.
 */
import type { AgentSessionEvent, CompactResult } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { ModelInfo, ModelMessage, Usage } from "../contracts/model.ts";
import type { NewStep } from "../contracts/turn.ts";
import type { OneAnswer, OneQuestion } from "./ask-once.ts";
import { compactItems } from "./compaction/compact-items.ts";
import { planPrunes } from "./compaction/plan-prunes.ts";
import { shouldCompact } from "./compaction/should-compact.ts";
import { type EstimateTokens, safetyMargin, sumTokens } from "./compaction/token-estimate.ts";
import type { ContextItem } from "./context/context-item.ts";
import { type ContextLoader, mostContextEntries } from "./context/load-context.ts";
import { buildCompaction, buildEdit } from "./transcript-entries.ts";

export interface ContextKeeper {
  /** What is sent next; shortened first where it would not fit. */
  prepare(): Promise<ModelMessage[]>;
  /** After the provider called it too long. False: there is nothing more to gain. */
  shrink(): Promise<boolean>;
  /** On request. */
  compact(instructions?: string): Promise<CompactResult>;
}

export interface KeeperParts {
  contexts: ContextLoader;
  clock: Clock;
  estimate: EstimateTokens;
  sessionKey: SessionKey;
  model: ModelInfo;
  /** Estimate of prompt and tools, with the safety margin. */
  fixedTokens: number;
  record(step: NewStep): Promise<void>;
  ask(question: OneQuestion): Promise<OneAnswer>;
  takeUsage(): { model: string; usage: Usage }[];
  /** Asked before old messages are summarised: a chance to note what should last. */
  flush?(old: readonly ModelMessage[]): Promise<void>;
  onEvent(event: AgentSessionEvent): Promise<void>;
  signal: AbortSignal;
  /** Windows that turned out to be smaller than the catalogue says, by model; until the next start. */
  learnedWindows: Map<string, number>;
  /** Sessions whose summary failed and was put off to the next turn. */
  putOff: Set<SessionKey>;
}

/** Of what was too long: a little less may still be. */
const learntShare = 0.95;
const tellingShare = 0.5;
/** More messages than this are summarised at the start of a turn even if they are short: a turn must not get slow. */
const mostItems = 400;
/** Each further overflow keeps half as much, so that a loop of overflows ends. */
const shrinkFactor = 0.5;

export function createContextKeeper(parts: KeeperParts): ContextKeeper {
  const { contexts, clock, estimate, sessionKey, model, fixedTokens, record, onEvent, signal } = parts;
  const { maxOutputTokens } = model;
  /** What the model says of itself, or what its provider has let through, if that is less. */
  let contextWindow = Math.min(model.contextWindow, parts.learnedWindows.get(model.ref) ?? model.contextWindow);
  let shrinks = 0;
  let isStart = true;

  const load = async () => (await contexts.load(sessionKey, mostContextEntries)).items;
  const toMessages = (items: readonly ContextItem[]) => items.map(({ message }) => message);
  const measure = (items: readonly ContextItem[]) =>
    Math.ceil(sumTokens(toMessages(items), estimate) * safetyMargin) + fixedTokens;

  /** Keeps about a third of what was said, however large the window is. */
  const scaleToContent = (tokens: number) => Math.min(1, (tokens - fixedTokens) / contextWindow);

  const prune = async (items: readonly ContextItem[]): Promise<boolean> => {
    const prunes = planPrunes(items, { contextWindow, tokens: measure(items), estimate });
    if (prunes.length === 0) return false;
    const entries = prunes.map(({ targetId, content }) => buildEdit(targetId, content, clock.now()));
    await record({ body: { type: "compaction" }, entries });
    return true;
  };
  const summarise = async (
    items: readonly ContextItem[],
    reason: "threshold" | "overflow" | "manual",
    options: { ratioScale?: number; instructions?: string | undefined },
  ): Promise<CompactResult> => {
    await onEvent({ type: "auto_compaction_start", reason });
    await parts.flush?.(toMessages(items));
    const result = await compactItems({
      items,
      contextWindow,
      fixedTokens: Math.ceil(fixedTokens / safetyMargin),
      signal,
      estimate,
      ...(options.ratioScale !== undefined && { ratioScale: options.ratioScale }),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
      ...(model.isPlanner === undefined && { ask: parts.ask }),
    });
    const usage = parts.takeUsage();
    const tokens = measure(items);
    // A model that cannot summarise now may not be able to answer either: as long as all still fits, it gets one more chance.
    const mayWait = reason === "threshold" && tokens < contextWindow && !parts.putOff.has(sessionKey);
    const isPutOff = result.type === "compacted" && result.lastFailure !== undefined && mayWait;
    if (isPutOff) parts.putOff.add(sessionKey);
    else parts.putOff.delete(sessionKey);
    if (result.type !== "compacted" || isPutOff) {
      if (usage.length > 0) await record({ body: { type: "compaction" }, entries: [], usage });
      await onEvent({ type: "auto_compaction_end", tokensBefore: tokens, tokensAfter: tokens });
      return result.type === "aborted" ? { type: "aborted" } : { type: "nothing", tokens };
    }
    const { summary, firstKeptId, tokensBefore, tokensAfter } = result;
    const entry = buildCompaction({ summary, firstKeptEntryId: firstKeptId, tokensBefore }, clock.now());
    await record({ body: { type: "compaction" }, entries: [entry], usage });
    await onEvent({ type: "auto_compaction_end", tokensBefore, tokensAfter });
    return { type: "compacted", tokensBefore, tokensAfter, summary };
  };

  return {
    async prepare() {
      let items = await load();
      if (await prune(items)) items = await load();
      const tokens = measure(items);
      const isLong = isStart && items.length > mostItems;
      isStart = false;
      if (isLong || shouldCompact({ tokens, contextWindow, maxOutputTokens })) {
        const ratioScale = isLong ? scaleToContent(tokens) : 1;
        const { type } = await summarise(items, "threshold", { ratioScale });
        if (type === "compacted") items = await load();
      }
      return contexts.toMessages(items, model);
    },
    async shrink() {
      shrinks++;
      const items = await load();
      const tokens = measure(items);
      const ratioScale = Math.min(shrinkFactor ** shrinks, scaleToContent(tokens));
      const { type } = await summarise(items, "overflow", { ratioScale });
      // Only what was near the window says something about it; a picture or a proxy can be too much long before.
      if (tokens >= model.contextWindow * tellingShare) {
        contextWindow = Math.min(contextWindow, Math.floor(tokens * learntShare));
        parts.learnedWindows.set(model.ref, contextWindow);
      }
      return type === "compacted";
    },
    async compact(instructions) {
      const items = await load();
      return summarise(items, "manual", { instructions, ratioScale: scaleToContent(measure(items)) });
    },
  };
}
