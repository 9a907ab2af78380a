/**
 * Running turns in their chats. In a direct chat as a draft, which vanishes by itself when the reply comes; elsewhere, and on
 * servers without drafts, as a live post that is edited and becomes the reply.
 */
import { createHash } from "node:crypto";
import { within } from "../../base/within.ts";
import type { OutgoingText, PlatformAdapter } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import type { Pace } from "../kit/pace.ts";
import type { ShowDriver, ShowPlace } from "../kit/show-driver.ts";
import { createTurnShow, type TurnShow } from "../kit/turn-show.ts";
import type { TelegramClient } from "./client.ts";
import type { TelegramConfig } from "./config.ts";
import { isDirect, parseMessageId, toTarget } from "./place.ts";
import { toReaction } from "./reactions.ts";
import type { Sender } from "./send.ts";
import { attempt, type Features, type TextCalls } from "./text-calls.ts";

export interface Live extends Pick<PlatformAdapter, "showEvent"> {
  /** Before a text is sent: the live post that becomes it, if there is one. The same delivery gets the same answer again. */
  takeOver(channelId: string, message: OutgoingText): Promise<number | undefined>;
  isTakenOver(deliveryId: DeliveryId): boolean;
  /** After something of a turn was posted. Returns at once. */
  posted(channelId: string, message: Pick<OutgoingText, "turnId" | "isAside">, messageId: string): void;
  /** The live post is gone. */
  forget(turnId: TurnId): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LiveDeps {
  client: TelegramClient;
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
  pace: Pace;
  sender: Sender;
  texts: TextCalls;
  features: Features;
  render(markdown: string): string[];
}

type LiveConfig = Pick<TelegramConfig, "toolOutput" | "streaming" | "ackReaction" | "usageLine">;

/** The sign of typing lasts five seconds. */
const typingEveryMs = 4_500;
/** A draft lasts thirty seconds; it is sent again before that. */
const draftLastsMs = 20_000;
const settleWithinMs = 3_000;
/** That are remembered. */
const mostTurns = 500;

export function createLive(deps: LiveDeps, config: LiveConfig): Live {
  const { features } = deps;
  const posts = createTurnShow({ ...deps, driver: createPostDriver(deps) }, config);
  const draftDriver = createDraftDriver(deps);
  // What vanishes by itself need not be remembered, and must not count as a post that becomes the reply.
  const drafts = createTurnShow({ ...deps, memory: createNoMemory(), driver: draftDriver }, config);
  const showOf = (channelId: string): TurnShow => (features.hasDrafts && isDirect(channelId) ? drafts : posts);

  return {
    showEvent: (channelId, turnId, event, cause) => showOf(channelId).show(channelId, turnId, event, cause),
    async takeOver(channelId, { turnId, deliveryId, isAside, replyTo }) {
      if (turnId === undefined || isAside) return undefined;
      const show = showOf(channelId);
      // An edit cannot make a post a reply to something.
      if (replyTo !== undefined && show === posts && !posts.isTakenOver(deliveryId)) await posts.discard(turnId);
      const messageId = await show.takeOver(turnId, deliveryId);
      if (show === posts) return messageId === undefined ? undefined : parseMessageId(messageId);
      await draftDriver.settle(turnId);
      return undefined;
    },
    isTakenOver: posts.isTakenOver,
    posted(channelId, { turnId, isAside }, messageId) {
      if (turnId === undefined) return;
      const show = showOf(channelId);
      if (isAside) show.said(turnId);
      else show.replied(turnId, messageId);
    },
    forget: posts.forget,
    async start() {
      await Promise.all([posts.start(), drafts.start()]);
    },
    async stop() {
      await Promise.all([posts.stop(), drafts.stop()]);
    },
  };
}

/** What both have alike. */
function createSigns({ client: { api }, sender }: LiveDeps) {
  return {
    typingEveryMs,
    async typing({ channelId }) {
      await sender.show(channelId, (place) =>
        attempt(() => api.sendChatAction({ ...toTarget(place), action: "typing" })),
      );
    },
    async react({ channelId }, messageId, emoji, remove) {
      const reaction = remove ? [] : toReaction(emoji);
      const message_id = parseMessageId(messageId);
      if (!reaction || message_id === undefined) return;
      await sender.show(channelId, ({ chatId }) =>
        attempt(() => api.setMessageReaction({ chat_id: chatId, message_id, reaction })),
      );
    },
  } satisfies Partial<ShowDriver>;
}

function createPostDriver(deps: LiveDeps): ShowDriver {
  const { client, sender, texts } = deps;
  /** A post that may be there cannot be found again: another one would only stand beside it. */
  const inDoubt = new Set<TurnId>();
  return {
    ...createSigns(deps),
    async post({ channelId, turnId }, text) {
      if (inDoubt.has(turnId)) return undefined;
      const result = await sender.show(channelId, (place) => texts.post(place, text));
      if (result?.type === "done") return String(result.value);
      if (result?.failure.type === "lost") putBounded(inDoubt, turnId);
      return undefined;
    },
    async edit({ channelId }, messageId, text) {
      const result = await sender.show(channelId, (place) => texts.edit(place, Number(messageId), text));
      return result?.type === "done";
    },
    async remove({ channelId }, messageId) {
      await sender.show(channelId, ({ chatId }) =>
        attempt(() => client.api.deleteMessage({ chat_id: chatId, message_id: Number(messageId) })),
      );
    },
  };
}

interface DraftDriver extends ShowDriver {
  /** Resolves when no draft is on its way any more: one that came after the reply would stand below it for a while. */
  settle(turnId: TurnId): Promise<void>;
}

function createDraftDriver(deps: LiveDeps): DraftDriver {
  const { clock, sender, texts } = deps;
  const signs = createSigns(deps);
  const sent = new Map<TurnId, { text: string; atMs: number; call: Promise<boolean> }>();

  const send = ({ channelId, turnId }: ShowPlace, text: string): Promise<boolean> => {
    const [oldest] = sent.keys();
    if (sent.size >= mostTurns && oldest !== undefined) sent.delete(oldest);
    const call = sender
      .show(channelId, (place) => texts.draft(place, toDraftId(turnId), text))
      .then((result) => result?.type === "done");
    sent.set(turnId, { text, atMs: clock.monotonic(), call });
    return call;
  };
  return {
    ...signs,
    post: async (place, text) => ((await send(place, text)) ? String(toDraftId(place.turnId)) : undefined),
    edit: (place, _draftId, text) => send(place, text),
    async remove({ turnId }) {
      sent.delete(turnId);
    },
    async typing(place) {
      const last = sent.get(place.turnId);
      if (last && clock.monotonic() - last.atMs >= draftLastsMs) await send(place, last.text);
      await signs.typing(place);
    },
    async settle(turnId) {
      const last = sent.get(turnId);
      sent.delete(turnId);
      if (last) await within(clock, settleWithinMs, last.call, () => false);
    },
  };
}

function putBounded(turns: Set<TurnId>, turnId: TurnId): void {
  const [oldest] = turns;
  if (turns.size >= mostTurns && oldest !== undefined) turns.delete(oldest);
  turns.add(turnId);
}

/** The same for a turn, also after a restart; not zero. */
const toDraftId = (turnId: TurnId): number =>
  (createHash("sha256").update(turnId).digest().readUInt32BE() % 0x7fff_fffe) + 1;

const createNoMemory = (): ChannelMemory => ({
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => undefined,
});
