/**
 * How a running turn is shown on Slack: a live post that is edited, or Slack's own streaming where the turn answers somebody in
 * a thread and the text only grows; a status beside the name; details in the thread below the reply.
 */
import type { ShowDriver, ShowPlace } from "../kit/show-driver.ts";
import type { Answer, SlackClient } from "./client.ts";
import { toEmojiName } from "./emoji.ts";
import type { Self } from "./login.ts";
import type { Posting } from "./posting.ts";
import type { Status } from "./status.ts";
import { buildLiveMetadata, type LiveCall, type Strays } from "./strays.ts";
import type { Recipient, Streams } from "./streams.ts";

export interface ShowDriverDeps {
  client: Pick<SlackClient, "call">;
  self: Self;
  posting: Posting;
  streams: Streams;
  status: Status;
  strays: Strays;
  threadOf(place: ShowPlace): string | undefined;
  /** Of a reply, or of what stands below it. */
  rootOf(channelId: string, ts: string): string;
  render(markdown: string): string[];
}

/** What stands there before there is text; it must not become the text's beginning. */
const statusLine = /^(?:→|…)/;
const detailMetadata = { event_type: "mom_detail", event_payload: {} };
const notWritten = { type: "unreached", reason: "it could not be written down" } as const;

export function createShowDriver(deps: ShowDriverDeps): ShowDriver {
  const { client, self, posting, streams, status, strays, threadOf, rootOf, render } = deps;

  /** For whom it is streamed; undefined where this is no case for it. */
  function pickRecipient({ cause }: ShowPlace, text: string): Recipient | undefined {
    if (!streams.isPossible || !cause || cause.sender.isBot || statusLine.test(text)) return undefined;
    const { teamId } = (cause.metadata ?? {}) as { teamId?: string };
    return { recipient_user_id: cause.sender.id, recipient_team_id: teamId ?? self.teamId };
  }
  /** Written down, then made. A lost answer is looked for. */
  async function make(call: LiveCall, run: (callId: string) => Promise<Answer<string>>): Promise<Answer<string>> {
    const callId = await strays.expect(call);
    if (callId === undefined) return notWritten;
    const answer = await run(callId);
    if (answer.type !== "lost") {
      strays.arrived(callId, answer.type === "ok" ? answer.value : undefined);
      return answer;
    }
    const ts = await strays.find(callId);
    return ts === undefined ? answer : { type: "ok", value: ts };
  }

  return {
    async post(place, text) {
      const { channelId, cause } = place;
      const threadTs = threadOf(place);
      const recipient = pickRecipient(place, text);
      const where = { channelId, threadTs, since: cause?.id };
      let answer: Answer<string> | undefined;
      if (recipient && threadTs !== undefined) {
        answer = await make({ ...where, isStream: true }, () => streams.start(channelId, threadTs, text, recipient));
      }
      if (!answer || answer.type === "refused") {
        answer = await make({ ...where, isStream: false }, (callId) =>
          posting.post(channelId, threadTs, { text, metadata: buildLiveMetadata(callId) }),
        );
      }
      return answer.type === "ok" ? answer.value : undefined;
    },
    edit: async ({ channelId }, ts, text) =>
      (await streams.append(channelId, ts, text)) || (await posting.update(channelId, ts, { text })).type === "ok",
    async remove({ channelId }, ts) {
      await posting.remove(channelId, ts);
    },
    async typing(place) {
      const threadTs = threadOf(place);
      if (threadTs !== undefined) await status.set(place.channelId, threadTs);
    },
    // It stays for two minutes.
    typingEveryMs: 60_000,
    async react({ channelId: channel }, timestamp, emoji, remove) {
      const name = toEmojiName(emoji);
      if (name === undefined) return;
      const call = { channel, timestamp, name };
      await client.call(async (web) => (remove ? web.reactions.remove(call) : web.reactions.add(call)));
    },
    async detail({ channelId }, messageId, markdown) {
      const [text] = render(markdown);
      if (text === undefined) return;
      await posting.post(channelId, rootOf(channelId, messageId), { text, metadata: detailMetadata });
    },
  };
}
