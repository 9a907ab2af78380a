/**
 * What a failure or a success leaves on a profile. Pure: old figures in, new figures out. The one place that says which
 * reasons count against a key, and whether against all of it or only with one model.
 */
import type { ModelStats, UsageStats } from "../../contracts/auth.ts";
import type { ModelFailure, ModelFailureReason } from "../../contracts/model.ts";
import { billingDisableMs, cooldownMs } from "./cooldown.ts";

/** Of a call. `cool`: left alone with that model. `disable`: left alone altogether. `none`: says nothing about the key. */
const effects: Readonly<Record<ModelFailureReason, "cool" | "disable" | "none">> = {
  rate_limit: "cool",
  overloaded: "cool",
  timeout: "none",
  auth: "disable",
  billing: "disable",
  format: "none",
  context_overflow: "none",
  aborted: "none",
  unknown: "none",
};

/** A provider that asks for more is not believed. */
const longestRetryAfterMs = 7 * 24 * 3600_000;

export interface Mark {
  failure: Pick<ModelFailure, "reason" | "retryAfterMs">;
  /** Absent: its login could not be renewed, so no model was asked, and the whole profile cools down. */
  model?: string;
  nowMs: number;
}

/** The same object when nothing changes. */
export function markFailure(stats: UsageStats, mark: Mark): UsageStats {
  const { reason } = mark.failure;
  // A login server out of reach would be waited for anew by every call.
  const effect = reason === "timeout" && mark.model === undefined ? "cool" : effects[reason];
  // A provider in trouble says nothing about the key, unless it names a time: with one key, every try would be spoilt.
  const isJustBusy = reason === "overloaded" && mark.failure.retryAfterMs === undefined;
  if (effect === "none" || isJustBusy) return stats;
  const counted: UsageStats = {
    ...stats,
    failureCounts: { ...stats.failureCounts, [reason]: (stats.failureCounts?.[reason] ?? 0) + 1 },
  };
  if (effect === "disable") return disable(counted, stats, mark);
  if (mark.model === undefined) return { ...counted, ...cool(stats, mark) };
  return { ...counted, models: { ...stats.models, [mark.model]: cool(stats.models?.[mark.model] ?? {}, mark) } };
}

/**
 * Clears what failures left on the profile and on this model; other models keep theirs. A cooldown that still runs was set
 * by another call while this one was answered, and stays, unless `isProbe`: then the profile was asked in spite of it.
 */
export function markSuccess(
  stats: UsageStats,
  { model, nowMs, isProbe }: { model: string; nowMs: number; isProbe: boolean },
): UsageStats {
  const runs = (until: number | undefined) => !isProbe && (until ?? 0) > nowMs;
  let next = stats;
  const ofModel = stats.models?.[model];
  if (ofModel !== undefined && !runs(ofModel.cooldownUntil)) {
    const { models, ...rest } = stats;
    const others = Object.entries(models ?? {}).filter(([id]) => id !== model);
    next = others.length === 0 ? rest : { ...rest, models: Object.fromEntries(others) };
  }
  if (runs(stats.cooldownUntil) || runs(stats.disabledUntil)) return next;
  const { errorCount, cooldownUntil, disabledUntil, disabledReason, failureCounts, ...kept } = next;
  const marks = [errorCount, cooldownUntil, disabledUntil, disabledReason, failureCounts];
  return marks.every((value) => value === undefined) ? next : kept;
}

/** Calls that failed together count once: while a cooldown runs it can only be made longer, by the provider's word. */
function cool(stats: ModelStats, { failure, nowMs }: Mark): ModelStats {
  const saidUntil = toSaidUntil(failure.retryAfterMs, nowMs);
  const runningUntil = stats.cooldownUntil ?? 0;
  if (runningUntil > nowMs) return { ...stats, cooldownUntil: Math.max(runningUntil, saidUntil ?? 0) };
  const errorCount = (stats.errorCount ?? 0) + 1;
  return { ...stats, errorCount, cooldownUntil: saidUntil ?? nowMs + cooldownMs(errorCount) };
}

function disable(counted: UsageStats, before: UsageStats, { failure, nowMs }: Mark): UsageStats {
  const { reason } = failure;
  const saidUntil = toSaidUntil(failure.retryAfterMs, nowMs);
  const runningUntil = before.disabledUntil ?? 0;
  if (runningUntil > nowMs && before.disabledReason === reason) {
    return { ...before, disabledUntil: Math.max(runningUntil, saidUntil ?? 0) };
  }
  const errorCount = (before.errorCount ?? 0) + 1;
  const formulaMs =
    reason === "billing" ? billingDisableMs(counted.failureCounts?.[reason] ?? 1) : cooldownMs(errorCount);
  const disabledUntil = Math.max(runningUntil > nowMs ? runningUntil : 0, saidUntil ?? nowMs + formulaMs);
  return { ...counted, errorCount, disabledUntil, disabledReason: reason };
}

function toSaidUntil(retryAfterMs: number | undefined, nowMs: number): number | undefined {
  return retryAfterMs === undefined ? undefined : nowMs + Math.min(longestRetryAfterMs, Math.max(0, retryAfterMs));
}
