/** People in chats who ask to be let in. */
import type { Group, MethodDeps } from "./method-deps.ts";
import { notFound } from "./refusals.ts";
import { toPairingSummary } from "./to-summary.ts";

type Names = "pairing.list" | "pairing.approve" | "pairing.revoke";

export function buildPairingMethods({ house, events }: MethodDeps): Group<Names> {
  const { pairings } = house.store;
  return {
    "pairing.list": async () => ({ pairings: (await pairings.list()).map(toPairingSummary) }),
    async "pairing.approve"({ code, adapter }, { identity }) {
      const answer = await pairings.approve(code, `gateway:${identity.id}`, adapter);
      if (answer.type === "unknown") throw notFound("pending request with this code: it was used, or its hour is over");
      events.publish("pairing.changed", {});
      return { pairing: toPairingSummary(answer.pairing) };
    },
    async "pairing.revoke"({ adapter, senderId }) {
      if (!(await pairings.revoke(adapter, senderId))) throw notFound(`trust or request of ${senderId} on ${adapter}`);
      events.publish("pairing.changed", {});
      return { ok: true };
    },
  };
}
