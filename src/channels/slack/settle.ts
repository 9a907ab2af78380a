/** "Did this go out?" on Slack: a post is found by the delivery id in its metadata, a file by where it was shared. */
import type { SettleResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { Attempt, Attempts } from "./attempts.ts";
import type { SlackClient } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import { findOwnPost, type LookupDeps } from "./lookup.ts";
import type { PostMetadata } from "./posting.ts";
import { toRecord } from "./wire.ts";

const deliveryType = "mom_delivery";

export const buildDeliveryMetadata = (deliveryId: DeliveryId): PostMetadata => ({
  event_type: deliveryType,
  event_payload: { delivery_id: deliveryId },
});

export interface SettleDeps extends LookupDeps {
  clock: Clock;
  client: SlackClient;
  attempts: Attempts;
  cursors: Pick<Cursors, "startOf">;
}

/** Sharing goes on for a moment after Slack has said yes. */
const sharingMs = 30_000;

/** Never rejects. */
export async function settleDelivery(
  deps: SettleDeps,
  channelId: string,
  deliveryId: DeliveryId,
  createdAt?: number,
): Promise<SettleResult> {
  const { attempts, cursors, clock } = deps;
  const attempt = attempts.get(deliveryId);
  if (attempt?.ts !== undefined) return { type: "sent", messageId: attempt.ts };
  if (attempt?.fileId !== undefined) return settleUpload(deps, channelId, attempt.fileId, attempt);
  const since = pickEarlier(attempt?.since ?? cursors.startOf(channelId), createdAt);
  const found = await findOwnPost(
    deps,
    { channelId, threadTs: attempt?.threadTs, since },
    ({ metadata }) => metadata?.type === deliveryType && metadata.payload["delivery_id"] === deliveryId,
  );
  if (found.type === "found") return { type: "sent", messageId: found.ts };
  return found.type === "absent" ? { type: "not-sent" } : { type: "unknown" };

  async function settleUpload(
    { client }: SettleDeps,
    channel: string,
    fileId: string,
    { at }: Attempt,
  ): Promise<SettleResult> {
    const share = await findShare(client, channel, fileId);
    if (share.type === "found") return { type: "sent", messageId: share.ts };
    return share.type === "absent" && clock.now() - at > sharingMs ? { type: "not-sent" } : { type: "unknown" };
  }
}

/** The mark of a conversation may have moved on beyond a post in doubt; when it was decided on never moves. */
function pickEarlier(mark: string | undefined, createdAt: number | undefined): string | undefined {
  if (createdAt === undefined) return mark;
  return Math.min(Number(mark ?? Number.POSITIVE_INFINITY), createdAt / 1000).toFixed(6);
}

/** The message that shows a file in a conversation. */
export async function findShare(
  client: Pick<SlackClient, "call">,
  channelId: string,
  fileId: string,
): Promise<{ type: "found"; ts: string } | { type: "absent" } | { type: "unsure" }> {
  const answer = await client.call((web) => web.files.info({ file: fileId }));
  if (answer.type !== "ok")
    return answer.type === "refused" && answer.error === "file_not_found" ? { type: "absent" } : { type: "unsure" };
  const shares = toRecord(toRecord(answer.value.file)["shares"]);
  for (const kind of ["public", "private"]) {
    const places = toRecord(shares[kind])[channelId];
    const { ts } = toRecord(Array.isArray(places) ? places[0] : undefined);
    if (typeof ts === "string") return { type: "found", ts };
  }
  return { type: "absent" };
}
