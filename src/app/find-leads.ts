/** Which doors of the house lead somewhere: what there is to remember, other sessions, other agents. Looks, and starts nothing. */
import type { Store } from "../contracts/store.ts";
import type { ToolDoors } from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import type { MemoryRoom } from "./create-memory-room.ts";

interface LeadDeps {
  store: Pick<Store, "sessions">;
  memory: Pick<MemoryRoom, "hasNotes">;
  config(): Pick<MomConfig, "agents">;
}

export function buildLeads({ store, memory, config }: LeadDeps): ToolDoors["leadsSomewhere"] {
  return async (what, { session }) => {
    if (what === "memory") return memory.hasNotes(session.agentId);
    if (what === "agents") return Object.keys(config().agents).length > 1;
    return store.sessions.hasOthers(session.sessionKey);
  };
}
