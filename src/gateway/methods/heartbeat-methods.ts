/** How often each agent looks by itself, what came of it last, and letting one look now. */
import { toHeartbeatState } from "./automation-summary.ts";
import { ensureAgent } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { notFound } from "./refusals.ts";

type Names = "heartbeat.status" | "heartbeat.beat";

export function buildHeartbeatMethods({ house }: MethodDeps): Partial<Group<Names>> {
  const { heartbeat } = house;
  if (!heartbeat) return {};
  const methods: Group<Names> = {
    "heartbeat.status": async () => ({ agents: (await heartbeat.status()).map(toHeartbeatState) }),
    async "heartbeat.beat"({ agentId }) {
      const { id } = await ensureAgent(house, agentId);
      if (!(await heartbeat.beat(id))) throw notFound(`heartbeat of ${id}`);
      return { ok: true };
    },
  };
  return methods;
}
