/** Doors of the house that tools post at: jobs, subagents, other sessions, memory. Given by the app, asked for with every turn. */
import type { CronService } from "../contracts/cron.ts";
import type { Memory } from "../contracts/memory.ts";
import type { SessionDoor } from "../contracts/session-door.ts";
import type { Subagents } from "../contracts/subagent.ts";
import type { ToolScope } from "../contracts/tool.ts";

export interface ToolDoors {
  cron: CronService;
  subagents: Pick<Subagents, "spawn" | "stop">;
  sessions: SessionDoor;
  memory: Pick<Memory, "search" | "get">;
  /** Is there anything behind it for this turn? A door to nothing would only cost words. Cheap: asked with every turn. */
  leadsSomewhere(what: "memory" | "sessions" | "agents", scope: ToolScope): Promise<boolean>;
}

/** What must be there for a tool to be offered. */
const needs: Readonly<Record<string, Parameters<ToolDoors["leadsSomewhere"]>[0]>> = {
  memory_search: "memory",
  memory_get: "memory",
  sessions_list: "sessions",
  sessions_history: "sessions",
  sessions_send: "sessions",
  agents_list: "agents",
};

/** Names of tools that have nothing to work on now. */
export async function findIdleTools(doors: ToolDoors, scope: ToolScope): Promise<Set<string>> {
  const wanted = [...new Set(Object.values(needs))];
  const answers = await Promise.all(wanted.map((what) => doors.leadsSomewhere(what, scope)));
  const closed = new Set(wanted.filter((_, n) => answers[n] !== true));
  return new Set(Object.keys(needs).filter((name) => closed.has(needs[name] as (typeof wanted)[number])));
}
