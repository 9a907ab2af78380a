/**
 * Makes a post exactly once. Discord gives back the same message for the same nonce, but only for some minutes; a delivery that
 * may have gone out longer ago is first looked for among what mom has posted since.
 */
import type { API } from "@discordjs/core";
import type { RawFile } from "@discordjs/rest";
import { type APIMessage, MessageFlags, type RESTPostAPIChannelMessageJSONBody } from "discord-api-types/v10";
import type { OutgoingText, SendResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { Called, Calls } from "./calls.ts";
import { findCalled, isNewer, toId, toNonce } from "./format.ts";

/** What a post is made of, beside what every post has. */
export type PostBody = Pick<RESTPostAPIChannelMessageJSONBody, "content" | "poll" | "components"> & {
  replyTo?: string;
  files?: RawFile[];
};

export type PostedDelivery = Pick<OutgoingText, "deliveryId" | "createdAt" | "isUncertain">;

export interface Posting {
  post(channelId: string, delivery: PostedDelivery, body: PostBody): Promise<SendResult>;
  /** A post of mom's own was seen. */
  saw(message: Pick<APIMessage, "id" | "nonce">): void;
  /** Undefined: not known in this life. */
  messageIdOf(deliveryId: string): string | undefined;
}

export interface PostingDeps {
  api: API;
  clock: Clock;
  log: Log;
  calls: Calls;
  selfId(): string;
}

/** Discord speaks of "a few minutes"; less is safe. */
const nonceCountsMs = 120_000;
/** Discord's clock and ours. */
const clockSlackMs = 60_000;
const most = 1_000;
const mostPages = 10;

/** Discord would fetch an address that a text names, and an address can carry what was meant for nobody. */
export const noPreviews = MessageFlags.SuppressEmbeds;

/** Nobody is called but those whom the text names by our own rendering. */
export const toAllowedMentions = (content = "") => ({ parse: [], users: findCalled(content), replied_user: false });

export function createPosting({ api, clock, log, calls, selfId }: PostingDeps): Posting {
  /** Nonce → message id. */
  const posted = createBounded<string>();
  /** Nonce → when it was first tried, where nobody knows what became of it. */
  const uncertain = createBounded<number>();

  /** Since when the post may be there; undefined when the nonce tells, or it cannot be. */
  function mayBeThereSince({ createdAt, isUncertain }: PostedDelivery, nonce: string): number | undefined {
    const since = uncertain.get(nonce) ?? (isUncertain ? createdAt : undefined);
    return since !== undefined && clock.now() - since > nonceCountsMs ? since : undefined;
  }
  const isSame = (message: APIMessage, body: PostBody) =>
    message.author.id === selfId() &&
    message.content === (body.content ?? "").trim() &&
    (message.message_reference?.message_id === body.replyTo || body.replyTo === undefined) &&
    message.attachments.map(({ filename }) => filename).join("\n") ===
      (body.files ?? []).map(({ name }) => name).join("\n") &&
    message.poll?.question.text === body.poll?.question.text;

  async function lookFor(
    channelId: string,
    nonce: string,
    body: PostBody,
    since: number,
  ): Promise<Called<string | undefined>> {
    let after = toId(since - clockSlackMs);
    for (let page = 0; page < mostPages; page++) {
      const read = await calls.run(`read:${channelId}`, () =>
        api.channels.getMessages(channelId, { after, limit: 100 }),
      );
      if (read.type !== "done") return read;
      const messages = read.value.sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
      const others = new Set(posted.entriesBut(nonce));
      const found = messages.find((message) => isSame(message, body) && !others.has(message.id));
      if (found || messages.length < 100) return { type: "done", value: found?.id };
      after = messages.at(-1)?.id ?? after;
    }
    log.warn("A post was not found among many; it is made, and may stand there twice", { channelId });
    return { type: "done", value: undefined };
  }
  function note(nonce: string, called: Called<string>): SendResult {
    if (called.type === "unknown") {
      if (uncertain.get(nonce) === undefined) uncertain.set(nonce, clock.now());
      return called;
    }
    uncertain.delete(nonce);
    if (called.type !== "done") return called;
    posted.set(nonce, called.value);
    return { type: "sent", messageId: called.value };
  }

  return {
    async post(channelId, delivery, body) {
      const { deliveryId } = delivery;
      const nonce = toNonce(deliveryId);
      const known = posted.get(nonce);
      if (known !== undefined) return { type: "sent", messageId: known };
      const since = mayBeThereSince(delivery, nonce);
      if (since !== undefined) {
        const found = await lookFor(channelId, nonce, body, since);
        if (found.type === "done" && found.value !== undefined)
          return note(nonce, { type: "done", value: found.value });
        if (found.type === "retry" || found.type === "unknown") return { ...found, type: "unknown" };
        if (found.type === "rejected")
          log.warn("Whether a post has arrived cannot be read; it is made", { deliveryId });
      }
      const { replyTo, files, ...content } = body;
      const called = await calls.run(channelId, async () => {
        const message = await api.channels.createMessage(channelId, {
          ...content,
          nonce,
          enforce_nonce: true,
          flags: noPreviews,
          allowed_mentions: toAllowedMentions(content.content),
          ...(files && { files }),
          ...(replyTo !== undefined && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
        });
        return message.id;
      });
      return note(nonce, called);
    },
    saw({ id, nonce }) {
      if (nonce !== undefined) posted.set(String(nonce), id);
    },
    messageIdOf: (deliveryId) => posted.get(toNonce(deliveryId)),
  };
}

function createBounded<Value>() {
  const map = new Map<string, Value>();
  return {
    get: (key: string) => map.get(key),
    set(key: string, value: Value) {
      map.delete(key);
      const [oldest] = map.keys();
      if (oldest !== undefined && map.size >= most) map.delete(oldest);
      map.set(key, value);
    },
    delete: (key: string) => void map.delete(key),
    entriesBut: (key: string) => [...map].flatMap(([each, value]) => (each === key ? [] : [value])),
  };
}
