/**
 * Telegram can send nothing to itself, so there is no canary; but it tells how many updates wait. When that is some, although
 * a poll is open and nothing comes, the connection is deaf and is replaced. Asked only after a long silence.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { TelegramClient } from "./client.ts";
import { attempt } from "./text-calls.ts";

export interface DeafWatch {
  start(): void;
  /** Something has come through. */
  heard(): void;
  stop(): void;
}

export interface DeafWatchDeps {
  client: TelegramClient;
  clock: Clock;
  replace(): void;
}

const silenceMs = 180_000;
/** What has just come to Telegram is on its way. */
const graceMs = 2_000;

export function createDeafWatch({ client, clock, replace }: DeafWatchDeps): DeafWatch {
  let heard = 0;
  let isStopped = false;
  let cancel = () => {};

  const wait = (ms: number, run: () => void) => {
    cancel();
    if (!isStopped) cancel = clock.after(ms, run);
  };
  async function look(): Promise<void> {
    const before = heard;
    const info = await attempt(() => client.api.getWebhookInfo());
    const isHeldBack = info.type === "done" && info.value.pending_update_count > 0;
    if (!isHeldBack || heard !== before) return rest();
    wait(graceMs, () => {
      if (heard === before) replace();
      rest();
    });
  }
  const rest = () => wait(silenceMs, () => void look());

  return {
    start: rest,
    heard() {
      heard++;
      rest();
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
