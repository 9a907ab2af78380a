/** Auth profiles: keys and logins for model providers, and how they have fared (spec 4.2). Kept in `auth.json`. */
import type { ModelFailureReason } from "./model.ts";

/** Times are milliseconds since the epoch. */
export type Credential =
  | { type: "api_key"; provider: string; key: string }
  | { type: "token"; provider: string; token: string; expires?: number }
  | { type: "oauth"; provider: string; access: string; refresh?: string; expires?: number; [extra: string]: unknown };

/** How a profile fares with one model. */
export interface ModelStats {
  errorCount?: number;
  cooldownUntil?: number;
}

export interface UsageStats {
  lastUsed?: number;
  /** Failures in a row that concern the whole profile. */
  errorCount?: number;
  cooldownUntil?: number;
  /** Longer: the account has no credit, or the key was refused. */
  disabledUntil?: number;
  disabledReason?: ModelFailureReason;
  failureCounts?: Partial<Record<ModelFailureReason, number>>;
  /** Tells one key from another without giving it away. When the key has changed, these figures are not about it. */
  keyMark?: string;
  /** By model id. An exhausted model does not silence the key for others. */
  models?: Record<string, ModelStats>;
}

export interface AuthData {
  /** By profile id, `provider:name`. */
  profiles: Record<string, Credential>;
  usageStats: Record<string, UsageStats>;
  /** By provider: which profiles are used; among those that are ready the least recently used goes first. */
  order?: Record<string, string[]>;
}

/** The file. Several processes may hold it; every change is made on what is there at that moment. */
export interface AuthStore {
  /** As it is now. Cheap while the file has not changed. A file that cannot be read as JSON rejects with a coded error. */
  load(): Promise<AuthData>;
  /**
   * Changes it under a lock that other processes respect: `change` gets the present content and may alter it in place.
   * On disk, mode 0600, in one piece when it resolves. Fields that mom does not know are kept. When `change` throws or
   * rejects, nothing is written.
   */
  update<T>(change: (data: AuthData) => T | Promise<T>): Promise<T>;
}
