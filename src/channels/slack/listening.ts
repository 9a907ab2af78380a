/** Everything that comes in from Slack, joined: the connection, its events, what was missed, and the ear for deafness. */
import type { ChannelDeps } from "../definition.ts";
import type { Offer } from "../kit/offer.ts";
import { fetchFiles } from "./attachments.ts";
import { createBackfill } from "./backfill.ts";
import { createCanary } from "./canary.ts";
import type { SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { createConnection } from "./connection.ts";
import type { Cursors } from "./cursors.ts";
import { createEventHandler } from "./events.ts";
import { openLine } from "./line.ts";
import type { Self } from "./login.ts";
import { createMessages } from "./messages.ts";
import type { People } from "./people.ts";
import type { Press } from "./presses.ts";
import type { State } from "./state.ts";
import type { Threads } from "./threads.ts";
import type { WireFile } from "./wire.ts";

export interface ListeningDeps extends Pick<ChannelDeps, "clock" | "log" | "saveAttachment"> {
  client: SlackClient;
  self: Self;
  people: People;
  threads: Threads;
  cursors: Cursors;
  offer: Offer;
  state: State;
  onLoginInDoubt(): void;
  onReconnected(): void;
  onPressed(press: Press): void;
}

export interface Listening {
  /** Resolves when messages can come in, or when stopped before. Rejects when Slack gives no connection. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createListening(deps: ListeningDeps, { appToken, botToken }: SlackConfig): Listening {
  const { clock, log, client, self, people, cursors, state } = deps;
  let hasBeenOpen = false;

  const messages = createMessages({
    ...deps,
    fetchFiles: (channelId: string, files: readonly WireFile[]) => fetchFiles({ ...deps, botToken }, channelId, files),
    catchUp: (channelId) => backfill.catchUp(channelId),
  });
  const backfill = createBackfill({ ...deps, take: messages.take, inTurn: messages.inTurn });
  const canary = createCanary({
    ...deps,
    onDeaf(isAgain) {
      if (isAgain) state.setUnheard(true);
      connection.replace();
    },
  });
  const onEnvelope = createEventHandler({
    log,
    messages,
    people,
    onHeard() {
      canary.heard();
      state.setUnheard(false);
    },
    onLoginInDoubt: deps.onLoginInDoubt,
  });
  const connection = createConnection({
    clock,
    log,
    open() {
      // The first time ever there is nothing to catch up with.
      if (hasBeenOpen || !cursors.isFirstLife) backfill.arm();
      return openLine({ clock, client, appToken, onEnvelope });
    },
    onOpen(isFirst) {
      hasBeenOpen = true;
      if (!isFirst) deps.onReconnected();
      state.set("connected");
      backfill.begin();
      log.info("Slack is connected", { account: self.account });
    },
    onDown: (reason, refusal) => state.set("reconnecting", reason, refusal),
  });

  return {
    async start() {
      await connection.start();
      if (!client.signal.aborted) canary.start();
    },
    async stop() {
      canary.stop();
      backfill.stop();
      await connection.stop();
    },
  };
}
