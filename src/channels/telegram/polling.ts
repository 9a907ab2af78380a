/**
 * Long polling. The next call tells Telegram that everything before its offset has arrived, so it is made only when all of
 * that is on disk: chats side by side, each in order. `@grammyjs/runner` is not used for this: it counts an update as done
 * also when its handler failed, moves its offset before any handler has run, and waits on timers that nobody can stop.
 */
import type { Update } from "grammy/types";
import { pickBackOffMs } from "../kit/back-off.ts";
import { createDeafWatch } from "./deaf-watch.ts";
import { explainPollFailure } from "./login.ts";
import type { Offset } from "./offset.ts";
import { attempt } from "./text-calls.ts";
import type { UpdateSource, UpdateSourceDeps } from "./update-source.ts";

export interface PollingDeps extends UpdateSourceDeps {
  offset: Offset;
  /** The connection was deaf; there is another one. */
  onReplaced(): void;
}

const pollSeconds = 30;
const batch = 100;

export function createPolling(deps: PollingDeps): UpdateSource {
  const { client, clock, log, offset, onConnected, onFailed } = deps;
  const stopped = new AbortController();
  const first = Promise.withResolvers<void>();
  /** Of the poll that is open. */
  let request: AbortController | undefined;
  const watch = createDeafWatch({
    client,
    clock,
    replace() {
      log.warn("Telegram holds updates back that this connection does not bring; it is replaced");
      deps.onReplaced();
      request?.abort();
    },
  });

  async function poll(isProven: boolean) {
    const own = new AbortController();
    request = own;
    const signal = AbortSignal.any([own.signal, stopped.signal]);
    // The first answer shall come at once: it shows that the connection is good.
    const timeout = isProven ? pollSeconds : 0;
    const asked = { offset: offset.next, limit: batch, timeout, allowed_updates: deps.updateTypes };
    const result = await attempt(() =>
      client.api.getUpdates(asked, signal as Parameters<typeof client.api.getUpdates>[1]),
    );
    request = undefined;
    return { result, wasReplaced: own.signal.aborted };
  }
  async function takeAll(updates: Update[]): Promise<void> {
    const last = updates.at(-1);
    if (!last) return;
    watch.heard();
    const taken = await Promise.all(updates.map((update) => deps.take(update)));
    const missed = updates.find((_update, index) => !taken[index]);
    if (stopped.signal.aborted) return;
    await offset.moveTo(missed?.update_id ?? last.update_id + 1);
    if (missed) await pause(pickBackOffMs(1));
  }
  const pause = (ms: number) => clock.sleep(ms, stopped.signal).catch(() => undefined);

  async function run(): Promise<void> {
    let failures = 0;
    let isProven = false;
    while (!stopped.signal.aborted) {
      const { result, wasReplaced } = await poll(isProven);
      if (stopped.signal.aborted) return;
      isProven = result.type === "done";
      if (result.type === "done") {
        failures = 0;
        onConnected();
        first.resolve();
        await takeAll(result.value);
      } else if (!wasReplaced) {
        failures++;
        onFailed(explainPollFailure(result.failure), failures);
        const asked = result.failure.type === "refused" ? result.failure.retryAfterMs : undefined;
        await pause(asked ?? pickBackOffMs(failures));
      }
    }
  }
  return {
    start() {
      watch.start();
      void run()
        .catch((error: unknown) => log.error("Polling Telegram has ended", { error }))
        .finally(() => first.resolve());
      return first.promise;
    },
    stop() {
      stopped.abort();
      watch.stop();
    },
  };
}
