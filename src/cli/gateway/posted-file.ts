/** A file that the running mom has posted: this command runs on her machine, so it can say where the file lies. */
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import { createSilentLog } from "../cli-log.ts";
import { openGuestStore } from "../open-guest-store.ts";

export interface PostedFile {
  filename: string;
  /** Absolute. */
  path: string;
  caption?: string;
}

/** Undefined where the post is not known (any more). */
export async function findPostedFile(
  { dataDir, clock }: { dataDir: string; clock: Clock },
  deliveryId: string,
): Promise<PostedFile | undefined> {
  const store = await openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
  try {
    const delivery = await store.outbox.get(deliveryId as DeliveryId);
    if (delivery?.body.type !== "file") return undefined;
    const { filename, path, caption } = delivery.body;
    return { filename, path, ...(caption !== undefined && { caption }) };
  } finally {
    await store.close();
  }
}
