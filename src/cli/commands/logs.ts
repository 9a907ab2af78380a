/** `mom logs tail`: the log of a data directory as people read it; the mom that writes it may be running or not. */
import { Command } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { formatMoment } from "../../base/format-values.ts";
import { toPrintable } from "../../base/printable.ts";
import { createStreamSink, followLog, parseLogLine, readLogTail } from "../../observability/index.ts";
import { logPathOf } from "../cli-log.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { parseCount } from "../parse-count.ts";
import { hasColors, note } from "../print.ts";

interface Options {
  data?: string;
  lines: number;
  follow?: true;
  json?: true;
}

export function buildLogsCommand(io: CliIo): Command {
  const logs = new Command("logs").description("Reads the log, state/logs/mom.log.");
  logs
    .command("tail")
    .description("print the last lines")
    .option("-n, --lines <n>", "how many", parseCount, 50)
    .option("-f, --follow", "go on with new lines until interrupted")
    .option("--json", "print the lines as they are written: one JSON object each")
    .option(...dataOption)
    .action((options: Options) => tail(io, options));
  return logs;
}

async function tail(io: CliIo, options: Options): Promise<void> {
  const path = logPathOf(await findDataDir(io, options.data));
  const print = options.json ? createRawPrinter(io) : createPrinter(io);
  const { lines, end } = await readLogTail(path, options.lines);
  for (const line of lines) print(line);
  if (!options.follow) {
    if (lines.length === 0) note(io, `there is nothing in ${path} yet`);
    return;
  }
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, onSignal);
  try {
    await followLog({ path, clock: createSystemClock(), signal: interrupt.signal, onLine: print }, end);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

const createRawPrinter = (io: CliIo) => (line: string) => void io.stdout.write(`${toPrintable(line)}\n`);

/** As on the terminal of a running mom, with the day where it changes, because a file goes back further than a screen. */
function createPrinter(io: CliIo): (line: string) => void {
  const printRaw = createRawPrinter(io);
  const sink = createStreamSink(io.stdout, {
    format: "human",
    colors: hasColors(io.stdout, io.env),
    stacks: io.debug === true,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  let day = "";
  return (line) => {
    const record = parseLogLine(line);
    if (!record) return printRaw(line);
    const [recordDay = ""] = formatMoment(record.at).split(" ");
    if (recordDay !== day) io.stdout.write(`-- ${recordDay}\n`);
    day = recordDay;
    sink.write(record);
  };
}
