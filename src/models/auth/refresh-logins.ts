/**
 * Renews logins that have run out: once, however many calls wait for it, in this process (one promise per profile) and
 * across processes (the file's lock: whoever comes second finds the fresh one). It is on disk before it is used, because
 * most providers let a refresh token be used only once. A renewal that fails leaves its mark on the profile, so that the
 * calls that follow pass it over instead of waiting for the same server.
 */
import type { AuthStore } from "../../contracts/auth.ts";
import type { Clock } from "../../contracts/clock.ts";
import { markFailure } from "./marks.ts";
import type { LoadOAuthFlow, OAuthCredential, OAuthFlow, RefreshOutcome } from "./oauth-flow.ts";

/** Renewed a little early, so that no token runs out on the way. */
const earlyMs = 60_000;
/** The file is locked meanwhile, and every other change of it waits: well below the time after which those give up. */
const longestRefreshMs = 10_000;

export type FreshLogin =
  | { type: "fresh"; credential: OAuthCredential }
  | { type: "refused" | "unreachable"; detail: string };

export interface LoginRefresher {
  /** The login as it may be used now. Rejects only when the file cannot be had. */
  ensureFresh(id: string, credential: OAuthCredential): Promise<FreshLogin>;
  /** Resolves when no refresh is under way. */
  idle(): Promise<void>;
}

export function createLoginRefresher(deps: {
  store: AuthStore;
  clock: Clock;
  loadFlow: LoadOAuthFlow;
}): LoginRefresher {
  const { store, clock, loadFlow } = deps;
  const running = new Map<string, Promise<FreshLogin>>();
  const isFresh = ({ expires }: OAuthCredential) => expires === undefined || expires > clock.now() + earlyMs;

  const renew = async (flow: OAuthFlow, credential: OAuthCredential): Promise<RefreshOutcome> => {
    // Never the caller's signal: a refresh that has been sent must be kept.
    const stop = new AbortController();
    const cancel = clock.after(longestRefreshMs, () => stop.abort());
    try {
      return await flow.refresh(credential, stop.signal);
    } finally {
      cancel();
    }
  };

  const refresh = async (id: string, provider: string): Promise<FreshLogin> => {
    const flow = await loadFlow(provider);
    return store.update(async (data): Promise<FreshLogin> => {
      const current = data.profiles[id];
      if (current?.type !== "oauth") return { type: "refused", detail: `${id} is no longer in auth.json` };
      if (isFresh(current)) return { type: "fresh", credential: current };
      const outcome =
        flow === undefined || current.refresh === undefined
          ? ({ type: "refused", detail: `${id} cannot be renewed` } as const)
          : await renew(flow, current);
      if (outcome.type === "refreshed") {
        data.profiles[id] = outcome.credential;
        return { type: "fresh", credential: outcome.credential };
      }
      // Without a model: whichever was asked for, the profile as a whole is of no use until its login is renewed.
      const reason = outcome.type === "refused" ? "auth" : "timeout";
      data.usageStats[id] = markFailure(data.usageStats[id] ?? {}, { failure: { reason }, nowMs: clock.now() });
      return outcome;
    });
  };

  return {
    async ensureFresh(id, credential) {
      if (isFresh(credential)) return { type: "fresh", credential };
      const known = running.get(id);
      if (known) return known;
      const started = refresh(id, credential.provider).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    async idle() {
      await Promise.allSettled(running.values());
    },
  };
}
