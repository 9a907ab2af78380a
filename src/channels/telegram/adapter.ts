/** The Telegram adapter: joins the client, what comes in, what goes out, and what is shown meanwhile. */
import type { UserFromGetMe } from "grammy/types";
import { ChannelError } from "../../base/errors.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { Webhooks } from "../../contracts/gateway.ts";
import type { ChannelDeps } from "../definition.ts";
import { createDirectory } from "../kit/directory.ts";
import { createHandlers } from "../kit/handlers.ts";
import { createHealthBook } from "../kit/health.ts";
import { createOffer } from "../kit/offer.ts";
import { createPace, type Pace } from "../kit/pace.ts";
import { createActions, type TelegramActions, toAct } from "./actions.ts";
import { telegramCapabilities } from "./capabilities.ts";
import { createTelegramClient } from "./client.ts";
import { type TelegramConfig, wantsEverything } from "./config.ts";
import { connect } from "./connect.ts";
import { createDownloads } from "./downloads.ts";
import { createFormatter } from "./format.ts";
import { createInbound, updateTypes } from "./inbound.ts";
import { createLive } from "./live.ts";
import { accountOf, privacyWarning, revoked } from "./login.ts";
import { createMenu } from "./menu.ts";
import { createOffset } from "./offset.ts";
import { createOutbound } from "./outbound.ts";
import { isDirect, toChatKey } from "./place.ts";
import { createPlaceBook } from "./place-book.ts";
import { createPolling, type PollingDeps } from "./polling.ts";
import { createSender } from "./send.ts";
import { createStickers } from "./stickers.ts";
import { createTextCalls } from "./text-calls.ts";
import type { UpdateSource } from "./update-source.ts";
import { createUploads } from "./uploads.ts";
import { createWebhook } from "./webhook.ts";

export interface TelegramAdapter extends PlatformAdapter {
  /** For the channel tools. */
  actions: TelegramActions;
}

export function createTelegramAdapter(name: string, config: TelegramConfig, deps: ChannelDeps): TelegramAdapter {
  const { clock, memory } = deps;
  const log = deps.log.with({ adapter: name });
  const buildSource = pickSource(name, config, deps.webhooks);
  const stopped = new AbortController();
  const client = createTelegramClient(config);
  const features = { hasRich: true, hasDrafts: true };
  const directory = createDirectory();
  const handlers = createHandlers(name);
  const health = createHealthBook({ clock });
  const offer = createOffer({ clock, log, handle: handlers.handle });
  const pace = createTelegramPace(deps);
  const places = createPlaceBook({ memory, log, name });
  const formatter = createFormatter(directory);
  const texts = createTextCalls({ client, formatter, features, log });
  const sender = createSender({ pace, places, health, onUnauthorised: () => health.set("failed", revoked) });
  const live = createLive(
    { client, clock, log, memory, pace, sender, texts, features, render: formatter.toParts },
    config,
  );
  const stickers = createStickers({ client, memory, log });
  const actions = createActions({ client, sender, stickers, texts });
  const downloads = createDownloads({ client, clock, saveAttachment: deps.saveAttachment, signal: stopped.signal });
  let source: UpdateSource | undefined;

  async function open(me: UserFromGetMe): Promise<void> {
    const menu = createMenu({ client, log, memory, commands: deps.commands });
    const offset = createOffset({ clock, log, memory }, me.id);
    await Promise.all([places.load(), stickers.load(), offset.load(), live.start()]);
    const isAdmin = (userId: string) => config.admins.includes(userId);
    const parts = { client, clock, log, directory, offer, handlers, downloads, menu, places, stickers, isAdmin };
    const inbound = createInbound(parts, me);
    const isHardOfHearing = !me.can_read_all_group_messages && wantsEverything(config);
    const lack = isHardOfHearing ? { detail: privacyWarning.message, fix: privacyWarning.fix } : {};
    let wasConnected = false;
    source = buildSource({
      client,
      clock,
      log,
      offset,
      updateTypes,
      take: inbound.take,
      onConnected() {
        if (health.state === "connected") return;
        if (wasConnected) health.reconnected();
        wasConnected = true;
        health.set("connected", { account: accountOf(me), ...lack });
      },
      onReplaced: health.reconnected,
      onFailed({ state, ...why }, attempt) {
        health.set(state, why);
        log[attempt === 1 ? "warn" : "debug"]("Telegram gives no messages; trying again", { ...why, attempt });
      },
    });
    if (stopped.signal.aborted) return;
    await source.start();
    if (!stopped.signal.aborted) void menu.publish(me.id);
  }

  return {
    name,
    type: "telegram",
    capabilities: telegramCapabilities,
    actions,
    async start() {
      handlers.ensureWired();
      health.set("starting");
      const keepsWebhook = config.webhook !== undefined;
      const me = await connect({ name, client, clock, log, health, features, keepsWebhook, signal: stopped.signal });
      if (me) await open(me);
    },
    async stop() {
      stopped.abort();
      health.set("stopped");
      offer.stop();
      source?.stop();
      pace.stop();
      await live.stop();
      client.close();
    },
    getChannels: directory.channels,
    getUsers: directory.users,
    getChannelInfo: directory.channel,
    getUserInfo: directory.user,
    onMessage: handlers.onMessage,
    onStop: handlers.onStop,
    render: formatter.toParts,
    ...createOutbound({ client, texts, sender, live }),
    ...createUploads({ client, sender, live }),
    act: toAct(actions),
    showEvent: live.showEvent,
    health: () => health.toHealth(offer),
  };
}

/** Throws where a webhook is wanted and nobody could be called. */
function pickSource(
  name: string,
  { webhook }: TelegramConfig,
  webhooks: Webhooks | undefined,
): (deps: PollingDeps) => UpdateSource {
  if (!webhook) return createPolling;
  if (webhooks) return (deps) => createWebhook({ ...deps, name, webhooks, config: webhook });
  throw new ChannelError("WEBHOOK_NEEDS_GATEWAY", `The adapter "${name}" wants a webhook, and no gateway runs here.`, {
    hint: "Switch the gateway on (gateway.enabled), or remove the key webhook: mom then asks Telegram for messages herself.",
  });
}

/** Telegram's own limits; a forum's topics share those of their group. */
function createTelegramPace({ clock }: Pick<ChannelDeps, "clock">): Pace {
  const direct = { burst: 4, perSecond: 1 };
  const group = { burst: 6, perSecond: 20 / 60 };
  const all = { burst: 30, perSecond: 30 };
  const pace = createPace({ clock }, { chat: (chatId) => (isDirect(chatId) ? direct : group), all });
  return {
    ...pace,
    take: (channelId, maxWaitMs) => pace.take(toChatKey(channelId), maxWaitMs),
    tryTake: (channelId) => pace.tryTake(toChatKey(channelId)),
  };
}
