/**
 * One request of the API as one turn: its files are kept, its words are said in its conversation, and its reply is followed.
 * A client that goes away ends its turn; one that has named its request (`Idempotency-Key`) may come back for it instead.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse, OperatorSaid } from "../../contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelAttachment, ChannelRef } from "../../contracts/message.ts";
import type { Exchange, TurnFeed } from "../parts.ts";
import type { ApiFile, ApiMessage } from "./api-message.ts";
import type { Said } from "./build-said.ts";
import { createWordChooser } from "./choose-words.ts";
import { type Conversation, toChat } from "./conversation.ts";
import { followReply, type ReplySign } from "./follow-reply.ts";
import { OpenAiFault } from "./openai-error.ts";

export interface ApiDeps {
  house: GatewayHouse;
  feed: TurnFeed;
  clock: Clock;
  log: Log;
}

export interface RunningRequest {
  turnId: TurnId;
  sessionKey: SessionKey;
  /** To be read to its end, once: the turn is let go of after it. */
  signs(): AsyncGenerator<ReplySign, void, undefined>;
}

/** The whole request, files and all. */
export const maxBodyBytes = 20 * 1024 * 1024;

export function createRequestRunner({ house, feed, clock, log }: ApiDeps) {
  const words = createWordChooser();
  const saveFiles = async (chat: ChannelRef, files: readonly ApiFile[]): Promise<ChannelAttachment[]> => {
    const saved: ChannelAttachment[] = [];
    for (const { filename, mimeType, data } of files) {
      const file = { filename, data: once(data), maxBytes: maxBodyBytes, ...(mimeType !== undefined && { mimeType }) };
      saved.push(await house.store.channels.saveAttachment(chat, file));
    }
    return saved;
  };
  /** What is said is on disk after it; what was not taken leaves nothing behind. */
  const say = async (
    said: Said,
    { agentId, name, isPassing }: Conversation,
    rest: Pick<OperatorSaid, "messageId" | "deviceName">,
  ) => {
    const chat = toChat(house, { agentId, name });
    let isTaken = false;
    try {
      const attachments = await saveFiles(chat, said.files);
      const to = { type: "named", agentId, name, ...(isPassing && { isPassing }) } as const;
      const result = await house.say({ ...rest, isAdmin: false, text: said.text, attachments, to });
      isTaken = result.type === "accepted";
      return result;
    } finally {
      if (!isTaken && isPassing && said.files.length > 0) await house.store.channels.remove(chat);
    }
  };

  return {
    async run(exchange: Exchange, { messages, conversation, seed, param }: RunParts): Promise<RunningRequest> {
      const { said, remember } = words.choose(messages, conversation, param);
      const result = await say(said, conversation, {
        messageId: seed === undefined ? randomUUID() : hash(seed),
        deviceName: exchange.identity?.name ?? "api",
      });
      if (result.type === "unknown") throw unknownAgent(result.what);
      if (result.type === "refused") throw new OpenAiFault({ status: 503, message: result.reason });
      remember();
      const { turnId, sessionKey } = result;
      const { signal } = exchange;
      async function* signs() {
        let isOver = false;
        try {
          for await (const sign of followReply({ house, feed, clock }, turnId, signal)) {
            isOver = sign.type !== "text";
            yield sign;
          }
        } finally {
          if (!isOver && seed === undefined) await stop(sessionKey);
        }
      }
      return { turnId, sessionKey, signs };
    },
  };

  async function stop(sessionKey: SessionKey) {
    await house.stop(sessionKey).catch((error: unknown) => {
      log.warn("A turn whose client went away could not be stopped", { session: sessionKey, error });
    });
  }
}

interface RunParts {
  messages: readonly ApiMessage[];
  conversation: Conversation;
  /** Names this very request; absent: nobody will ask for it again. */
  seed: string | undefined;
  /** The field that holds the messages. */
  param: string;
}

export type RequestRunner = ReturnType<typeof createRequestRunner>;

/** What makes a repeated request the same one: who asks, what they call it, and every byte of it. */
export function readSeed({ request, identity }: Exchange, body: Buffer): string | undefined {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return undefined;
  return JSON.stringify([identity?.id ?? "", request.url ?? "", key, createHash("sha256").update(body).digest("hex")]);
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

const unknownAgent = (what: string) =>
  new OpenAiFault({ status: 404, message: `There is no ${what}.`, param: "model", code: "model_not_found" });

async function* once(data: Buffer): AsyncIterable<Uint8Array> {
  yield data;
}
