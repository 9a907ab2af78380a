/**
 * Notices a connection that is open and brings nothing. Slack offers no echo for this, so while it is silent for long the
 * newest message of a recently active conversation is asked for: somebody else's that did not come through the socket, and
 * does not come a little later either, means that mom is deaf.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { SlackClient } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import { readReport } from "./inbound.ts";
import type { Self } from "./login.ts";
import { isAfter, parseMessage } from "./wire.ts";

export interface Canary {
  start(): void;
  /** Something came through the socket. */
  heard(): void;
  stop(): void;
}

export interface CanaryDeps {
  clock: Clock;
  log: Log;
  client: SlackClient;
  cursors: Cursors;
  self: Self;
  /** Mom is deaf: another connection. `isAgain`: nothing has come through since the last time. */
  onDeaf(isAgain: boolean): void;
}

/** So long nothing has come, and so often it is looked. */
const silentMs = 180_000;
/** An event may be on its way. */
const graceMs = 20_000;
const longestWaitMs = 3_600_000;
const mostChannels = 10;

export function createCanary({ clock, log, client, cursors, self, onDeaf }: CanaryDeps): Canary {
  let heardAtMs = clock.monotonic();
  let strikes = 0;
  let looks = 0;
  let isStopped = false;
  let cancel = () => {};

  const wait = (ms: number, then: () => Promise<void>) => {
    if (isStopped) return;
    cancel = clock.after(ms, () => {
      then().catch((error: unknown) => log.warn("Whether Slack is heard could not be found out", { error }));
    });
  };
  const again = () => wait(Math.min(silentMs * 2 ** strikes, longestWaitMs), look);

  async function look(): Promise<void> {
    const channels = cursors.recent().slice(0, mostChannels);
    const channel = channels[looks++ % (channels.length || 1)];
    if (channel === undefined || clock.monotonic() - heardAtMs < silentMs) return again();
    const unheard = await findUnheard(channel);
    if (unheard === undefined) return again();
    wait(graceMs, async () => {
      if (isAfter(unheard, cursors.newestIn(channel) ?? "0")) {
        log.warn("Slack's connection brings nothing any more; making another", { channel });
        onDeaf(strikes > 0);
        strikes += 1;
      }
      again();
    });
  }
  /** The newest thing that somebody said there and that mom does not know. */
  async function findUnheard(channel: string): Promise<string | undefined> {
    const answer = await client.call((web) => web.conversations.history({ channel, limit: 5 }));
    if (answer.type !== "ok") return undefined;
    const messages = (answer.value.messages ?? []).map((raw) => parseMessage(raw, channel));
    return messages.find(
      (message) =>
        message !== undefined &&
        isAfter(message.ts, cursors.newestIn(channel) ?? "0") &&
        readReport(message, self).type === "said",
    )?.ts;
  }

  return {
    start: again,
    heard() {
      heardAtMs = clock.monotonic();
      strikes = 0;
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
