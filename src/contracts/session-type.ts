/** How far a conversation is trusted; tool policy hangs on it. Stands alone because messages and sessions both name it. */
export type SessionType = "main" | "dm" | "group" | "topic" | "subagent" | "cron";
