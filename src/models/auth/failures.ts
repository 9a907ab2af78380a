/** Failures that come of the keys themselves, before any provider was asked: words for the person and for the operator. */
import type { AuthError } from "../../base/errors.ts";
import type { ModelFailure } from "../../contracts/model.ts";
import type { OrderedProfile } from "./order-profiles.ts";

/** Every key is being left alone. `profiles` has at least one. */
export function buildCoolingFailure(ref: string, profiles: readonly OrderedProfile[], nowMs: number): ModelFailure {
  const retryAfterMs = Math.max(0, Math.min(...profiles.map(({ readyAt }) => readyAt)) - nowMs);
  const each = profiles.map(({ id, readyAt }) => `${id} until ${new Date(readyAt).toISOString()}`).join(", ");
  const keys = profiles.length === 1 ? "The key" : "Every key";
  return {
    reason: "rate_limit",
    rule: "rotate",
    retryAfterMs,
    message: `${keys} for ${ref} is resting after failures. Please try again ${formatIn(retryAfterMs)}; "mom models status" tells the operator why.`,
    detail: `${ref}: not asked, all profiles cool down: ${each}`,
  };
}

/** `missing` says what to do. */
export function buildNoKeyFailure(ref: string, missing: string): ModelFailure {
  return {
    reason: "auth",
    rule: "rotate",
    message: `${ref} cannot be asked. ${missing}`,
    detail: `${ref}: not asked, no usable credential`,
  };
}

export function buildKeyFileFailure(ref: string, error: AuthError): ModelFailure {
  return {
    reason: "auth",
    rule: "give_up",
    message: `mom cannot get at her keys, so ${ref} was not asked. The operator should look: "mom auth list" tells what is wrong.`,
    detail: [`${ref}: ${error.message}`, error.hint, error.code].filter(Boolean).join(" "),
  };
}

function formatIn(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 120) return seconds === 1 ? "in a second" : `in ${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in about ${Math.round(minutes / 60)} hours`;
}
