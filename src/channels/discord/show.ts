/** How a running turn is shown on Discord: the driver for the kit's `turn-show.ts`. */
import type { API } from "@discordjs/core";
import type { TurnId } from "../../contracts/ids.ts";
import type { ShowDriver } from "../kit/show-driver.ts";
import type { Calls } from "./calls.ts";
import type { DiscordConfig } from "./config.ts";
import { codes } from "./errors.ts";
import { toNonce } from "./format.ts";
import { noPreviews } from "./posting.ts";
import type { Recent } from "./recent.ts";

export interface ShowDeps {
  api: API;
  calls: Calls;
  recent: Recent;
  render(markdown: string): string[];
  /** Whether a thread can be begun there: not in a direct chat, nor in a thread. */
  canHaveThreads(channelId: string): boolean;
}

/** The sign lasts ten seconds. */
const typingEveryMs = 9_000;
const postTries = 3;
const mostTurns = 500;
const threadName = "Details";
/** While it grows, nobody is called and nothing is fetched. */
const silent = { allowed_mentions: { parse: [] }, flags: noPreviews };

export function createShowDriver(
  { api, calls, recent, render, canHaveThreads }: ShowDeps,
  config: Pick<DiscordConfig, "toolOutput" | "usageLine">,
): ShowDriver {
  /** How many live posts a turn has had in this life: each has a nonce of its own, the same in every life. */
  const removed = new Map<TurnId, number>();

  async function post(channelId: string, nonce: string, content: string): Promise<string | undefined> {
    for (let tries = 0; tries < postTries; tries++) {
      const body = { content, nonce, enforce_nonce: true, ...silent };
      const called = await calls.runNow(channelId, () => api.channels.createMessage(channelId, body));
      if (called.type === "done") return called.value.id;
      // Nobody knows: the same nonce finds it.
      if (called.type !== "unknown") break;
    }
    return undefined;
  }
  const driver: ShowDriver = {
    async post({ channelId, turnId }, text) {
      const id = await post(channelId, toNonce(`live.${turnId}.${removed.get(turnId) ?? 0}`), text);
      if (id !== undefined) recent.own(id);
      return id;
    },
    async edit({ channelId }, messageId, content) {
      const change = () => api.channels.editMessage(channelId, messageId, { content, ...silent });
      return (await calls.runNow(channelId, change)).type === "done";
    },
    async remove({ channelId, turnId }, messageId) {
      recent.own(messageId);
      const [oldest] = removed.keys();
      if (oldest !== undefined && removed.size >= mostTurns) removed.delete(oldest);
      removed.set(turnId, (removed.get(turnId) ?? 0) + 1);
      await calls.run(channelId, () => api.channels.deleteMessage(channelId, messageId));
    },
    async typing({ channelId }) {
      await calls.runIfRoom(`typing:${channelId}`, () => api.channels.showTyping(channelId));
    },
    typingEveryMs,
    async react({ channelId }, messageId, emoji, remove) {
      const call = remove ? "deleteOwnMessageReaction" : "addMessageReaction";
      await calls.run(`react:${channelId}`, () => api.channels[call](channelId, messageId, emoji));
    },
  };
  // A thread under every reply that used a tool would fill the list of threads: only for who asks for more than a line.
  if (config.toolOutput !== "full" && !config.usageLine) return driver;
  return {
    ...driver,
    async detail({ channelId }, messageId, markdown) {
      if (!canHaveThreads(channelId)) return;
      const begin = () => api.channels.createThread(channelId, { name: threadName }, messageId);
      const begun = await calls.runNow(channelId, begin);
      if (begun.type !== "done" && begun.code !== codes.threadExists) return;
      // A thread that hangs from a message has the message's id.
      for (const content of render(markdown)) {
        await calls.run(messageId, () => api.channels.createMessage(messageId, { content, ...silent }));
      }
    },
  };
}
