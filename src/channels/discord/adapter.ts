/** The Discord adapter: joins the connection, what is heard, what is said and what is shown. */
import { GatewayIntentBits } from "discord-api-types/v10";
import type { ChannelError } from "../../base/errors.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { ChannelDeps } from "../definition.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import { createDirectory } from "../kit/directory.ts";
import { createHandlers } from "../kit/handlers.ts";
import { createHealthBook } from "../kit/health.ts";
import { createOffer } from "../kit/offer.ts";
import { createPace } from "../kit/pace.ts";
import { createTurnShow } from "../kit/turn-show.ts";
import { createActions, type DiscordActions } from "./actions.ts";
import { createCalls } from "./calls.ts";
import { createCanary } from "./canary.ts";
import { discordCapabilities } from "./capabilities.ts";
import { createChatCursors } from "./chat-cursors.ts";
import { createClient } from "./client.ts";
import { registerCommands } from "./commands.ts";
import type { DiscordConfig } from "./config.ts";
import { buildLoginRefused, isLoginRefused, toFailure } from "./errors.ts";
import { createRenderer } from "./format.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { createGuildBook } from "./guild-book.ts";
import { createHearing } from "./hearing.ts";
import { createInbound } from "./inbound.ts";
import { createInteractions } from "./interactions.ts";
import { createOutbound } from "./outbound.ts";
import { createPosting } from "./posting.ts";
import { createRecent } from "./recent.ts";
import { fetchSelf, type Self } from "./self.ts";
import { createSessionBook } from "./session-book.ts";
import { createShowDriver } from "./show.ts";

export interface DiscordAdapter extends PlatformAdapter {
  actions: DiscordActions;
}

/** Discord allows five posts in five seconds to a chat, and fifty calls a second in all. */
const limits = { chat: { burst: 5, perSecond: 1 }, all: { burst: 45, perSecond: 45 } };
const baseIntents =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;

export function createDiscordAdapter(name: string, config: DiscordConfig, deps: ChannelDeps): DiscordAdapter {
  const { clock, memory, saveAttachment } = deps;
  const log = deps.log.with({ adapter: name });
  const stopped = new AbortController();
  const { signal } = stopped;
  /** Nothing is heard, and nobody asks, before it is known. */
  let self: Self = { id: "", username: "", applicationId: "", may: { readMembers: false, readContent: false } };
  let gateway: Gateway | undefined;
  const selfId = () => self.id;

  const client = createClient(config);
  const { api } = client;
  const handlers = createHandlers(name);
  const health = createHealthBook({ clock });
  const offer = createOffer({ clock, log, handle: handlers.handle });
  const pace = createPace({ clock }, limits);
  const directory = createDirectory();
  const render = createRenderer(directory);
  const recent = createRecent();
  const sessions = createSessionBook({ clock, log, memory });
  const cursors = createChatCursors({ clock, log, memory });
  const calls = createCalls({ pace, onLoginLost: (error) => fail(buildLoginRefused(error)) });
  const posting = createPosting({ api, clock, log, calls, selfId });
  const guilds = createGuildBook({ api, log, directory, selfId });
  const inbound = createInbound({ clock, directory, guilds, recent, saveAttachment, self: () => self, signal });
  const isAdmin = (userId: string) => config.admins.includes(userId);
  const interactions = createInteractions({ api, log, guilds, inbound, self: () => self, offer: offer.offer, isAdmin });
  const hearing = createHearing({
    ...{ api, clock, log, sessions, cursors, guilds, inbound, interactions, selfId, signal },
    offer: offer.offer,
    onOwn(heard) {
      recent.own(heard.id);
      posting.saw(heard);
    },
  });
  const canHaveThreads = (channelId: string) => {
    const chat = directory.channel(channelId);
    return chat?.type === "channel" && chat.parentId === undefined;
  };
  const driver = createShowDriver({ api, calls, recent, render, canHaveThreads }, config);
  const show = createTurnShow({ clock, log, memory, driver, pace, render }, config);
  const outbound = createOutbound({ api, calls, posting, show, recent, render, onSent: health.sent });
  const canary = createCanary({
    ...{ clock, log, selfId },
    gateway: {
      get isUp() {
        return gateway?.isUp ?? false;
      },
      send: async (payload) => gateway?.send(payload),
    },
    pickGuildId: guilds.pickGuildId,
    onDeaf: () => replace("No events came although the connection was open"),
  });

  /** It is over until somebody changes the config. Posts stay in the outbox. */
  function fail(error: ChannelError): void {
    if (health.state === "failed" || signal.aborted) return;
    log.error("Discord cannot be used any more", { error });
    health.set("failed", { detail: error.message, ...(error.hint !== undefined && { fix: error.hint }) });
    canary.stop();
    void gateway?.stop();
  }
  function replace(reason: string): void {
    gateway?.replace(reason).catch((error: unknown) => log.warn("The connection could not be replaced", { error }));
  }
  const down = (detail: string) => {
    if (health.state === "failed") return;
    log.warn("Discord is not connected", { reason: detail });
    health.set("reconnecting", { detail });
  };
  function createConnection(): Gateway {
    const { readMembers } = self.may;
    let wasUp = false;
    return createGateway(
      {
        ...{ rest: client.rest, clock, log, sessions },
        onDispatch(payload) {
          canary.heard();
          hearing.hear(payload);
          if (sessions.isFull) replace("Too many events wait to be taken");
        },
        onUp(isNew) {
          health.set("connected", { account: `@${self.username}` });
          if (wasUp) health.reconnected();
          if (isNew) hearing.beginSession();
          // The servers are told only to a new session.
          else if (!wasUp) void guilds.load(signal);
          wasUp = true;
          if (sessions.isFull) replace("Too many events wait to be taken");
        },
        onDown: down,
        onFinal: fail,
      },
      { token: config.botToken, intents: baseIntents | (readMembers ? GatewayIntentBits.GuildMembers : 0) },
    );
  }
  /** Undefined: stopped before Discord could be reached. */
  async function findSelf(): Promise<Self | undefined> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await fetchSelf(api, signal);
      } catch (error) {
        if (isLoginRefused(error)) {
          const refused = buildLoginRefused(error);
          fail(refused);
          throw refused;
        }
        if (signal.aborted) break;
        const failure = toFailure(error);
        down(failure.reason);
        const askedMs = failure.type === "retry" ? (failure.retryAfterMs ?? 0) : 0;
        await clock.sleep(Math.max(pickBackOffMs(attempt), askedMs), signal).catch(() => undefined);
      }
    }
    return undefined;
  }
  async function register(): Promise<void> {
    try {
      const commands = config.nativeCommands ? deps.commands() : [];
      await registerCommands({ api, memory, applicationId: self.applicationId, signal }, commands);
    } catch (error) {
      if (!signal.aborted) log.warn("The commands could not be put in Discord's menu", { error });
    }
  }

  return {
    name,
    type: "discord",
    capabilities: discordCapabilities,
    async start() {
      handlers.ensureWired();
      if (signal.aborted) return;
      health.set("starting");
      await Promise.all([sessions.load(), cursors.load()]);
      const found = await findSelf();
      if (!found || signal.aborted) return;
      self = found;
      await show.start();
      canary.start();
      gateway = createConnection();
      await gateway.start();
      if (!signal.aborted) void register();
    },
    async stop() {
      if (signal.aborted) return;
      stopped.abort();
      offer.stop();
      canary.stop();
      await show.stop();
      await gateway?.stop();
      pace.stop();
      await Promise.all([sessions.end(), cursors.end()]);
      client.close();
      health.set("stopped");
    },
    getChannels: directory.channels,
    getUsers: directory.users,
    getChannelInfo: directory.channel,
    getUserInfo: directory.user,
    onMessage: handlers.onMessage,
    onStop: handlers.onStop,
    render,
    ...outbound,
    showEvent: show.show,
    health: () => health.toHealth(offer),
    actions: createActions(api),
  };
}
