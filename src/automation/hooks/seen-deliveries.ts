/**
 * Deliveries that hooks have taken, so that one that comes again (sent twice, or recorded and sent by somebody else) is taken
 * once. Written before the letter and again after it: a crash in between is made good by the next try, to the same place.
 */
import { z } from "zod";
import type { KeyValue } from "../../contracts/store.ts";

const seenDelivery = z.object({
  /** Of the letter. */
  messageId: z.string(),
  /** When it came first. */
  at: z.number(),
  /** Whose chat it went to. */
  agentId: z.string(),
  channel: z.object({ adapter: z.string(), channelId: z.string() }),
  sender: z.object({ id: z.string(), username: z.string() }),
  isDone: z.boolean(),
});
export type SeenDelivery = z.output<typeof seenDelivery>;

export interface SeenDeliveries {
  find(keys: readonly string[]): Promise<SeenDelivery | undefined>;
  save(keys: readonly string[], delivery: SeenDelivery): Promise<void>;
}

const scope = "hook-deliveries";
/** Over all hooks; the oldest go. The inbox knows older letters by their ids. */
const mostKept = 5_000;

export function createSeenDeliveries({ kv }: { kv: KeyValue }): SeenDeliveries {
  let loading: Promise<Map<string, SeenDelivery>> | undefined;
  const load = async () => {
    const rows = [...(await kv.list(scope))].flatMap(([key, value]) => {
      const { data } = seenDelivery.safeParse(value);
      return data ? [[key, data] as const] : [];
    });
    return new Map(rows.sort(([, a], [, b]) => a.at - b.at));
  };
  const open = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async find(keys) {
      const seen = await open();
      return keys.map((key) => seen.get(key)).find((delivery) => delivery !== undefined);
    },
    async save(keys, delivery) {
      const seen = await open();
      for (const key of keys) {
        await kv.set(scope, key, delivery);
        seen.set(key, delivery);
      }
      for (const key of seen.keys()) {
        if (seen.size <= mostKept) break;
        seen.delete(key);
        await kv.delete(scope, key);
      }
    },
  };
}
