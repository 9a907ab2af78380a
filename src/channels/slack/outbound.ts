/** Mom's posts, changes, deletions, files and actions → calls to Slack, and what became of each. */
import type { OutgoingAction, OutgoingFile, OutgoingText, SendResult, SettleResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { Pace } from "../kit/pace.ts";
import type { TurnShow } from "../kit/turn-show.ts";
import { type ActionDeps, performAction } from "./actions.ts";
import type { Attempts } from "./attempts.ts";
import type { Answer } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import { toSendResult } from "./fault.ts";
import type { Posting } from "./posting.ts";
import { buildDeliveryMetadata, type SettleDeps, settleDelivery } from "./settle.ts";
import type { Status } from "./status.ts";
import type { Belongs } from "./threads.ts";
import { sendFile } from "./upload.ts";

export interface OutboundDeps extends SettleDeps, ActionDeps {
  clock: Clock;
  attempts: Attempts;
  cursors: Cursors;
  posting: Posting;
  pace: Pace;
  show: TurnShow;
  status: Status;
  threadOf(belongs: Belongs): string | undefined;
  /** Something was sent. */
  onSent(): void;
}

export interface Outbound {
  sendMessage(channelId: string, message: OutgoingText): Promise<SendResult>;
  updateMessage(channelId: string, messageId: string, text: string): Promise<SendResult>;
  deleteMessage(channelId: string, messageId: string): Promise<SendResult>;
  uploadFile(channelId: string, file: OutgoingFile): Promise<SendResult>;
  act(channelId: string, action: OutgoingAction): Promise<SendResult>;
  settle(channelId: string, deliveryId: DeliveryId, createdAt?: number): Promise<SettleResult>;
}

const notWritten: SendResult = { type: "retry", reason: "The post could not be written down before it was made" };

export function createOutbound(deps: OutboundDeps): Outbound {
  const { attempts, cursors, posting, pace, show, status, threadOf, onSent } = deps;

  /** One call, when the conversation may be called again. */
  async function send(channelId: string, call: () => Promise<SendResult>): Promise<SendResult> {
    const turn = await pace.take(channelId);
    if (turn.type === "later") return { type: "retry", reason: "Slack asks to wait", retryAfterMs: turn.ms };
    const result = await call();
    if (result.type === "sent") onSent();
    if (result.type === "retry" && result.retryAfterMs !== undefined) pace.pause(result.retryAfterMs, channelId);
    return result;
  }
  const toResult = (answer: Answer<string>): SendResult =>
    answer.type === "ok" ? { type: "sent", messageId: answer.value } : toSendResult(answer);
  /** Written down before the call, and forgotten when its outcome is known. */
  async function attempt(
    channelId: string,
    deliveryId: DeliveryId,
    where: { threadTs: string | undefined; fileId?: string },
    call: () => Promise<SendResult>,
  ): Promise<SendResult> {
    if (!(await attempts.note(deliveryId, { ...where, since: cursors.newestIn(channelId) }))) return notWritten;
    const result = await call();
    attempts.end(deliveryId, result);
    return result;
  }

  async function post(channelId: string, message: OutgoingText): Promise<SendResult> {
    const { deliveryId, text, buttons } = message;
    const threadTs = threadOf({ channelId, ...message });
    const metadata = buildDeliveryMetadata(deliveryId);
    return attempt(channelId, deliveryId, { threadTs }, async () =>
      toResult(await posting.post(channelId, threadTs, { text, buttons, metadata })),
    );
  }
  /** The live post becomes the reply. Undefined: there is none (any more), and it is posted anew. */
  async function takeOver(channelId: string, message: OutgoingText): Promise<SendResult | undefined> {
    const { turnId, deliveryId, text, buttons, replyTo, cause } = message;
    if (turnId === undefined || message.isAside) return undefined;
    const ts = await show.takeOver(turnId, deliveryId);
    if (ts === undefined) return undefined;
    // A post cannot be moved to another thread.
    const threadTs = threadOf({ channelId, cause });
    if (threadTs === threadOf({ channelId, replyTo, cause })) {
      const metadata = buildDeliveryMetadata(deliveryId);
      const result = toResult(await posting.update(channelId, ts, { text, buttons, metadata }));
      if (result.type === "sent" && threadTs !== undefined) void status.clear(channelId, threadTs);
      if (result.type !== "rejected") return result;
    }
    // In this order: what is posted anew must not look as if it could simply be made again.
    await posting.remove(channelId, ts);
    await show.forget(turnId);
    return undefined;
  }

  return {
    async sendMessage(channelId, message) {
      const result = await send(
        channelId,
        async () => (await takeOver(channelId, message)) ?? (await post(channelId, message)),
      );
      if (result.type === "sent" && message.turnId !== undefined) {
        if (message.isAside) show.said(message.turnId);
        else show.replied(message.turnId, result.messageId);
      }
      return result;
    },
    updateMessage: (channelId, messageId, text) =>
      send(channelId, async () => toResult(await posting.update(channelId, messageId, { text }))),
    deleteMessage: (channelId, messageId) =>
      send(channelId, async () => toResult(await posting.remove(channelId, messageId))),
    uploadFile: (channelId, file) =>
      send(channelId, async () => {
        const threadTs = threadOf({ channelId, cause: file.cause });
        const note = (fileId: string) => attempts.note(file.deliveryId, { threadTs, fileId });
        const result = await sendFile({ ...deps, note }, channelId, threadTs, file);
        attempts.end(file.deliveryId, result);
        if (result.type === "sent" && file.turnId !== undefined) show.said(file.turnId);
        return result;
      }),
    act: (channelId, outgoing) =>
      send(channelId, () =>
        performAction(deps, channelId, outgoing, (text, threadTs) =>
          attempt(channelId, outgoing.deliveryId, { threadTs }, async () => {
            const metadata = buildDeliveryMetadata(outgoing.deliveryId);
            return toResult(await posting.post(channelId, threadTs, { text, metadata }));
          }),
        ),
      ),
    async settle(channelId, deliveryId, createdAt) {
      // A change is safe twice.
      if (show.isTakenOver(deliveryId)) return { type: "not-sent" };
      return settleDelivery(deps, channelId, deliveryId, createdAt);
    },
  };
}
