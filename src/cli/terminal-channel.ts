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
  deps: TerminalDeps,
  adapterOf: { name: string; config: TerminalConfig },
): Promise<TerminalChannel> {
  const opened = Promise.withResolvers<App>();
  let store: Store | undefined;
  const { adapter, isInteractive, release, close } = await createTerminalAdapter(deps, adapterOf, {
    async settled(messageId) {
      const app = await opened.promise;
      const turn = await findTurn(app.store, messageId);
      if (turn) await app.whenOver(turn.id);
    },
    async loadHistory() {
      return toHistory(await store?.kv.get(...historyKey));
    },
    async saveHistory(entries) {
      await store?.kv.set(...historyKey, entries);
    },
  });
  return {
    adapter,
    given: { adapter, rules: accessRulesOf(adapterOf.config) },
    isInteractive,
    useStore: (given) => (store = given),
    open(app) {
      opened.resolve(app);
      release();
    },
    close,
  };
}

/** Scope and key of what was typed at the terminal. */
export const historyKey = ["terminal", "history"] as const;
export const toHistory = (kept: unknown): string[] =>
  Array.isArray(kept) ? kept.filter((line) => typeof line === "string") : [];

/** The terminal's adapter by itself, for whoever stands behind it. */
export async function createTerminalAdapter(
  { io, clock, log }: TerminalDeps,
  { name, config }: { name: string; config: TerminalConfig },
  behind: Pick<Terminal, "settled" | "loadHistory" | "saveHistory">,
): Promise<Pick<TerminalChannel, "adapter" | "isInteractive" | "close"> & { release(): void }> {
  const isInteractive = isInteractiveTerminal(io);
  const input = isInteractive ? undefined : createHeldInput(io);
  const terminal: Terminal = {
    ...behind,
    input: input?.stream ?? io.stdin,
    output: io.stdout,
    errors: io.stderr,
    isInteractive,
    color: !io.env["NO_COLOR"],
    user: io.env["USER"] || io.env["USERNAME"] || "you",
    banner: "",
    // Whoever runs the channel waits for the adapter's `whenDone`, which covers this too.
    onQuit: () => undefined,
  };
  const definition = await channelCatalog.cli.load();
  const adapter = definition.createAdapter(name, config, { clock, log, terminal });
  return {
    adapter,
    isInteractive,
    release: () => input?.release(),
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
