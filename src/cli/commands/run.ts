/** `mom run <data-dir>`, also `mom <data-dir>`: every adapter of the config, and the chat on this terminal if there is one. */
import { Command } from "commander";
import { createApp, type MomConfig } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { buildBanner } from "../banner.ts";
import { createCliLog } from "../cli-log.ts";
import { pickDataDir } from "../data-dir.ts";
import { loadExamine } from "../doctor/catalog.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { pickTerminal } from "../pick-terminal.ts";
import { note } from "../print.ts";
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
        examine: async ({ offline }) => (await loadExamine())(io, { data: dataDir, ...(offline && { offline }) }),
        adapters: terminal ? [terminal.given] : [],
        ...(terminal && { wrapStore: terminal.useStore }),
      }),
    async work(app) {
      const link = hasPlatform(config) ? undefined : await app.createLink();
      if (!io.stdout.isTTY) {
        io.stdout.write(app.url ? `mom ready ${app.url}\n` : "mom ready\n");
        if (link) note(io, `set mom up in the browser: ${link} (good once, for ten minutes)`);
      }
      if (!terminal) return forever();
      terminal.open(app);
      if (terminal.isInteractive) {
        logging.showAbove(terminal.adapter.writeAbove);
        const { model } = await app.status();
        terminal.adapter.writeAbove(buildBanner({ dataDir, version, model, isNew: created, url: app.url, link }));
      }
      await terminal.adapter.whenDone();
      // A script that has said its lines is done. Whoever said nothing (a service, with nothing to read) is here for the gateway.
      const hasSpoken = terminal.adapter.health().lastInboundAt !== undefined;
      const isOver = !hasPlatform(config) && (hasSpoken || !app.url);
      return terminal.isInteractive || isOver ? 0 : forever();
    },
    close: () => terminal?.close(),
  });
  leave(io, end);
}

/** Is there a chat beside this machine's own? */
const hasPlatform = ({ adapters }: MomConfig) =>
  Object.values(adapters).some(({ type }) => type !== "cli" && type !== "webchat");

/** Until a signal comes. */
const forever = () => new Promise<number>(() => undefined);
