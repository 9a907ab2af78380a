/** Pictures add up: requests have a limit on their number and size. The oldest give way, many at a time and so seldom. */
import type { ModelMessage } from "../../contracts/model.ts";
import { buildImageMarker } from "./clean-image.ts";
import type { CleanMessage } from "./clean-message.ts";

const maxImages = 20;
/** Base64 characters, of all pictures together. */
const maxTotalChars = 16 * 1024 * 1024;

/** `cleaned`: in order. Gives, for messages that must be sent with fewer pictures than they have, what is sent instead. */
export function limitImages(cleaned: readonly CleanMessage[]): Map<ModelMessage, ModelMessage> {
  const hiddenCounts = new Map<ModelMessage, number>();
  const shown: { message: ModelMessage; chars: number }[] = [];
  let total = 0;
  const isOver = (share: number) => shown.length > maxImages * share || total > maxTotalChars * share;
  for (const { message, imageChars } of cleaned) {
    for (const chars of imageChars) {
      shown.push({ message, chars });
      total += chars;
      if (!isOver(1)) continue;
      // Half of the room is made at once: what has been sent before stays the same for a while (prompt caches).
      while (isOver(0.5)) {
        const oldest = shown.shift();
        if (!oldest) break;
        total -= oldest.chars;
        hiddenCounts.set(oldest.message, (hiddenCounts.get(oldest.message) ?? 0) + 1);
      }
    }
  }
  return new Map([...hiddenCounts].map(([message, count]) => [message, hideFirst(message, count)]));
}

function hideFirst(message: ModelMessage, count: number): ModelMessage {
  if (message.role === "assistant" || typeof message.content === "string") return message;
  let left = count;
  const content = message.content.map((part) =>
    part.type === "image" && left-- > 0 ? buildImageMarker("too many in this conversation") : part,
  );
  return { ...message, content };
}
