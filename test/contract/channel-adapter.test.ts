/** Runs the channel adapter contract on every adapter there is: the terminal, piped and as a chat. */
import { channelCatalog } from "../../src/channels/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { silentLog } from "../fakes/log.ts";
import { createFakeTerminal } from "../fakes/terminal.ts";
import { channelAdapterContract } from "./channel-adapter.ts";

for (const isInteractive of [false, true]) {
  channelAdapterContract(isInteractive ? "cli, interactive" : "cli, piped", async () => {
    const clock = createFakeClock();
    const terminal = createFakeTerminal({ isInteractive, columns: 100 });
    const { createAdapter } = await channelCatalog.cli.load();
    const config = channelCatalog.cli.configSchema.parse({ type: "cli" });
    return {
      adapter: createAdapter("cli", config, { clock, log: silentLog, terminal }),
      channelId: "terminal",
      sender: { id: "local", username: "ann" },
      idsFrom: "adapter",
      // A paste keeps characters that would otherwise be keys.
      say: async ({ text }) => terminal.type(isInteractive ? `\x1b[200~${text}\x1b[201~\r` : `${text}\n`),
      pass: () => clock.advance(200),
      // What came to be on the screen, and every byte that was written on the way there.
      shown: () => `${terminal.lines().join("\n")}\n${terminal.notes}`.concat(bytesObeyed(terminal.written)),
      dispose: async () => terminal.endInput(),
    };
  });
}

/** The sequences that were written, without the text between them: what a screen was told to do. */
const bytesObeyed = (written: string): string =>
  (written.match(/\x1b\[2J|\x1b\][^\x07]*|[\u202a-\u202e]/g) ?? []).join("");
