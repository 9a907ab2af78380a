/**
 * Slack's own streaming: a post in a thread that grows by pieces. While it is open Slack refuses to change or delete it, and it
 * closes by itself after five minutes.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Answer, SlackClient } from "./client.ts";

export interface Recipient {
  recipient_user_id: string;
  recipient_team_id: string;
}

export interface Streams {
  /** False once Slack has refused one: not every conversation and plan has it. */
  readonly isPossible: boolean;
  /** Resolves with the id of the post. */
  start(channelId: string, threadTs: string, text: string, recipient: Recipient): Promise<Answer<string>>;
  /** Goes on up to `text`; false where that is no continuation, or the stream is over. */
  append(channelId: string, ts: string, text: string): Promise<boolean>;
  isOpen(ts: string): boolean;
  /** It takes nothing more. Also for a stream that an earlier life of mom began. */
  finish(channelId: string, ts: string): Promise<void>;
}

const openForMs = 240_000;
const mostOpen = 500;

export function createStreams({ client, clock }: { client: Pick<SlackClient, "call">; clock: Clock }): Streams {
  const open = new Map<string, { text: string; startedAtMs: number }>();
  let isPossible = true;
  return {
    get isPossible() {
      return isPossible;
    },
    async start(channel, thread_ts, text, recipient) {
      const call = { channel, thread_ts, markdown_text: text, ...recipient };
      const answer = await client.call((web) => web.chat.startStream(call));
      if (answer.type === "refused") isPossible = false;
      if (answer.type !== "ok") return answer;
      const { ts = "" } = answer.value;
      open.set(ts, { text, startedAtMs: clock.monotonic() });
      const [oldest] = open.keys();
      if (open.size > mostOpen && oldest !== undefined) open.delete(oldest);
      return { type: "ok", value: ts };
    },
    async append(channel, ts, text) {
      const stream = open.get(ts);
      if (!stream || clock.monotonic() - stream.startedAtMs > openForMs || !text.startsWith(stream.text)) return false;
      const markdown_text = text.slice(stream.text.length);
      const answer = await client.call((web) => web.chat.appendStream({ channel, ts, markdown_text }));
      if (answer.type !== "ok") return false;
      stream.text = text;
      return true;
    },
    isOpen: (ts) => open.has(ts),
    async finish(channel, ts) {
      open.delete(ts);
      await client.call((web) => web.chat.stopStream({ channel, ts }));
    },
  };
}
