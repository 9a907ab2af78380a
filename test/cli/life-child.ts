/** A command's life with an app of ours, in a process of its own: for what happens at crashes and signals. */
import type { App } from "../../src/app/index.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import type { CliIo } from "../../src/cli/io.ts";
import { runApp } from "../../src/cli/run-app.ts";
import { createLogger, createRedactor, createStreamSink } from "../../src/observability/index.ts";

const [crash, stopping] = process.argv.slice(2);
const tell = (text: string) => process.stdout.write(`${text}\n`);
const clock = createSystemClock();
const sink = createStreamSink(process.stderr, { format: "json", colors: false, stacks: false });
const log = createLogger({ clock, redactor: createRedactor(), sinks: [sink] }, { level: "info" });
const app = {
  async stop() {
    tell("stopping");
    if (stopping === "hangs") await clock.sleep(600_000);
    tell("stopped");
  },
} as App;

const code = await runApp({
  io: { exit: (status: number) => process.exit(status) } as unknown as CliIo,
  clock,
  logging: { log, showAbove: () => undefined, release: () => tell("released") },
  start: async () => app,
  work: () => {
    tell("ready");
    if (crash === "throws") setImmediate(() => JSON.parse("{"));
    if (crash === "rejects") void Promise.reject(new Error("nobody waits for this"));
    return clock.sleep(600_000).then(() => 0);
  },
  close: () => tell("closed"),
});
process.exit(code);
