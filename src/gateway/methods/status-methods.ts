/** How mom is, who is connected, and what a client wants to be told. */
import { formatDay } from "../../base/format-values.ts";
import { buildProtocolSchema, mayCall } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { forbidden } from "./refusals.ts";

type Names = "health" | "status" | "system-presence" | "gateway.schema" | "events.subscribe";

export function buildStatusMethods({ house, connections, clock }: MethodDeps): Group<Names> {
  return {
    async health() {
      const { uptimeMs, worstStallMs, adapters } = await house.status();
      return {
        ok: adapters.every(({ state }) => state !== "failed"),
        isReady: house.isReady(),
        uptimeMs,
        channels: adapters.map(({ name, state }) => ({ name, state })),
        worstStallMs,
      };
    },
    async status() {
      const { adapters, ...facts } = await house.status();
      const today = formatDay(clock.now());
      const used = (await house.store.usage.totals("day", today)).find(({ key }) => key === today);
      const { version, model, uptimeMs, memoryBytes, running, waiting, pendingPosts, worstStallMs } = facts;
      return {
        version,
        model,
        uptimeMs,
        memoryBytes,
        running,
        waiting,
        pendingPosts,
        worstStallMs,
        sessions: (await house.store.sessions.list()).length,
        today: {
          calls: used?.calls ?? 0,
          input: used?.input ?? 0,
          output: used?.output ?? 0,
          cost: used?.cost ?? 0,
        },
        channels: adapters.map(({ name, state }) => ({ name, state })),
        clients: connections.presence().length,
      };
    },
    "system-presence": async () => ({ clients: connections.presence() }),
    "gateway.schema": async () => buildProtocolSchema(),
    async "events.subscribe"(choice, { identity, subscribe }) {
      if (choice.logs === true && !mayCall(identity, "admin")) {
        throw forbidden("Following the log needs the scope admin, which you do not hold", { needs: "admin" });
      }
      return subscribe(choice);
    },
  };
}
