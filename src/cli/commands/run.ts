/** `mom run <data-dir>`, also `mom <data-dir>`: every adapter of the config, and the chat on this terminal if there is one. */
import { Command } from "commander";
import { createApp } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { buildBanner } from "../banner.ts";
import { createCliLog } from "../cli-log.ts";
import { pickDataDir } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { pickTerminal } from "../pick-terminal.ts";
import { leave, runApp } from "../run-app.ts";
import { createTerminalChannel, isInteractiveTerminal } from "../terminal-channel.ts";
import { version } from "../version.ts";

export function buildRunCommand(io: CliIo): Command {
  return new Command("run")
    .description(
      "Starts every adapter in the config of a data directory. A missing directory is made, with a config to edit.\n" +
        "With a `cli` adapter, this terminal is one of the chats; piped input is answered line by line.",
    )
    .argument("<data-dir>", "the data directory")
    .action((dataDir: string) => run(io, pickDataDir(io, dataDir)));
}

async function run(io: CliIo, dataDir: string): Promise<void> {
  const { config, created } = await loadValidConfig(io, dataDir, { create: true });
  const picked = pickTerminal(config, dataDir);
  const clock = createSystemClock();
  const ownsScreen = picked !== undefined && isInteractiveTerminal(io);
  const logging = createCliLog(io, clock, { dataDir, view: ownsScreen ? "above" : "all" });
  const { log } = logging;
  const terminal = picked && (await createTerminalChannel({ io, clock, log }, picked));
  const end = await runApp({
    io,
    clock,
    logging,
    start: (onRestart) =>
      createApp({
        dataDir,
        version,
        env: io.env,
        clock,
        log,
        onRestart,
        adapters: terminal ? [terminal.given] : [],
        ...(terminal && { wrapStore: terminal.useStore }),
      }),
    async work(app) {
      if (!io.stdout.isTTY) io.stdout.write("mom ready\n");
      if (!terminal) return forever();
      terminal.open(app);
      if (terminal.isInteractive) {
        logging.showAbove(terminal.adapter.writeAbove);
        const { model } = await app.status();
        terminal.adapter.writeAbove(buildBanner({ dataDir, version, model, isNew: created }));
      }
      await terminal.adapter.whenDone();
      const isAlone = (await app.status()).adapters.length <= 1;
      return terminal.isInteractive || isAlone ? 0 : forever();
    },
    close: () => terminal?.close(),
  });
  leave(io, end);
}

/** Until a signal comes. */
const forever = () => new Promise<number>(() => undefined);
