/**
 * Posts, changes and deletions as calls to Slack: Markdown as it is where the server takes it, else mrkdwn; a post that is
 * still being streamed is finished before it is changed.
 */
import type { ChatPostMessageArguments, ChatUpdateArguments } from "@slack/web-api";
import type { OutgoingButton } from "../../contracts/channel.ts";
import type { Log } from "../../contracts/log.ts";
import { type Block, buildButtons } from "./buttons.ts";
import type { Answer, SlackClient } from "./client.ts";
import { toMrkdwn } from "./format.ts";
import type { Streams } from "./streams.ts";

export interface Post {
  /** Rendered. */
  text: string;
  buttons?: readonly OutgoingButton[] | undefined;
  /** Kept with the post, for mom to find it by. Absent in a change: what it had stays. */
  metadata?: PostMetadata;
}

export interface PostMetadata {
  event_type: string;
  event_payload: Record<string, string>;
}

export interface Posting {
  /** The id of the post. In the conversation itself where the thread is gone. */
  post(
    channelId: string,
    threadTs: string | undefined,
    post: Post & { metadata: PostMetadata },
  ): Promise<Answer<string>>;
  update(channelId: string, ts: string, post: Post): Promise<Answer<string>>;
  /** What is gone already counts as removed. */
  remove(channelId: string, ts: string): Promise<Answer<string>>;
}

export interface PostingDeps {
  client: Pick<SlackClient, "call">;
  log: Log;
  streams: Pick<Streams, "isOpen" | "finish">;
}

/** The content of a call, in one of the ways that Slack takes it. */
type Body = { markdown_text: string } | { text: string; blocks?: Block[] };

/** In a change, longer ones are refused. */
const maxText = 4_000;
const maxSection = 3_000;
/** What notifications show of a post in blocks. */
const maxPreview = 1_000;
/** So Slack answers when the thread is not there (any more). */
const noThread = ["thread_not_found", "invalid_thread_ts", "cannot_reply_to_message"];
/** So a server answers that does not know `markdown_text`. */
const noMarkdown = ["invalid_arguments", "invalid_arg_name", "unknown_arguments", "no_text"];

export function createPosting({ client, log, streams }: PostingDeps): Posting {
  let takesMarkdown = true;

  async function send<T>({ text, buttons }: Post, call: (body: Body) => Promise<Answer<T>>): Promise<Answer<T>> {
    if (!takesMarkdown) return call(buildMrkdwn(text, buttons));
    const answer = await call(buildMarkdown(text, buttons));
    if (answer.type !== "refused" || ![...noMarkdown, "invalid_blocks"].includes(answer.error)) return answer;
    const second = await call(buildMrkdwn(text, buttons));
    if (second.type === "ok" && noMarkdown.includes(answer.error)) {
      takesMarkdown = false;
      log.info("This Slack takes no Markdown; posts are written in mrkdwn", { error: answer.error });
    }
    return second;
  }
  /** `conflict`: how Slack refuses while the post is streamed. */
  async function whenFinished<T>(
    channel: string,
    ts: string,
    conflict: string,
    call: () => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    if (streams.isOpen(ts)) await streams.finish(channel, ts);
    const answer = await call();
    if (answer.type !== "refused" || answer.error !== conflict) return answer;
    // Begun by an earlier life.
    await streams.finish(channel, ts);
    return call();
  }

  const postTo = (channel: string, threadTs: string | undefined, post: Post) =>
    send<string>(post, async (body) => {
      const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
      const call = { channel, ...body, ...thread, metadata: post.metadata, unfurl_links: false, unfurl_media: false };
      // The SDK knows every block by its own type; ours are plain.
      const answer = await client.call((web) => web.chat.postMessage(call as ChatPostMessageArguments));
      return answer.type === "ok" ? { type: "ok", value: answer.value.ts ?? "" } : answer;
    });

  return {
    async post(channel, threadTs, post) {
      const answer = await postTo(channel, threadTs, post);
      const isGone = threadTs !== undefined && answer.type === "refused" && noThread.includes(answer.error);
      return isGone ? postTo(channel, undefined, post) : answer;
    },
    update: (channel, ts, post) =>
      whenFinished(channel, ts, "streaming_state_conflict", () =>
        send(post, async (body) => {
          const metadata = post.metadata ? { metadata: post.metadata } : {};
          const call = { channel, ts, ...body, ...metadata } as ChatUpdateArguments;
          const answer = await client.call((web) => web.chat.update(call));
          return answer.type === "ok" ? { type: "ok", value: ts } : answer;
        }),
      ),
    remove: (channel, ts) =>
      whenFinished(channel, ts, "cant_delete_message", async () => {
        const answer = await client.call((web) => web.chat.delete({ channel, ts }));
        const isGone = answer.type === "ok" || (answer.type === "refused" && answer.error === "message_not_found");
        return isGone ? { type: "ok", value: ts } : answer;
      }),
  };
}

function buildMarkdown(text: string, buttons: Post["buttons"]): Body {
  const row = buildButtons(buttons);
  if (!row) return { markdown_text: text };
  return { text: toPreview(text), blocks: [{ type: "markdown", text }, row] };
}

function buildMrkdwn(text: string, buttons: Post["buttons"]): Body {
  const row = buildButtons(buttons);
  const [whole = "", ...more] = toMrkdwn(text, maxText);
  if (!row && more.length === 0) return { text: whole };
  const sections = toMrkdwn(text, maxSection).map((part) => ({
    type: "section",
    text: { type: "mrkdwn", text: part },
  }));
  return { text: toPreview(text), blocks: row ? [...sections, row] : sections };
}

const toPreview = (text: string): string => toMrkdwn(text, maxPreview)[0] ?? "";
