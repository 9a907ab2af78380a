/** Asks Slack what was said in a conversation since a time: its messages, the replies in its threads, and changes. Bounded. */
import type { Answer, SlackClient } from "./client.ts";
import type { SlackFault } from "./fault.ts";
import { isAfter, parseMessage, type WireMessage } from "./wire.ts";

export type Missed =
  /** Oldest first. `isCut`: there is more than is read afterwards. */
  | { type: "found"; messages: WireMessage[]; isCut: boolean }
  | { type: "limited"; retryAfterMs: number }
  /** Mom may not look there. */
  | { type: "closed" }
  | { type: "failed" };

const pageSize = 100;
const mostPages = 10;
const mostThreads = 200;
const mostReplyPages = 10;

interface Page {
  messages: WireMessage[];
  /** Empty: there is no more. */
  cursor: string;
}

/** Never rejects. */
export async function fetchMissed(client: SlackClient, channelId: string, since: string): Promise<Missed> {
  const past = await fetchHistory(client, channelId, since);
  if (!("messages" in past)) return toMissed(past);
  const history = past.messages;
  let isCut = past.cursor !== "";
  const found = new Map<string, WireMessage>();
  for (const message of history) {
    if (isAfter(message.ts, since)) found.set(message.ts, message);
    else if (message.editedTs !== undefined && isAfter(message.editedTs, since))
      found.set(message.ts, asChange(message));
  }
  const busy = history.filter(({ latestReply }) => latestReply !== undefined && isAfter(latestReply, since));
  isCut ||= busy.length > mostThreads;
  for (const { ts } of busy.slice(0, mostThreads)) {
    const replies = await fetchReplies(client, channelId, ts, since);
    if (!("messages" in replies)) return toMissed(replies);
    isCut ||= replies.cursor !== "";
    for (const reply of replies.messages) if (isAfter(reply.ts, since)) found.set(reply.ts, reply);
  }
  const timeOf = ({ ts, changed }: WireMessage) => Number(changed?.editedTs ?? ts);
  return { type: "found", messages: [...found.values()].sort((a, b) => timeOf(a) - timeOf(b)), isCut };
}

/** As the event would have told it. */
const asChange = (message: WireMessage): WireMessage => ({
  ts: message.ts,
  channelId: message.channelId,
  subtype: "message_changed",
  text: "",
  files: [],
  changed: message,
});

/** Newest first, beyond `since` as far as the first page goes: heads of threads and changed messages are older. */
async function fetchHistory(client: SlackClient, channel: string, since: string): Promise<Page | SlackFault> {
  return readPages(mostPages, async (cursor) => {
    const answer = await client.call((web) => web.conversations.history({ channel, limit: pageSize, cursor }));
    const page = toPage(answer, channel);
    const isEnough = "messages" in page && page.messages.some(({ ts }) => !isAfter(ts, since));
    return isEnough ? { ...page, cursor: "" } : page;
  });
}

async function fetchReplies(
  client: SlackClient,
  channel: string,
  ts: string,
  oldest: string,
): Promise<Page | SlackFault> {
  return readPages(mostReplyPages, async (cursor) =>
    toPage(
      await client.call((web) => web.conversations.replies({ channel, ts, oldest, limit: pageSize, cursor })),
      channel,
    ),
  );
}

async function readPages(
  most: number,
  fetchPage: (cursor: string) => Promise<Page | SlackFault>,
): Promise<Page | SlackFault> {
  const messages: WireMessage[] = [];
  let cursor = "";
  for (let n = 0; n < most; n++) {
    const page = await fetchPage(cursor);
    if (!("messages" in page)) return page;
    messages.push(...page.messages);
    cursor = page.cursor;
    if (cursor === "") break;
  }
  return { messages, cursor };
}

interface PageAnswer {
  messages?: unknown[];
  response_metadata?: { next_cursor?: string };
}

function toPage(answer: Answer<PageAnswer>, channelId: string): Page | SlackFault {
  if (answer.type !== "ok") return answer;
  const { messages = [], response_metadata } = answer.value;
  return {
    messages: messages.map((raw) => parseMessage(raw, channelId)).filter((message) => message !== undefined),
    cursor: response_metadata?.next_cursor ?? "",
  };
}

function toMissed(fault: SlackFault): Missed {
  if (fault.type === "limited") return fault;
  return { type: fault.type === "refused" ? "closed" : "failed" };
}
