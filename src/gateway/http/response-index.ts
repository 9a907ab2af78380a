/**
 * Which conversation a response of `/v1/responses` belongs to, so that the next request can go on from it; also after a
 * restart. The newest thousand are known; a conversation that was made for its responses alone is deleted with the last.
 */
import { errorText } from "../../base/errors.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import { toChat } from "./conversation.ts";
import { isFields } from "./request-fields.ts";

interface KnownResponse {
  agentId: string;
  name: string;
  sessionKey: SessionKey;
  /** The conversation has no other name than its responses'. */
  isOwn: boolean;
  at: number;
}

export interface ResponseIndex {
  find(id: string): Promise<KnownResponse | undefined>;
  /** On disk when it resolves. */
  add(id: string, response: KnownResponse): Promise<void>;
}

interface IndexDeps {
  house: Pick<GatewayHouse, "deleteSession" | "chatOf" | "mainSessionKey"> & {
    store: Pick<GatewayHouse["store"], "kv" | "channels">;
  };
  log: Log;
}

const scope = "gateway-responses";
const usualMost = 1_000;

export function createResponseIndex({ house, log }: IndexDeps, mostKnown = usualMost): ResponseIndex {
  const { kv, channels } = house.store;
  /** Oldest first. */
  let loading: Promise<Map<string, KnownResponse>> | undefined;
  const load = async () => {
    const rows = [...(await kv.list(scope))].flatMap(([id, value]) => (isKnown(value) ? [[id, value] as const] : []));
    return new Map(rows.toSorted(([, a], [, b]) => a.at - b.at));
  };
  const open = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const forget = async (
    known: Map<string, KnownResponse>,
    id: string,
    { agentId, name, isOwn, sessionKey }: KnownResponse,
  ) => {
    known.delete(id);
    await kv.delete(scope, id);
    if (!isOwn || [...known.values()].some((other) => other.name === name)) return;
    await house.deleteSession(sessionKey);
    await channels.remove(toChat(house, { agentId, name }));
  };
  return {
    find: async (id) => (await open()).get(id),
    async add(id, response) {
      const known = await open();
      known.set(id, response);
      await kv.set(scope, id, response);
      for (const [oldId, old] of known) {
        if (known.size <= mostKnown) break;
        // Clearing up after others is nothing that this request should fail for, or wait for.
        void forget(known, oldId, old).catch((error: unknown) => {
          log.warn("A conversation of the API could not be cleared away", { reason: errorText(error) });
        });
      }
    },
  };
}

function isKnown(value: unknown): value is KnownResponse {
  if (!isFields(value)) return false;
  const { agentId, name, sessionKey, isOwn, at } = value;
  return (
    [agentId, name, sessionKey].every((field) => typeof field === "string") &&
    typeof isOwn === "boolean" &&
    typeof at === "number"
  );
}
