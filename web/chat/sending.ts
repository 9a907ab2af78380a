/** What the page says, from the keystroke to mom's receipt: shown at once, then made the real message, or marked as failed. Pure. */
import type { FileReference } from "../../src/gateway/protocol/index.ts";
import type { SaidItem, Timeline } from "./timeline.ts";

export interface Outgoing {
  /** The idempotency key of the send: the same for every try. */
  key: string;
  text: string;
  at: number;
  attachments: readonly FileReference[];
}

export function addSending(timeline: Timeline, { key, text, at, attachments }: Outgoing): Timeline {
  const item: SaidItem = {
    type: "said",
    id: `own ${key}`,
    at,
    role: "user",
    text,
    sending: { key, state: "sending" },
    ...(attachments.length > 0 && { attachments }),
  };
  return { ...timeline, items: [...timeline.items, item] };
}

/**
 * Mom has it. Its event may have come before this answer, and has then taken the place; after a second try the history may
 * hold it, under an id of its own.
 */
export function markSent(
  timeline: Timeline,
  key: string,
  { messageId, turnId, isRepeat }: { messageId: string; turnId: string; isRepeat: boolean },
): Timeline {
  const own = timeline.items.find((item) => item.type === "said" && item.sending?.key === key);
  if (own?.type !== "said") return timeline;
  const isThere = timeline.items.some(
    (item) => item.id === messageId || (isRepeat && item !== own && isSameSaid(item, own)),
  );
  const { sending: _, ...sent } = own;
  const items = timeline.items.flatMap((item) => {
    if (item !== own) return [item];
    return isThere ? [] : [{ ...sent, id: messageId, turnId }];
  });
  return { ...timeline, items };
}

const isSameSaid = (item: Timeline["items"][number], own: SaidItem) =>
  item.type === "said" && item.role === "user" && item.text.trim() === own.text.trim() && item.at > own.at - 60_000;

export function markFailed(timeline: Timeline, key: string, error: string): Timeline {
  return changeSending(timeline, key, (item) => ({ ...item, sending: { key, state: "failed", error } }));
}

export function markAgain(timeline: Timeline, key: string): Timeline {
  return changeSending(timeline, key, (item) => ({ ...item, sending: { key, state: "sending" } }));
}

export function dropSending(timeline: Timeline, key: string): Timeline {
  return {
    ...timeline,
    items: timeline.items.filter((item) => item.type !== "said" || item.sending?.key !== key),
  };
}

function changeSending(timeline: Timeline, key: string, change: (item: SaidItem) => SaidItem): Timeline {
  const items = timeline.items.map((item) => (item.type === "said" && item.sending?.key === key ? change(item) : item));
  return { ...timeline, items };
}
