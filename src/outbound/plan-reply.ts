/** A reply as the posts it will be: rendered by its channel, numbered, with ids that are the same however often it is planned. */
import { deliveryIdOf } from "../base/ids.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { DeliveryBody, NewDelivery } from "../contracts/store.ts";

/** A reply of just this posts nothing. */
const silentToken = "[SILENT]";
/** At the start of a reply: which message it answers (spec 2.3). */
const replyTag = /^\s*\[\[\s*reply_to(?:_current|:\s*([^\]\s]{1,200}))\s*\]\]\s*/;

interface Reply {
  turnId: TurnId;
  channel: ChannelRef;
  markdown: string;
  /** The platform's id of the message that the turn answers. */
  messageId?: string;
  /** Posted after the text. */
  files?: readonly Extract<DeliveryBody, { type: "file" }>[];
}

/** Where a chat takes no files, the reply says where they are. */
export function planReply(
  reply: Reply,
  adapter: Pick<PlatformAdapter, "render"> & { capabilities: { maxUploadBytes: number } },
): NewDelivery[] {
  const { turnId, channel, files = [] } = reply;
  const { markdown, replyTo } = takeReplyTag(reply);
  const takesFiles = adapter.capabilities.maxUploadBytes > 0;
  const places = takesFiles
    ? []
    : files.map(({ path }) => `This chat takes no files. On mom's machine it is \`${path}\`.`);
  const trimmed = [markdown.trim(), ...places].join("\n\n");
  const texts = trimmed === "" || trimmed === silentToken ? [] : adapter.render(trimmed);
  const posted = takesFiles ? files : [];
  const bodies: DeliveryBody[] = [
    ...texts.map((text, n) => ({ type: "text" as const, text, ...(n === 0 && replyTo !== undefined && { replyTo }) })),
    ...posted,
  ];
  return bodies.map((body, n) => ({ id: deliveryIdOf(turnId, n), turnId, channel, body }));
}

/** The tag is for the platform, never for people, also where it means nothing. */
function takeReplyTag({ markdown, messageId }: Reply): { markdown: string; replyTo?: string } {
  const found = replyTag.exec(markdown);
  if (!found) return { markdown };
  const replyTo = found[1] ?? messageId;
  return { markdown: markdown.slice(found[0].length), ...(replyTo !== undefined && { replyTo }) };
}
