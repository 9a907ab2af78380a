/** `mom chat` beside a running mom: the same terminal, the owner's own session, through the gateway. mom goes on when it ends. */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ClientState, GatewayClient } from "../../gateway/client/index.ts";
import { GatewayFault } from "../../gateway/protocol/index.ts";
import { createSilentLog } from "../cli-log.ts";
import type { CliIo } from "../io.ts";
import { openGuestStore } from "../open-guest-store.ts";
import {
  createTerminalAdapter,
  historyKey,
  isInteractiveTerminal,
  type TerminalConfig,
  toHistory,
} from "../terminal-channel.ts";
import type { FoundGateway } from "./find-gateway.ts";
import { openClient, toError } from "./open-client.ts";
import { findPostedFile } from "./posted-file.ts";
import { createRemoteTalk } from "./remote-talk.ts";
import { watchSignals } from "./watch-signals.ts";

interface Attachment {
  io: CliIo;
  clock: Clock;
  dataDir: string;
  gateway: FoundGateway;
  terminal: { name: string; config: TerminalConfig };
}

/** A script does not wait for ever; a person can see that nothing comes, and leave. */
const pipedPatienceMs = 60_000;

/** Resolves when the person has left or the piped input was answered. Rejects with a coded error. */
export async function attachChat({ io, clock, dataDir, gateway, terminal: picked }: Attachment): Promise<void> {
  const isInteractive = isInteractiveTerminal(io);
  const watch = createConnectionWatch({ clock, patienceMs: isInteractive ? undefined : pipedPatienceMs });
  const { client, opened } = openClient(
    { dataDir, clock },
    {
      onState: (state) => watch.onState(state),
      onEvent: (frame) => talk.onEvent(frame),
      onGap: () => talk.onGap(),
    },
  );
  const findFile = (deliveryId: string) => findPostedFile({ dataDir, clock }, deliveryId);
  const talk = createRemoteTalk({ client, clock, isInteractive, findFile });
  const log = createSilentLog(clock);
  const terminal = await createTerminalAdapter({ io, clock, log }, picked, {
    settled: talk.settled,
    ...createHistoryFile({ dataDir, clock }),
  });
  const signals = watchSignals({ io, clock });
  try {
    const { hello } = await opened();
    const { mainSessionKey } = hello.snapshot;
    talk.join(terminal.adapter, mainSessionKey);
    client.follow([mainSessionKey]);
    await terminal.adapter.start();
    if (isInteractive) {
      terminal.adapter.writeAbove(await buildGreeting(client, gateway, hello.server.version));
      await talk.showPast();
    }
    watch.tell(terminal.adapter.writeAbove);
    terminal.release();
    await Promise.race([terminal.adapter.whenDone(), signals.first, watch.failed]);
  } catch (error) {
    throw error instanceof GatewayFault ? toError(error) : error;
  } finally {
    signals.stop();
    terminal.close();
    client.stop();
  }
}

async function buildGreeting(client: GatewayClient, { url }: FoundGateway, version: string): Promise<string> {
  const { model } = await client.call("status", {});
  return [
    `mom ${version} · ${model} · /help for commands, Ctrl-D to leave`,
    "This is the conversation of the mom that runs already; she goes on when you leave.",
    `In the browser: ${url}`,
  ].join("\n");
}

/** Says when the connection is lost and back, and when waiting makes no more sense. */
function createConnectionWatch({ clock, patienceMs }: { clock: Clock; patienceMs: number | undefined }) {
  const failed = Promise.withResolvers<never>();
  // Nobody may be waiting for it yet, or any more.
  failed.promise.catch(() => undefined);
  let write: ((text: string) => void) | undefined;
  let isLost = false;
  let cancel = () => {};
  const lose = (state: Extract<ClientState, { type: "waiting" }>) => {
    if (isLost || !write) return;
    isLost = true;
    write("The connection to mom is lost; this goes on when she is back.");
    if (patienceMs === undefined) return;
    const { code, message } = state.error ?? { code: "UNAVAILABLE" as const, message: "mom is gone." };
    cancel = clock.after(patienceMs, () => failed.reject(new GatewayFault({ code, message })));
  };
  return {
    failed: failed.promise,
    tell(to: (text: string) => void) {
      write = to;
    },
    onState(state: ClientState) {
      if (state.type === "waiting") lose(state);
      if (state.type === "refused") failed.reject(new GatewayFault(state.error));
      if (state.type !== "open" && state.type !== "stopped") return;
      cancel();
      if (state.type === "open" && isLost) write?.("mom is back.");
      isLost = false;
    },
  };
}

/** What was typed before, in the same place as without a running mom. */
function createHistoryFile({ dataDir, clock }: { dataDir: string; clock: Clock }) {
  const queue = createKeyedQueue();
  const open = () => openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
  return {
    async loadHistory(): Promise<string[]> {
      const store = await open();
      try {
        return toHistory(await store.kv.get(...historyKey));
      } finally {
        await store.close();
      }
    },
    saveHistory: (entries: readonly string[]): Promise<void> =>
      queue.run("history", async () => {
        const store = await open();
        try {
          await store.kv.set(...historyKey, entries);
        } finally {
          await store.close();
        }
      }),
  };
}
