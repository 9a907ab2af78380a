/** Whose job it is, and where it is at home, when it is made at the machine itself: by the config, and by who talked last. */
import { type MomConfig, withWebchat } from "../../app/index.ts";
import { UsageError } from "../../base/errors.ts";
import { accessRulesOf } from "../../channels/index.ts";
import type { CronHome, CronPayload } from "../../contracts/cron.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Store } from "../../contracts/store.ts";
import { findAdapter } from "../find-adapter.ts";

export interface HomeOptions {
  /** `<adapter>/<channel>`. Absent: where the owner last talked to the agent. */
  chat?: string;
  /** A sender's id. Absent: the first admin of the chat's adapter. */
  as?: string;
  agent?: string;
}

type Config = Pick<MomConfig, "adapters" | "gateway">;

/** Throws `BAD_TARGET`, `UNKNOWN_ADAPTER`, `CRON_CHAT_MISSING` and `CRON_ASKER_MISSING`. */
export async function pickHome(store: Store, config: Config, options: HomeOptions): Promise<CronHome> {
  const adapters = withWebchat(config);
  const channel = options.chat === undefined ? await findOwnChat(store, adapters, options) : parseChat(options.chat);
  const adapter = findAdapter({ adapters }, channel.adapter);
  const id = options.as ?? accessRulesOf(adapter).admins[0];
  if (id === undefined) {
    throw new UsageError(
      "CRON_ASKER_MISSING",
      `The adapter "${channel.adapter}" has no admin whose rights a job could have.`,
      {
        hint: `Name somebody with --as <sender-id>, or add one: mom config set adapters.${channel.adapter}.admins '["<id>"]'`,
      },
    );
  }
  return { channel, askedBy: { id, username: await findName(store, channel, id) } };
}

export function parseChat(given: string): ChannelRef {
  const slash = given.indexOf("/");
  const [adapter, channelId] = [given.slice(0, slash), given.slice(slash + 1)];
  if (slash > 0 && channelId !== "") return { adapter, channelId };
  throw new UsageError("BAD_TARGET", `"${given}" is not <adapter>/<channel>.`, {
    hint: "For example --chat terminal/terminal; `mom sessions list` shows the chats there are.",
  });
}

async function findOwnChat(
  store: Store,
  adapters: Config["adapters"],
  { agent = "main" }: HomeOptions,
): Promise<ChannelRef> {
  const sessions = await store.sessions.list();
  const [own] = sessions
    .filter(({ type, agentId, lastChannel }) => type === "main" && agentId === agent && lastChannel.adapter in adapters)
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (own) return own.lastChannel;
  throw new UsageError(
    "CRON_CHAT_MISSING",
    "No owner has talked to mom yet, so the job has no chat to be at home in.",
    {
      hint: "Say which one: --chat <adapter>/<channel>.",
    },
  );
}

/** As they called themselves last; for people, never for rights. */
async function findName(store: Store, channel: ChannelRef, id: string): Promise<string> {
  const lines = await store.channels.tail(channel, 50);
  return lines.findLast(({ sender }) => sender.id === id)?.sender.username ?? id;
}

/** As it is looked at again when the answer is posted: everybody to their own chat, the owner anywhere. Throws `CRON_TARGET_REFUSED`. */
export async function ensureMayPost(store: Store, { channel: home }: CronHome, payload: CronPayload): Promise<void> {
  if (payload.kind !== "agentTurn" || payload.to === undefined) return;
  if ((payload.channel ?? home.adapter) === home.adapter && payload.to === home.channelId) return;
  const isHome = (channel: ChannelRef) => channel.adapter === home.adapter && channel.channelId === home.channelId;
  const sessions = await store.sessions.list();
  if (sessions.some(({ type, channel, lastChannel }) => type === "main" && [channel, lastChannel].some(isHome))) return;
  throw new UsageError(
    "CRON_TARGET_REFUSED",
    `A job of ${home.adapter}/${home.channelId} may post to that chat only.`,
    {
      hint: "Leave --chat out: a job that is at home in the owner's own chat may post anywhere.",
    },
  );
}
