/** The agents, and turns by themselves: start one, wait for one. */
import { createHash } from "node:crypto";
import type { TurnId } from "../../contracts/ids.ts";
import type { Turn } from "../../contracts/turn.ts";
import { GatewayFault, type Result } from "../protocol/index.ts";
import { isOver } from "../turn-feed.ts";
import { ensureAgent } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound, unavailable } from "./refusals.ts";
import { deriveId, sayAs } from "./say-as.ts";
import { toAgentSummary } from "./to-summary.ts";

type Names = "agents.list" | "agents.identity" | "agent" | "agent.wait";

const usualWaitMs = 60_000;
const mostPosts = 200;
/** Above this a name is only its hash: session keys have an end. */
const longestName = 200;
/** Turns that were taken into others, in a row. */
const mostMerges = 20;

export function buildAgentMethods(deps: MethodDeps): Group<Names> {
  const { house, clock } = deps;
  return {
    "agents.list": async () => ({ agents: (await house.agents()).map(toAgentSummary) }),
    "agents.identity": async ({ agentId }) => toAgentSummary(await ensureAgent(house, agentId)),
    async agent({ message, agentId, name, idempotencyKey }, context) {
      const { id, mainSessionKey: sessionKey } = await ensureAgent(house, agentId);
      return sayAs(house, context, {
        messageId: deriveId(context.identity, "agent", idempotencyKey),
        text: message,
        attachments: [],
        to:
          name === undefined
            ? { type: "session", sessionKey }
            : { type: "named", agentId: id, name: toConversation(name) },
      });
    },
    async "agent.wait"({ turnId, timeoutMs = usualWaitMs }, { signal }) {
      const turn = await house.store.turns.get(turnId as TurnId);
      if (!turn) throw notFound(`turn ${turnId}`);
      if (!isOver(turn.state) || turn.mergedInto !== undefined) {
        await waitFor(clock, house.whenOver(turn.id), timeoutMs, signal);
      }
      return describeOutcome(deps, await findAnswering(deps, turn.id));
    },
  };
}

/** The client's own name behind a prefix of its own, so that it cannot meet a conversation of `/v1`. */
function toConversation(name: string): string {
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    throw invalid("agent: the name has characters that cannot be shown");
  const encoded = encodeURIComponent(name);
  if (encoded.length <= longestName) return `agent-${encoded}`;
  return `agentlong-${createHash("sha256").update(name).digest("hex")}`;
}

async function waitFor(
  clock: MethodDeps["clock"],
  over: Promise<void>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = Promise.withResolvers<never>();
  const cancel = clock.after(timeoutMs, () => limit.reject(timedOut(timeoutMs)));
  const onAbort = () => limit.reject(unavailable("The connection is gone"));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([over, limit.promise]);
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

/** The turn itself, or the one that took its message in and answered it. */
async function findAnswering({ house }: MethodDeps, turnId: TurnId): Promise<Turn> {
  let id = turnId;
  for (let n = 0; n < mostMerges; n++) {
    const turn = await house.store.turns.get(id);
    if (!turn) break;
    if (turn.mergedInto === undefined) return turn;
    id = turn.mergedInto;
  }
  throw notFound(`turn ${turnId} any more`);
}

async function describeOutcome({ house, feed }: MethodDeps, turn: Turn): Promise<Result<"agent.wait">> {
  const posts = await house.store.outbox.list({ turnId: turn.id, limit: mostPosts });
  const texts = posts.flatMap(({ body }) => (body.type === "text" && !body.isAside ? [body.text] : []));
  const files = posts.flatMap(({ id, body }) =>
    body.type === "file" ? [{ filename: body.filename, deliveryId: id }] : [],
  );
  const { model, usage } = feed.usageOf(turn.id) ?? {};
  return {
    turnId: turn.id,
    sessionKey: turn.route.sessionKey,
    state: turn.state,
    reply: texts.join("\n\n"),
    files,
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(turn.error !== undefined && { error: turn.error }),
  };
}

const timedOut = (timeoutMs: number) =>
  new GatewayFault({
    code: "AGENT_TIMEOUT",
    message: `The turn is not over after ${timeoutMs} ms; it goes on`,
    retryable: true,
  });
