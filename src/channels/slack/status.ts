/** "is thinking…" beside mom's name in a thread: Slack's nearest thing to typing, for apps with the assistant feature. */
import type { SlackClient } from "./client.ts";

export interface Status {
  set(channelId: string, threadTs: string): Promise<void>;
  /** A new post clears it by itself, a changed one does not. */
  clear(channelId: string, threadTs: string): Promise<void>;
}

const most = 500;

export function createStatus({ client }: { client: Pick<SlackClient, "call"> }): Status {
  const shown = new Set<string>();
  let isPossible = true;
  const tell = async (channel_id: string, thread_ts: string, status: string) => {
    const answer = await client.call((web) => web.assistant.threads.setStatus({ channel_id, thread_ts, status }));
    if (answer.type === "refused") isPossible = false;
  };
  return {
    async set(channelId, threadTs) {
      if (!isPossible) return;
      if (shown.size < most) shown.add(`${channelId} ${threadTs}`);
      await tell(channelId, threadTs, "is thinking…");
    },
    async clear(channelId, threadTs) {
      if (shown.delete(`${channelId} ${threadTs}`) && isPossible) await tell(channelId, threadTs, "");
    },
  };
}
