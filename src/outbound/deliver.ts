/**
 * One post, change or deletion to one platform: settle first if an earlier call may have arrived, then call, then write the
 * receipt. What "may have arrived" means is the channel's own rule (spec 10.1); a change or a deletion is simply made again.
 */
import { within } from "../base/within.ts";
import type { PlatformAdapter, SendResult, SettleResult } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { ClaimedDelivery, DeliveryBody, Outbox, Turns } from "../contracts/store.ts";
import { findFileFault } from "./check-file.ts";
import { pickRetryDelayMs } from "./retry-delay.ts";

interface DeliverDeps {
  outbox: Outbox;
  turns: Pick<Turns, "get">;
  clock: Clock;
  log: Log;
}

/** A call that has not come back by then counts as "nobody knows". Shorter than the lease. */
const callTimeoutMs = 60_000;
const settleTimeoutMs = 30_000;
/** A post that could not be made for this long is given up. */
const giveUpAfterMs = 24 * 3600_000;
const mostRepeats = 1;

export async function deliver(deps: DeliverDeps, adapter: PlatformAdapter, delivery: ClaimedDelivery): Promise<void> {
  const { outbox } = deps;
  const isSafe = adapter.capabilities.settles === "idempotent" || isSafeTwice(delivery.body);
  if (!delivery.uncertain || isSafe) {
    return settleAs(deps, adapter, delivery, await call(deps, adapter, delivery, false));
  }
  const settled = await ask(deps, adapter, delivery);
  if (settled.type === "sent") return outbox.settle(delivery, settled);
  if (settled.type === "not-sent") {
    return settleAs(deps, adapter, delivery, await call(deps, adapter, delivery, false));
  }
  // It can be found out, only not now.
  if (adapter.capabilities.settles === "lookup") {
    return settleAs(deps, adapter, delivery, { type: "unknown", reason: "The platform could not be asked" });
  }
  await repeat(deps, adapter, delivery);
}

/** What changes something that is there: made again, it is the same. */
function isSafeTwice(body: DeliveryBody): boolean {
  if (body.type === "action") return body.action.type === "react" || body.action.type === "pin";
  return body.type === "edit" || body.type === "delete";
}

/** Nobody can ever tell: once more at most, and said. */
async function repeat(deps: DeliverDeps, adapter: PlatformAdapter, delivery: ClaimedDelivery): Promise<void> {
  const { outbox, log } = deps;
  const where = { delivery: delivery.id, adapter: adapter.name, channel: delivery.channel.channelId };
  if (delivery.repeats >= mostRepeats) {
    const error = "Nobody can tell whether it arrived, and it was repeated once already";
    log.warn("A post is given up", { ...where, reason: error });
    return outbox.settle(delivery, { type: "failed", error });
  }
  log.warn("A post may have arrived before; it is sent once more", where);
  await outbox.noteRepeat(delivery);
  await settleAs(deps, adapter, delivery, await call(deps, adapter, delivery, true));
}

async function ask({ clock }: DeliverDeps, adapter: PlatformAdapter, delivery: ClaimedDelivery): Promise<SettleResult> {
  const asking = adapter.settle(delivery.channel.channelId, delivery.id, delivery.createdAt);
  return within(clock, settleTimeoutMs, asking, () => ({ type: "unknown" }));
}

async function call(
  { clock, turns }: DeliverDeps,
  adapter: PlatformAdapter,
  delivery: ClaimedDelivery,
  isRepeat: boolean,
): Promise<SendResult> {
  const fault = delivery.body.type === "file" ? await findFileFault(delivery.body) : undefined;
  if (fault !== undefined) return fault;
  const calling = callAdapter(adapter, delivery, { isRepeat, cause: await findCause(turns, delivery) });
  return within(clock, callTimeoutMs, calling, (reason) => ({ type: "unknown", reason }));
}

/** What the post's turn answers; undefined when that was said in another chat. */
async function findCause(
  turns: DeliverDeps["turns"],
  { turnId, channel }: ClaimedDelivery,
): Promise<ChannelMessage | undefined> {
  const turn = turnId && (await turns.get(turnId));
  const isHere = turn?.adapter === channel.adapter && turn.message.channelId === channel.channelId;
  return isHere ? turn.message : undefined;
}

/** Async, so that an adapter that throws at once is like one that rejects. */
async function callAdapter(
  adapter: PlatformAdapter,
  { id, channel: { channelId }, body, turnId, createdAt, uncertain }: ClaimedDelivery,
  { isRepeat, cause }: { isRepeat: boolean; cause: ChannelMessage | undefined },
): Promise<SendResult> {
  const common = {
    deliveryId: id,
    createdAt,
    ...(uncertain && { isUncertain: true as const }),
    ...(turnId !== undefined && { turnId }),
    ...(cause !== undefined && { cause }),
    ...(isRepeat && { repeated: true as const }),
  };
  switch (body.type) {
    case "text":
      return adapter.sendMessage(channelId, {
        ...common,
        text: body.text,
        ...(body.replyTo !== undefined && { replyTo: body.replyTo }),
        ...(body.isAside && { isAside: true }),
        ...(body.buttons !== undefined && { buttons: body.buttons }),
      });
    case "file":
      return adapter.uploadFile(channelId, {
        ...common,
        path: body.path,
        filename: body.filename,
        ...(body.caption !== undefined && { caption: body.caption }),
      });
    case "edit":
      return adapter.updateMessage(channelId, body.messageId, body.text);
    case "delete":
      return adapter.deleteMessage(channelId, body.messageId);
    case "action":
      return adapter.act(channelId, { ...common, action: body.action });
  }
}

async function settleAs(
  { outbox, clock, log }: DeliverDeps,
  adapter: PlatformAdapter,
  delivery: ClaimedDelivery,
  result: SendResult,
): Promise<void> {
  const where = { delivery: delivery.id, adapter: adapter.name, channel: delivery.channel.channelId };
  if (result.type === "sent") return outbox.settle(delivery, { type: "sent", messageId: result.messageId });
  const isTooOld = clock.now() - delivery.createdAt > giveUpAfterMs;
  if (result.type === "rejected" || isTooOld) {
    log.error("A post could not be delivered", { ...where, reason: result.reason });
    return outbox.settle(delivery, { type: "failed", error: result.reason });
  }
  const asked = result.type === "retry" ? result.retryAfterMs : undefined;
  const dueAt = clock.now() + pickRetryDelayMs(delivery.attempts, asked);
  log.warn("A post is tried again", { ...where, reason: result.reason, attempt: delivery.attempts });
  return outbox.settle(delivery, { type: "retry", dueAt, error: result.reason, uncertain: result.type === "unknown" });
}
