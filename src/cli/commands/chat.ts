/**
 * `mom chat`: talk to mom in this terminal; piped, each line is a message and only the replies are printed. Beside a mom that
 * runs already it joins her owner's conversation; otherwise it is one itself, on this terminal alone.
 */
import { Command } from "commander";
import { createApp, type MomConfig } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Clock } from "../../contracts/clock.ts";
import { buildBanner } from "../banner.ts";
import { createCliLog } from "../cli-log.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { loadAttachChat } from "../gateway/catalog.ts";
import { awaitGateway, buildInUse } from "../gateway/find-gateway.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { leave, runApp } from "../run-app.ts";
import { createTerminalChannel, isInteractiveTerminal, type TerminalConfig } from "../terminal-channel.ts";
import { version } from "../version.ts";

export function buildChatCommand(io: CliIo): Command {
  return new Command("chat")
    .description(
      "Talks to mom in this terminal. Beside a mom that runs already it joins the owner's own conversation there; else the\n" +
        "other adapters of the config stay off. Piped input is answered line by line, and only the replies are printed:\n" +
        "echo hello | mom chat",
    )
    .option(...dataOption)
    .action((options: { data?: string }) => chat(io, pickDataDir(io, options.data)));
}

async function chat(io: CliIo, dataDir: string): Promise<void> {
  const clock = createSystemClock();
  const search = await awaitGateway(dataDir, clock);
  if (search.type === "closed") throw buildInUse(dataDir, search.holder);
  if (search.type === "nobody") return chatAlone(io, dataDir, clock);
  // A config that was spoilt since is no reason not to talk to the mom that runs.
  const loaded = await loadValidConfig(io, dataDir, { create: false }).catch(() => undefined);
  const terminal = pickOrMakeTerminal(loaded?.config.adapters ?? {});
  const attachChat = await loadAttachChat();
  await attachChat({ io, clock, dataDir, gateway: search, terminal });
  io.exit(0);
}

async function chatAlone(io: CliIo, dataDir: string, clock: Clock): Promise<void> {
  const { config, created } = await loadValidConfig(io, dataDir, { create: true });
  const logging = createCliLog(io, clock, { dataDir, view: isInteractiveTerminal(io) ? "above" : "warnings" });
  const { log } = logging;
  const terminal = await createTerminalChannel({ io, clock, log }, pickOrMakeTerminal(config.adapters));
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
        adapters: [terminal.given],
        onlyGiven: true,
        wrapStore: terminal.useStore,
      }),
    async work(app) {
      terminal.open(app);
      if (terminal.isInteractive) {
        logging.showAbove(terminal.adapter.writeAbove);
        const { model } = await app.status();
        terminal.adapter.writeAbove(buildBanner({ dataDir, version, model, isNew: created }));
      }
      await terminal.adapter.whenDone();
      return 0;
    },
    close: () => terminal.close(),
  });
  leave(io, end);
}

/** The chat goes on in the configured terminal's folder; without one it needs no config to be had. */
function pickOrMakeTerminal(adapters: MomConfig["adapters"]): { name: string; config: TerminalConfig } {
  for (const [name, config] of Object.entries(adapters)) {
    if (config.type === "cli") return { name, config };
  }
  return { name: "terminal", config: { type: "cli", toolOutput: "summary" } };
}
