/** How the adapters of a running mom are, as she last wrote it down (src/app/channel-records.ts). */
import { z } from "zod";
import type { KeyValue } from "../contracts/store.ts";

const channelHealth = z.object({
  state: z.enum(["stopped", "starting", "connected", "reconnecting", "failed"]),
  account: z.string().exactOptional(),
  detail: z.string().exactOptional(),
  fix: z.string().exactOptional(),
  lastInboundAt: z.number().exactOptional(),
  lastOutboundAt: z.number().exactOptional(),
  lagMs: z.number().exactOptional(),
  reconnects: z.number(),
  /** When it was written, milliseconds since the epoch. */
  at: z.number(),
});

export type ChannelHealth = z.output<typeof channelHealth>;

/** Undefined where she never wrote any, or another version did and wrote it in another way. */
export async function readChannelHealth(
  kv: Pick<KeyValue, "get"> | undefined,
  adapterName: string,
): Promise<ChannelHealth | undefined> {
  return channelHealth.safeParse(await kv?.get("channel-health", adapterName)).data;
}
