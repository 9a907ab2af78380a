/** The lists that policy starts from when nobody has said anything: profiles, and what each kind of session may have. */
import type { SessionType } from "../../contracts/session.ts";

export type ProfileName = "minimal" | "coding" | "messaging" | "full";

/** `full` is all there is, and so no list. */
export const profiles: Record<Exclude<ProfileName, "full">, readonly string[]> = {
  minimal: ["session_status"],
  coding: ["group:fs", "group:runtime", "group:sessions", "group:memory", "image"],
  messaging: ["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"],
};

/**
 * What only looks, and looks at nothing that is the owner's: files of the chat itself, the web, how the session stands.
 * Memory is not among it, because it is the owner's.
 */
const lookOnly = ["read", "ls", "find", "grep", "group:web", "session_status"];

/** What people who are only partly trusted may set off. Types that are missing here are not restricted. */
export const sessionAllows: Partial<Record<SessionType, readonly string[]>> = {
  dm: [...lookOnly, "group:messaging"],
  group: lookOnly,
  topic: lookOnly,
};

export const neverForSubagents: readonly string[] = [
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_spawn",
  "gateway",
  "agents_list",
  "session_status",
  "cron",
  "memory_search",
  "memory_get",
];

/** For whoever an adapter's config names as admin, in whatever session. */
export const adminsOnly: readonly string[] = ["gateway"];

/** Groups whose tools work through doors of the house and touch nothing of the machine, unless they say so themselves. */
export const groupsWithoutMachine: ReadonlySet<string> = new Set([
  "sessions",
  "memory",
  "web",
  "messaging",
  "automation",
]);
