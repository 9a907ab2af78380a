/** How a turn ended, asked for until it has: over lost connections and restarts of mom. */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";
import { GatewayFault, type Result } from "../../gateway/protocol/index.ts";

const waitMs = 600_000;
const againMs = 1_000;

/** Rejects where asking again would not help: the turn is not known, the client was stopped. */
export async function askOutcome(
  { client, clock }: { client: GatewayClient; clock: Clock },
  turnId: string,
): Promise<Result<"agent.wait">> {
  for (;;) {
    try {
      return await client.call("agent.wait", { turnId, timeoutMs: waitMs }, { timeoutMs: waitMs + 10_000 });
    } catch (error) {
      if (!(error instanceof GatewayFault && (error.retryable || error.code === "AGENT_TIMEOUT"))) throw error;
    }
    await clock.sleep(againMs);
  }
}
