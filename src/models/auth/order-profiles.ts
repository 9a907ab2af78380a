/** In which order the profiles of a provider are tried (spec 4.2). Pure. */
import type { Credential, UsageStats } from "../../contracts/auth.ts";
import type { Profile } from "./profile.ts";

export interface Candidate {
  profile: Profile;
  stats: UsageStats;
}

export interface OrderedProfile extends Profile {
  /** Milliseconds since the epoch when it may be used again; 0: now. */
  readyAt: number;
}

export interface OrderInput {
  /** In the order in which they are written down: it decides between profiles that were never used. */
  candidates: readonly Candidate[];
  /** Ids that take part: the store's order for this provider, else the config's. Absent: all of them. */
  order?: readonly string[] | undefined;
  /** Id of the model that is to be asked. */
  model: string;
  nowMs: number;
  /** Id of the profile that the session used last. */
  preferred?: string | undefined;
}

export function orderProfiles({ candidates, order, model, nowMs, preferred }: OrderInput): OrderedProfile[] {
  const valid = pickListed(candidates, order)
    .filter(({ profile }) => isValid(profile.credential, nowMs))
    .map(({ profile, stats }) => ({ profile, stats, readyAt: readyAtOf(stats, model, nowMs) }));
  // Keys of the config and the environment are a reserve, unless they were put in line by name.
  const reserveRank = ({ profile }: Candidate) => (order === undefined && profile.from !== "auth.json" ? 1 : 0);
  const ready = valid
    .filter(({ readyAt }) => readyAt === 0)
    .sort((a, b) => reserveRank(a) - reserveRank(b) || (a.stats.lastUsed ?? 0) - (b.stats.lastUsed ?? 0));
  const cooling = valid.filter(({ readyAt }) => readyAt > 0).sort((a, b) => a.readyAt - b.readyAt);
  const first = ready.filter(({ profile }) => profile.id === preferred);
  const others = ready.filter(({ profile }) => profile.id !== preferred);
  return [...first, ...others, ...cooling].map(({ profile, readyAt }) => ({ ...profile, readyAt }));
}

/** Could it be used at all? An expired token could not; an expired login can be renewed. */
export function isValid(credential: Credential, nowMs: number): boolean {
  if (credential.type === "api_key") return true;
  if (credential.type === "oauth" && credential.refresh !== undefined) return true;
  return credential.expires === undefined || credential.expires > nowMs;
}

/** 0 when it may be used with this model now. */
export function readyAtOf(stats: UsageStats, model: string | undefined, nowMs: number): number {
  const ofModel = model === undefined ? undefined : stats.models?.[model]?.cooldownUntil;
  const until = Math.max(stats.cooldownUntil ?? 0, stats.disabledUntil ?? 0, ofModel ?? 0);
  return until > nowMs ? until : 0;
}

function pickListed(candidates: readonly Candidate[], order: readonly string[] | undefined): readonly Candidate[] {
  if (order === undefined) return candidates;
  return [...new Set(order)].flatMap((id) => candidates.filter(({ profile }) => profile.id === id));
}
