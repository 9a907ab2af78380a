/** Of the failures of several keys the one to be told: what passes soonest by itself, before what somebody must mend. */
import type { ModelFailure, ModelFailureReason } from "../../contracts/model.ts";

/** Lower comes first. */
const rank: Readonly<Record<ModelFailureReason, number>> = {
  rate_limit: 0,
  overloaded: 1,
  timeout: 2,
  billing: 3,
  auth: 4,
  context_overflow: 5,
  format: 6,
  unknown: 7,
  aborted: 8,
};

/** Undefined when there is none. */
export function pickMostTelling(failures: readonly ModelFailure[]): ModelFailure | undefined {
  const wait = ({ retryAfterMs }: ModelFailure) => retryAfterMs ?? Number.MAX_SAFE_INTEGER;
  return failures.toSorted((a, b) => rank[a.reason] - rank[b.reason] || wait(a) - wait(b))[0];
}
