/** The way out: takes due posts from the outbox, several chats at once, and gives each to its adapter. */
import { errorText } from "../base/errors.ts";
import { createPump } from "../base/pump.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ClaimedDelivery, Delivery, Outbox, Turns } from "../contracts/store.ts";
import { deliver } from "./deliver.ts";

export interface Outbound {
  /** Something may be there to send. Cheap, may be called at any time. */
  wake(): void;
  /** Takes no more posts; resolves when the calls under way have their receipts. */
  drain(): Promise<void>;
}

interface OutboundDeps {
  outbox: Outbox;
  turns: Pick<Turns, "get">;
  clock: Clock;
  log: Log;
  /** The adapters that are started, by name. Asked again for every post. */
  adapters(): ReadonlyMap<string, PlatformAdapter>;
  /** A post has its receipt, or was given up, or waits for another try: its row says which. */
  onSettled(delivery: Pick<Delivery, "id" | "turnId">): void;
}

/** Taken out of the config since the post was claimed; nothing was called. */
const adapterGone = { type: "retry", error: "The adapter is not running" } as const;
const leaseMs = 120_000;
const mostAtOnce = 16;
const pauseMs = 1000;

export function createOutbound({ outbox, turns, clock, log, adapters, onSettled }: OutboundDeps): Outbound {
  let cancelTimer = () => {};
  let lookedAt = 0;
  const pump = createPump({
    maxActive: () => mostAtOnce,
    async take() {
      lookedAt = clock.now();
      const delivery = await outbox.claim([...adapters().keys()], leaseMs);
      return delivery && (() => send(delivery));
    },
    async afterLook() {
      const dueAt = await outbox.nextDueAt(lookedAt);
      if (dueAt !== undefined) wakeAfter(dueAt - clock.now());
    },
    onFailure(error) {
      log.error("Posts cannot be taken from the store; trying again", { error });
      wakeAfter(pauseMs);
    },
  });

  const wakeAfter = (delayMs: number) => {
    cancelTimer();
    cancelTimer = clock.after(delayMs, pump.wake);
  };
  /** The call may have gone out, so the next one settles first. The store that failed may fail this too for a while. */
  const giveBack = async (delivery: ClaimedDelivery, error: string) => {
    while (!pump.draining) {
      try {
        return await outbox.settle(delivery, { type: "retry", dueAt: clock.now(), error, uncertain: true });
      } catch {
        await clock.sleep(pauseMs);
      }
    }
  };
  const send = async (delivery: ClaimedDelivery) => {
    const adapter = adapters().get(delivery.channel.adapter);
    try {
      if (adapter) await deliver({ outbox, turns, clock, log }, adapter, delivery);
      else await outbox.settle(delivery, { ...adapterGone, dueAt: clock.now(), uncertain: delivery.uncertain });
    } catch (error) {
      log.error("A post could not be recorded; it will be taken up again", { delivery: delivery.id, error });
      return giveBack(delivery, errorText(error));
    }
    onSettled(delivery);
  };

  return {
    wake: pump.wake,
    async drain() {
      await pump.drain();
      cancelTimer();
    },
  };
}
