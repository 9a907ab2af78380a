/** Which of the last messages are mom's own, and who wrote the others: Discord's deletions and replies name only an id. */
import type { MessageSender } from "../../contracts/message.ts";

export interface Recent {
  heard(messageId: string, sender: MessageSender): void;
  /** Posted, or taken back, by mom. */
  own(messageId: string): void;
  isOwn(messageId: string): boolean;
  senderOf(messageId: string): MessageSender | undefined;
}

const most = 2_000;

export function createRecent(): Recent {
  const senders = new Map<string, MessageSender | "mom">();
  const put = (messageId: string, sender: MessageSender | "mom") => {
    senders.delete(messageId);
    const [oldest] = senders.keys();
    if (oldest !== undefined && senders.size >= most) senders.delete(oldest);
    senders.set(messageId, sender);
  };
  return {
    heard: put,
    own: (messageId) => put(messageId, "mom"),
    isOwn: (messageId) => senders.get(messageId) === "mom",
    senderOf(messageId) {
      const sender = senders.get(messageId);
      return sender === "mom" ? undefined : sender;
    },
  };
}
