/** A profile as `mom auth list` and `mom models status` show it: how it stands, never what it is. */
import type { ProfileStatus } from "../../contracts/model.ts";
import { type Candidate, isValid } from "./order-profiles.ts";

export function toProfileStatus(
  { profile, stats }: Candidate,
  { nowMs, isInLine }: { nowMs: number; isInLine: boolean },
): ProfileStatus {
  const coolingModels = Object.entries(stats.models ?? {}).flatMap(([model, { cooldownUntil = 0 }]) =>
    cooldownUntil > nowMs ? [{ model, until: cooldownUntil }] : [],
  );
  return {
    id: profile.id,
    type: profile.credential.type,
    from: profile.from,
    ...toState({ profile, stats }, nowMs, isInLine),
    ...(stats.lastUsed !== undefined && { lastUsed: stats.lastUsed }),
    coolingModels,
  };
}

function toState(
  { profile, stats }: Candidate,
  nowMs: number,
  isInLine: boolean,
): Pick<ProfileStatus, "state" | "until" | "reason"> {
  const { disabledUntil = 0, cooldownUntil = 0, disabledReason } = stats;
  if (!isValid(profile.credential, nowMs)) return { state: "expired", reason: "it has run out and cannot be renewed" };
  if (!isInLine) return { state: "disabled", reason: "not in the order for its provider" };
  if (disabledUntil > nowMs) {
    const reason = disabledReason === "billing" ? "no credit" : "refused by the provider";
    return { state: "disabled", until: disabledUntil, ...(disabledReason && { reason }) };
  }
  return cooldownUntil > nowMs ? { state: "cooling", until: cooldownUntil } : { state: "ready" };
}
