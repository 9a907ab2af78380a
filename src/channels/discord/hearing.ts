/**
 * What the gateway tells → the app: in order within a chat, each event marked as taken in the session's book only when its
 * message is on disk. Chats do not wait for each other.
 */
import type { API } from "@discordjs/core";
import {
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
} from "discord-api-types/v10";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { fetchMissed } from "./backfill.ts";
import type { ChatCursors } from "./chat-cursors.ts";
import { isNewer, toId } from "./format.ts";
import { canTalkIn, type GuildBook } from "./guild-book.ts";
import type { HeardMessage, Inbound } from "./inbound.ts";
import type { Interactions } from "./interactions.ts";
import type { Done, SessionBook } from "./session-book.ts";

export interface Hearing {
  hear(payload: GatewayDispatchPayload): void;
  /** A new session has begun: what was missed in direct chats is read. */
  beginSession(): void;
}

export interface HearingDeps {
  api: API;
  clock: Clock;
  log: Log;
  sessions: SessionBook;
  cursors: ChatCursors;
  guilds: GuildBook;
  inbound: Inbound;
  interactions: Interactions;
  /** A post of mom's own was seen in a chat. */
  onOwn(heard: HeardMessage): void;
  selfId(): string;
  /** Gives a message to the app; false when it was not taken. */
  offer(message: ChannelMessage): Promise<boolean>;
  signal: AbortSignal;
}

export function createHearing(deps: HearingDeps): Hearing {
  const { log, sessions, cursors, guilds, inbound, interactions, offer } = deps;
  const lanes = createKeyedQueue();

  const offerIf = async (message: ChannelMessage | undefined) => message === undefined || offer(message);

  /** In the chat's turn, once nothing of this session can be lost any more. */
  const inLane = (channelId: string, work: () => Promise<boolean>) =>
    lanes.run(channelId, async () => {
      await sessions.kept;
      return work();
    });

  async function take(heard: HeardMessage): Promise<boolean> {
    const message = await inbound.toMessage(heard);
    if (!(await offerIf(message))) return false;
    cursors.saw(heard.channel_id, heard.id, heard.guild_id === undefined);
    return true;
  }
  async function takeNew(heard: HeardMessage): Promise<boolean> {
    const after = heard.guild_id === undefined ? cursors.unheardSince(heard.channel_id) : undefined;
    if (after === undefined) return take(heard);
    return (await fetchMissed({ ...deps, take }, { channelId: heard.channel_id, after })) && take(heard);
  }
  const backfill = (channelId: string, after: string, guildId?: string) =>
    lanes.run(channelId, () =>
      fetchMissed({ ...deps, take }, { channelId, after, ...(guildId !== undefined && { guildId }) }),
    );
  /** Everything that was said there since mom last heard from the server, and since she is in it. */
  async function backfillGuild({ id, joined_at, channels, threads }: GatewayGuildCreateDispatchData): Promise<boolean> {
    const joinedId = toId(Date.parse(joined_at));
    const missed = [...channels, ...threads].filter(canTalkIn).flatMap((channel) => {
      const last = "last_message_id" in channel ? channel.last_message_id : undefined;
      const known = cursors.after(channel.id);
      if (!last || known === undefined) return [];
      const after = isNewer(joinedId, known) ? joinedId : known;
      return isNewer(last, after) ? [backfill(channel.id, after, id)] : [];
    });
    return (await Promise.all(missed)).every(Boolean);
  }

  /** Resolves false when it was not taken. */
  function handle(payload: GatewayDispatchPayload): Promise<boolean> {
    const { t, d } = payload;
    switch (t) {
      case GatewayDispatchEvents.MessageCreate:
        if (d.author.id === deps.selfId()) deps.onOwn(d);
        return inLane(d.channel_id, () => takeNew(d));
      case GatewayDispatchEvents.MessageUpdate:
        return inLane(d.channel_id, () => offerIf(inbound.toEdit(d)));
      case GatewayDispatchEvents.MessageDelete:
        return inLane(d.channel_id, () => offerIf(inbound.toDeletion(d.channel_id, d.id)));
      case GatewayDispatchEvents.MessageDeleteBulk:
        return inLane(d.channel_id, async () => {
          for (const id of d.ids) if (!(await offerIf(inbound.toDeletion(d.channel_id, id)))) return false;
          return true;
        });
      case GatewayDispatchEvents.InteractionCreate:
        // Discord waits three seconds for an answer: not behind somebody's file.
        return sessions.kept.then(() => interactions.handle(d));
      case GatewayDispatchEvents.GuildCreate:
        return backfillGuild(d);
      default:
        return Promise.resolve(true);
    }
  }
  /** What throws is a bug, ours or the platform's: offering the same event for ever would hold up everything behind it. */
  const settle = (done: Done, work: Promise<boolean>) => {
    work
      .catch((error: unknown) => {
        log.error("An event from Discord could not be understood; it is passed over", { error });
        return true;
      })
      .then((isTaken) => {
        if (isTaken) done();
      });
  };

  return {
    hear(payload) {
      const done = sessions.begin(payload.s);
      if (!done) return;
      guilds.learn(payload);
      settle(done, handle(payload));
    },
    beginSession() {
      cursors.beginSession();
      const missed = cursors.directChats().flatMap((channelId) => {
        const after = cursors.after(channelId);
        return after === undefined ? [] : [backfill(channelId, after)];
      });
      const all = Promise.all(missed).then((taken) => taken.every(Boolean));
      settle(sessions.beginFirst(), all);
    },
  };
}
