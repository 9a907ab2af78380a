/**
 * The auth profiles of every provider while mom runs: which to try, in which order, ready to be used, and what their use
 * left on them. The rules are the pure functions beside it; this file joins them with `auth.json`, which other processes
 * change too: it is looked at anew for every call.
 */
import type { AuthData, AuthStore, UsageStats } from "../../contracts/auth.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ModelFailure, ProfileStatus } from "../../contracts/model.ts";
import type { CallCredential, FailureFacts } from "../provider.ts";
import type { ImplicitCredential } from "../sources.ts";
import { markFailure, markSuccess } from "./marks.ts";
import type { LoadOAuthFlow } from "./oauth-flow.ts";
import { type Candidate, isValid, type OrderedProfile, orderProfiles } from "./order-profiles.ts";
import { listProfiles, type Profile, secretOf, statsOf } from "./profile.ts";
import { toProfileStatus } from "./profile-status.ts";
import { createUseRecord, withKeyMark } from "./record-use.ts";
import { createLoginRefresher } from "./refresh-logins.ts";

export interface ProfilePoolDeps {
  store: AuthStore;
  clock: Clock;
  log: Log;
  loadFlow: LoadOAuthFlow;
  /** Config `auth.order`. */
  order: Readonly<Record<string, readonly string[]>>;
  implicitOf(provider: string): readonly ImplicitCredential[];
  /** Told each secret before it is first used, so that no log shows it. */
  learnSecrets?(secrets: readonly string[]): void;
}

export type ReadyCredential = { type: "ready"; credential: CallCredential } | { type: "failed"; facts: FailureFacts };

export interface ProfilePool {
  /** In the order in which they are to be tried; those that cool down last. Rejects when `auth.json` cannot be used. */
  order(wanted: { provider: string; model: string; preferred?: string | undefined }): Promise<OrderedProfile[]>;
  /** Is there any profile that could be used, now or after a cooldown? Rejects as `order` does. */
  hasAny(provider: string): Promise<boolean>;
  /** The credential to send: a login that has run out is renewed first. A failure to do so has been marked already. */
  prepare(profile: Profile): Promise<ReadyCredential>;
  /** The profile is used now. Cheap: written to the file only now and then. */
  noteUse(profile: Profile): void;
  /** On disk when it resolves, where it changes anything. Never rejects: a file that cannot be written stops no answer. */
  failed(profile: Profile, failure: ModelFailure, model: string): Promise<void>;
  succeeded(profile: Profile, model: string, options: { isProbe: boolean }): Promise<void>;
  /** In the order in which they would be tried; those that are not in line or have run out come last. */
  status(provider: string): Promise<ProfileStatus[]>;
  /** Why there is none to try although something was set up; undefined when nothing was. Rejects as `order` does. */
  explainNone(provider: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export function createProfilePool(deps: ProfilePoolDeps): ProfilePool {
  const { store, clock, log } = deps;
  const use = createUseRecord({ store, clock, log });
  const logins = createLoginRefresher({ store, clock, loadFlow: deps.loadFlow });
  const learnt = new Set<string>();

  const toReady = (type: CallCredential["type"], secret: string): ReadyCredential => {
    if (!learnt.has(secret)) deps.learnSecrets?.([secret]);
    learnt.add(secret);
    return { type: "ready", credential: { type, secret } };
  };

  const orderOf = (data: AuthData, provider: string) => data.order?.[provider] ?? deps.order[provider];
  const candidatesOf = (data: AuthData, provider: string): Candidate[] =>
    listProfiles(data, provider, deps.implicitOf(provider)).map((profile) => ({
      profile,
      stats: withLastUsed(statsOf(data, profile), use.lastUsed(profile.id)),
    }));
  const mark = async (profile: Profile, change: (stats: UsageStats) => UsageStats) => {
    try {
      const before = statsOf(await store.load(), profile);
      if (change(before) === before) return;
      await store.update((data) => {
        data.usageStats[profile.id] = withKeyMark(change(statsOf(data, profile)), profile);
        use.addTo(data);
      });
    } catch (error) {
      log.error("what happened to a key could not be written to auth.json", { profile: profile.id, error });
    }
  };

  return {
    async order({ provider, model, preferred }) {
      const data = await store.load();
      const candidates = candidatesOf(data, provider);
      return orderProfiles({ candidates, order: orderOf(data, provider), model, nowMs: clock.now(), preferred });
    },
    async hasAny(provider) {
      const data = await store.load();
      const order = orderOf(data, provider);
      return listProfiles(data, provider, deps.implicitOf(provider)).some(
        ({ id, credential }) => isValid(credential, clock.now()) && (order === undefined || order.includes(id)),
      );
    },
    async prepare({ id, credential }) {
      if (credential.type !== "oauth") return toReady(credential.type, secretOf(credential));
      const login = await logins.ensureFresh(id, credential);
      return login.type === "fresh"
        ? toReady("oauth", login.credential.access)
        : { type: "failed", facts: toFacts(login) };
    },
    noteUse: (profile) => use.note(profile),
    failed: (profile, failure, model) =>
      mark(profile, (stats) => markFailure(stats, { failure, model, nowMs: clock.now() })),
    succeeded: (profile, model, { isProbe }) =>
      mark(profile, (stats) => markSuccess(stats, { model, nowMs: clock.now(), isProbe })),
    async status(provider) {
      const data = await store.load();
      const nowMs = clock.now();
      const candidates = candidatesOf(data, provider);
      const inLine = orderProfiles({ candidates, order: orderOf(data, provider), model: "", nowMs }).map(
        ({ id }) => id,
      );
      const place = (id: string) => (inLine.includes(id) ? inLine.indexOf(id) : inLine.length);
      return candidates
        .toSorted((a, b) => place(a.profile.id) - place(b.profile.id))
        .map((candidate) => toProfileStatus(candidate, { nowMs, isInLine: inLine.includes(candidate.profile.id) }));
    },
    async explainNone(provider) {
      const data = await store.load();
      const order = orderOf(data, provider);
      const profiles = listProfiles(data, provider, deps.implicitOf(provider));
      return explainNone(provider, profiles, order, clock.now());
    },
    async close() {
      await logins.idle();
      await use.flush();
    },
  };
}

function explainNone(
  provider: string,
  profiles: readonly Profile[],
  order: readonly string[] | undefined,
  nowMs: number,
): string | undefined {
  const inLine = (id: string) => order === undefined || order.includes(id);
  const expired = profiles.filter(({ credential }) => !isValid(credential, nowMs));
  const usable = profiles.filter((profile) => !expired.includes(profile));
  if (usable.some(({ id }) => inLine(id))) return undefined;
  const run = expired.filter(({ id }) => inLine(id)).map(({ id }) => id);
  if (run.length > 0) {
    return `${run.join(", ")} has run out. Remove it with \`mom auth remove\`, and add a key with \`mom auth add ${provider}\`.`;
  }
  if (order === undefined) return undefined;
  const named = order.length === 0 ? "nothing" : order.join(", ");
  return `The order for ${provider} names ${named}, which is not there. \`mom auth list\` shows what is; \`mom auth order ${provider} --clear\` or auth.order in the config changes it.`;
}

/** In the words that `failure.ts` reads: a refusal is one of the key, the rest a connection that did not come about. */
function toFacts({ type, detail }: { type: "refused" | "unreachable"; detail: string }): FailureFacts {
  const text = `the login could not be renewed: ${detail}`;
  return type === "refused" ? { text, status: 401 } : { text, networkCode: "LOGIN_NOT_RENEWED" };
}

function withLastUsed(stats: UsageStats, usedAt: number | undefined): UsageStats {
  return usedAt === undefined || usedAt <= (stats.lastUsed ?? 0) ? stats : { ...stats, lastUsed: usedAt };
}
