/** Auth profiles of one provider: those in `auth.json`, then the keys that the config and the environment carry. */
import { createHash } from "node:crypto";
import type { AuthData, Credential, UsageStats } from "../../contracts/auth.ts";
import type { ProfileStatus } from "../../contracts/model.ts";
import type { ImplicitCredential } from "../sources.ts";

export interface Profile {
  /** `provider:name`. */
  id: string;
  provider: string;
  credential: Credential;
  from: ProfileStatus["from"];
}

/** Names that no stored profile may take, and where their keys come from. */
export const implicitNames = { config: "config", environment: "env" } as const;

export function listProfiles(data: AuthData, provider: string, implicit: readonly ImplicitCredential[]): Profile[] {
  const stored = Object.entries(data.profiles)
    .filter(([, credential]) => credential.provider === provider)
    .map(([id, credential]): Profile => ({ id, provider, credential, from: "auth.json" }));
  const given = implicit.map(({ from, credential: { secret } }): Profile => {
    const id = `${provider}:${implicitNames[from]}`;
    return { id, provider, credential: { type: "api_key", provider, key: secret }, from };
  });
  const taken = new Set(given.map(({ id }) => id));
  return [...stored.filter(({ id }) => !taken.has(id)), ...given];
}

export function secretOf(credential: Credential): string {
  if (credential.type === "api_key") return credential.key;
  return credential.type === "token" ? credential.token : credential.access;
}

/** Absent for a login: its tokens change by themselves, and it stays the same. */
export function keyMarkOf(credential: Credential): string | undefined {
  if (credential.type === "oauth") return undefined;
  return createHash("sha256").update(secretOf(credential)).digest("hex").slice(0, 12);
}

/** How this very key has fared. Figures about a key that stood here before are none. */
export function statsOf(data: AuthData, profile: Profile): UsageStats {
  const stats = data.usageStats[profile.id];
  if (stats === undefined) return {};
  return stats.keyMark !== undefined && stats.keyMark !== keyMarkOf(profile.credential) ? {} : stats;
}
