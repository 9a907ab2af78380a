/** A reply as the posts it will be: rendered by its channel, numbered, with ids that are the same however often it is planned. */
import { deliveryIdOf } from "../base/ids.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { NewDelivery } from "../contracts/store.ts";

/** A reply of just this posts nothing. */
const silentToken = "[SILENT]";

interface Reply {
  turnId: TurnId;
  channel: ChannelRef;
  markdown: string;
}

export function planReply(reply: Reply, adapter: Pick<PlatformAdapter, "render">): NewDelivery[] {
  const { turnId, channel, markdown } = reply;
  const trimmed = markdown.trim();
  if (trimmed === "" || trimmed === silentToken) return [];
  return adapter
    .render(trimmed)
    .map((text, n) => ({ id: deliveryIdOf(turnId, n), turnId, channel, body: { type: "text", text } }));
}
