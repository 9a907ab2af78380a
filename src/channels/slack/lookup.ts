/** Looks for a post of mom's own in a conversation or a thread, by what was kept with it. */
import type { SlackClient } from "./client.ts";
import type { Self } from "./login.ts";
import { parseMessage, type WireMessage } from "./wire.ts";

export type Found = { type: "found"; ts: string } | { type: "absent" } | { type: "unsure" };

export interface Where {
  channelId: string;
  threadTs?: string | undefined;
  /** A time of Slack's before the post; undefined: the newest are looked at. */
  since?: string | undefined;
}

export interface LookupDeps {
  client: Pick<SlackClient, "call">;
  self: Pick<Self, "userId" | "botId">;
}

const pageSize = 200;
/** With a time to stop at, and without. */
const mostPages = { known: 20, unknown: 5 };
/** What was noted as "before" may be the echo of the very post. Seconds. */
const marginSeconds = 300;

/** Never rejects. */
export async function findOwnPost(
  { client, self }: LookupDeps,
  { channelId: channel, threadTs, since }: Where,
  isIt: (message: WireMessage) => boolean,
): Promise<Found> {
  const from = Number(since) - marginSeconds;
  const oldest = from > 0 ? { oldest: from.toFixed(6) } : {};
  const most = from > 0 ? mostPages.known : mostPages.unknown;
  let cursor = "";
  for (let page = 0; page < most; page++) {
    const common = { channel, ...oldest, include_all_metadata: true, limit: pageSize, cursor };
    const answer = await client.call<{ messages?: unknown[]; response_metadata?: { next_cursor?: string } }>((web) =>
      threadTs === undefined
        ? web.conversations.history(common)
        : web.conversations.replies({ ...common, ts: threadTs }),
    );
    // A reply to a thread that is gone was posted beside it.
    if (answer.type === "refused" && answer.error === "thread_not_found" && threadTs !== undefined) {
      return findOwnPost({ client, self }, { channelId: channel, since }, isIt);
    }
    if (answer.type !== "ok") return { type: "unsure" };
    for (const raw of answer.value.messages ?? []) {
      const message = parseMessage(raw, channel);
      if (!message || (message.userId !== self.userId && message.botId !== self.botId)) continue;
      if (isIt(message)) return { type: "found", ts: message.ts };
    }
    cursor = answer.value.response_metadata?.next_cursor ?? "";
    if (cursor === "") return { type: "absent" };
  }
  return { type: "unsure" };
}
