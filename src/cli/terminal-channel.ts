/**
 * The terminal channel as `mom run` and `mom chat` hand it to the app: the adapter on this process's terminal, and what it
 * must remember, which the app's store keeps. Made here and not from the config, because the command needs to know when
 * the person leaves and must show log lines without breaking the screen.
 */
import { PassThrough } from "node:stream";
import type { App, GivenAdapter, MomConfig } from "../app/index.ts";
import {
  accessRulesOf,
  type CliAdapter,
  channelCatalog,
  type Terminal,
  type TerminalInput,
} from "../channels/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Store } from "../contracts/store.ts";
import { findTurn } from "./find-turn.ts";
import type { CliIo } from "./io.ts";

export interface TerminalChannel {
  readonly adapter: CliAdapter;
  readonly given: GivenAdapter;
  readonly isInteractive: boolean;
  /** For the app's `wrapStore`: the chat UI reads its history before the app is whole. */
  useStore(store: Store): Store;
  /** The app is ready: from now on piped input is read. */
  open(app: App): void;
  /** Lets go of the terminal and of stdin. Also on the way out; may be called twice. */
  close(): void;
}

export type TerminalConfig = Extract<MomConfig["adapters"][string], { type: "cli" }>;

interface TerminalDeps {
  io: CliIo;
  clock: Clock;
  log: Log;
}

export const isInteractiveTerminal = ({ stdin, stdout }: Pick<CliIo, "stdin" | "stdout">): boolean =>
  stdin.isTTY === true && stdout.isTTY === true;

export async function createTerminalChannel(
  { io, clock, log }: TerminalDeps,
  { name, config }: { name: string; config: TerminalConfig },
): Promise<TerminalChannel> {
  const isInteractive = isInteractiveTerminal(io);
  const opened = Promise.withResolvers<App>();
  const input = isInteractive ? undefined : createHeldInput(io);
  let store: Store | undefined;

  const terminal: Terminal = {
    input: input?.stream ?? io.stdin,
    output: io.stdout,
    errors: io.stderr,
    isInteractive,
    color: !io.env["NO_COLOR"],
    user: io.env["USER"] || io.env["USERNAME"] || "you",
    banner: "",
    async settled(messageId) {
      const app = await opened.promise;
      const turn = await findTurn(app.store, messageId);
      if (turn) await app.whenOver(turn.id);
    },
    // Whoever runs the channel waits for the adapter's `whenDone`, which covers this too.
    onQuit: () => undefined,
    async loadHistory() {
      const kept = await store?.kv.get("terminal", "history");
      return Array.isArray(kept) ? kept.filter((line) => typeof line === "string") : [];
    },
    async saveHistory(entries) {
      await store?.kv.set("terminal", "history", entries);
    },
  };
  const definition = await channelCatalog.cli.load();
  const adapter = definition.createAdapter(name, config, { clock, log, terminal });
  return {
    adapter,
    given: { adapter, rules: accessRulesOf(config) },
    isInteractive,
    useStore: (given) => (store = given),
    open(app) {
      opened.resolve(app);
      input?.release();
    },
    close() {
      void adapter.stop();
      input?.close();
    },
  };
}

/** Input that waits, unread, until mom is ready: what is said before would be answered before she says so. */
function createHeldInput(io: CliIo): { stream: TerminalInput; release(): void; close(): void } {
  const stream = new PassThrough();
  let isReading = false;
  const onError = (error: Error) => void stream.destroy(error);
  return {
    stream,
    release() {
      isReading = true;
      io.stdin.on("error", onError);
      io.stdin.pipe(stream);
    },
    close() {
      if (!isReading) return;
      isReading = false;
      io.stdin.unpipe(stream);
      io.stdin.pause();
    },
  };
}
