/**
 * The text of `auth.json` and what it says. Everything that mom does not know stays as it was: fields beside hers, fields
 * of a profile, and whole profiles of a kind that only a later mom understands.
 */
import { z } from "zod";
import { AuthError, errorText } from "../base/errors.ts";
import type { AuthData, Credential, UsageStats } from "../contracts/auth.ts";

export interface AuthDocument {
  /** Belongs to the caller, who may change it. */
  data: AuthData;
  /** The rest of the file. */
  unknownFields: Record<string, unknown>;
  unknownProfiles: Record<string, unknown>;
}

const moment = z.number().finite().optional().catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);
const credential = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("api_key"), provider: z.string().optional(), key: z.string().min(1) }),
  z.looseObject({
    type: z.literal("token"),
    provider: z.string().optional(),
    token: z.string().min(1),
    expires: z.number().optional(),
  }),
  z.looseObject({
    type: z.literal("oauth"),
    provider: z.string().optional(),
    access: z.string().min(1),
    refresh: z.string().min(1).optional(),
    expires: z.number().optional(),
  }),
]);
const reason = z.enum(["auth", "rate_limit", "billing", "overloaded", "timeout"]);
/** Figures that make no sense are no reason to be without keys: they count as none. */
const stats = z.looseObject({
  lastUsed: moment,
  errorCount: count,
  cooldownUntil: moment,
  disabledUntil: moment,
  disabledReason: reason.optional().catch(undefined),
  failureCounts: z.partialRecord(reason, z.int().nonnegative()).optional().catch(undefined),
  keyMark: z.string().optional().catch(undefined),
  models: z
    .record(z.string(), z.looseObject({ errorCount: count, cooldownUntil: moment }))
    .optional()
    .catch(undefined),
});
const document = z.looseObject({
  profiles: z.record(z.string(), z.unknown()).default({}),
  usageStats: z.record(z.string(), stats.catch({})).default({}),
  order: z.record(z.string(), z.array(z.string())).optional(),
});

/** `text` undefined: there is no file. Throws `AUTH_FILE_BROKEN`; its message has nothing of the text, which holds keys. */
export function parseAuthDocument(text: string | undefined, path: string): AuthDocument {
  const written = document.safeParse(text === undefined ? {} : parseJson(text, path));
  if (!written.success) {
    const where = written.error.issues[0]?.path.join(".") || "the whole";
    throw buildBroken(path, `${where} has another shape than mom knows`);
  }
  const { profiles, usageStats, order, ...unknownFields } = written.data;
  const data: AuthData = {
    profiles: {},
    usageStats: dropUndefined(usageStats) as Record<string, UsageStats>,
    ...(order && { order }),
  };
  const unknownProfiles: Record<string, unknown> = {};
  for (const [id, entry] of Object.entries(profiles)) {
    const known = toCredential(id, entry);
    if (known) data.profiles[id] = known;
    else unknownProfiles[id] = entry;
  }
  return { data, unknownFields, unknownProfiles };
}

export function formatAuthDocument({ data, unknownFields, unknownProfiles }: AuthDocument): string {
  const whole = { ...unknownFields, ...data, profiles: { ...unknownProfiles, ...data.profiles } };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** A profile that was written by hand may leave the provider to its id, `provider:name`. */
function toCredential(id: string, entry: unknown): Credential | undefined {
  const parsed = credential.safeParse(entry);
  if (!parsed.success) return undefined;
  const provider = parsed.data.provider ?? id.split(":", 1)[0] ?? id;
  return dropUndefined({ ...parsed.data, provider }) as Credential;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes what it stumbled over; that may be a key.
    const place = /line \d+ column \d+/.exec(errorText(error))?.[0];
    throw buildBroken(path, `it is not valid JSON${place === undefined ? "" : ` (${place})`}`);
  }
}

function buildBroken(path: string, why: string): AuthError {
  return new AuthError("AUTH_FILE_BROKEN", `${path} cannot be used: ${why}.`, {
    hint: "Correct it by hand; or move it away and add the keys again with `mom auth add`. mom leaves it as it is.",
  });
}

/** Figures that were dropped are absent, not undefined. */
function dropUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
