/** Reads what was said while mom was not connected and the session could not be resumed: chat by chat, oldest first. */
import type { API } from "@discordjs/core";
import { RateLimitError } from "@discordjs/rest";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import { toFailure } from "./errors.ts";
import { isNewer } from "./format.ts";
import type { HeardMessage } from "./inbound.ts";

export interface BackfillDeps {
  api: API;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** The ordinary way of a message that was heard. False: it was not taken. */
  take(heard: HeardMessage): Promise<boolean>;
}

const pageSize = 100;
const mostPages = 10;

/** False: it could not be finished, because mom is being stopped. `guildId`: absent for a direct chat. */
export async function fetchMissed(
  deps: BackfillDeps,
  chat: { channelId: string; after: string; guildId?: string },
): Promise<boolean> {
  let { after } = chat;
  for (let page = 0; page < mostPages; page++) {
    const missed = await readPage(deps, chat.channelId, after);
    if (missed === "stopped") return false;
    for (const message of missed) {
      const heard = chat.guildId === undefined ? message : { ...message, guild_id: chat.guildId };
      if (!(await deps.take(heard))) return false;
      after = message.id;
    }
    if (missed.length < pageSize) return true;
  }
  deps.log.warn("More was said while mom was away than is read afterwards", { channel: chat.channelId, after });
  return true;
}

/** Again and again until Discord answers; a refusal is like an empty page. */
async function readPage({ api, clock, log, signal }: BackfillDeps, channelId: string, after: string) {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const page = await api.channels.getMessages(channelId, { after, limit: pageSize }, { signal });
      return page.sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
    } catch (error) {
      const failure = toFailure(error);
      if (failure.type === "rejected") {
        log.debug("What was missed in a chat cannot be read", { channel: channelId, reason: failure.reason });
        return [];
      }
      log.warn("What was missed in a chat cannot be read yet; trying again", { channel: channelId, ...failure });
      const waitMs = error instanceof RateLimitError ? error.retryAfter : pickBackOffMs(attempt);
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
  return "stopped" as const;
}
