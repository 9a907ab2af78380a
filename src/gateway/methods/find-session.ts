/** The session that a call is about. The owner's own may be named before anything was said in it. */
import type { AgentFacts, GatewayHouse } from "../../contracts/gateway.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { notFound } from "./refusals.ts";

type House = Pick<GatewayHouse, "store" | "agents" | "mainSessionKey">;

/** Throws `NOT_FOUND`. */
export async function ensureSession({ store }: Pick<House, "store">, key: string): Promise<SessionEntry> {
  const session = await store.sessions.get(key as SessionKey);
  if (!session) throw notFound(`session ${key}`);
  return session;
}

/** Throws `NOT_FOUND`. `session` is absent where the owner has said nothing yet. `key` absent: the owner's own. */
export async function findSession(
  house: House,
  key: string | undefined,
): Promise<{ key: SessionKey; session: SessionEntry | undefined }> {
  const wanted = (key ?? house.mainSessionKey()) as SessionKey | undefined;
  if (wanted === undefined) throw notFound("agent that answers");
  const session = await house.store.sessions.get(wanted);
  if (session || wanted === house.mainSessionKey()) return { key: wanted, session };
  const agents = await house.agents();
  if (!agents.some(({ mainSessionKey }) => mainSessionKey === wanted)) throw notFound(`session ${wanted}`);
  return { key: wanted, session };
}

/** The main agent where none is named. Throws `NOT_FOUND`. */
export async function ensureAgent(house: House, agentId: string | undefined): Promise<AgentFacts> {
  const mainKey = house.mainSessionKey();
  const found = (await house.agents()).find((agent) =>
    agentId === undefined ? agent.mainSessionKey === mainKey : agent.id === agentId,
  );
  if (!found) throw notFound(agentId === undefined ? "agent that answers" : `agent ${agentId}`);
  return found;
}
