/** `mom migrate`: the logs of the first mom, in Slack's format, into today's layout. The old files stay as they are. */
import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { Command } from "commander";
import JSON5 from "json5";
import { createSystemClock } from "../../base/clock.ts";
import { buildLayout, type MigratedChannel, migrateSlackLogs } from "../../store/index.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { note, printJson, printLines } from "../print.ts";

interface Options {
  data?: string;
  from?: string;
  adapter?: string;
  dryRun?: true;
  json?: true;
}

export function buildMigrateCommand(io: CliIo): Command {
  return new Command("migrate")
    .description(
      "Brings old Slack logs (<channelId>/log.jsonl right under a data directory) into today's layout, with their\n" +
        "attachments and memory. The old files are kept; running it again adds nothing. mom must not be running.",
    )
    .option("--dry-run", "say what would be done, and do nothing")
    .option("--from <dir>", "the old data directory (default: the data directory itself)")
    .option("--adapter <name>", "the adapter that the channels belong to (default: the only slack adapter, else slack)")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => migrate(io, options));
}

async function migrate(io: CliIo, options: Options): Promise<void> {
  const dataDir = await findDataDir(io, options.data);
  const layout = buildLayout(dataDir);
  const fromDir = options.from === undefined ? dataDir : resolve(io.cwd, options.from);
  const adapter = options.adapter ?? (await pickSlackAdapter(layout.configPath));
  const dryRun = options.dryRun === true;
  const channels = await migrateSlackLogs({ layout, fromDir, adapter, dryRun, nowMs: createSystemClock().now() });
  if (options.json) return printJson(io, { adapter, dryRun, channels });
  if (channels.length === 0) return note(io, `there are no old logs in ${fromDir}`);
  printLines(
    io,
    channels.flatMap((channel) => formatChannel(channel, dataDir, dryRun)),
  );
}

/** Read leniently: the config of the old mom's directory may be half done or missing. */
async function pickSlackAdapter(configPath: string): Promise<string> {
  try {
    const { adapters }: { adapters?: Record<string, { type?: unknown }> } = JSON5.parse(
      await readFile(configPath, "utf8"),
    );
    const names = Object.entries(adapters ?? {}).flatMap(([name, { type }]) => (type === "slack" ? [name] : []));
    return names.length === 1 && names[0] !== undefined ? names[0] : "slack";
  } catch {
    return "slack";
  }
}

function formatChannel(channel: MigratedChannel, dataDir: string, dryRun: boolean): string[] {
  const { channelId, folder, added, present, copied, missing, setAside, badLines } = channel;
  const did = dryRun ? "would add" : "added";
  const files = copied.length === 0 ? "" : `, ${copied.length} ${copied.length === 1 ? "file" : "files"}`;
  const kept = present === 0 ? "" : ` (${present} there already)`;
  return [
    `${channelId}: ${did} ${added} ${added === 1 ? "line" : "lines"}${files}${kept} → ${relative(dataDir, folder)}`,
    ...badLines.map(({ line, reason }) => `  line ${line} of its log.jsonl is skipped: ${reason}`),
    ...missing.map((path) => `  attachment ${path} is not there`),
    ...setAside.map((path) => `  something else stood in the way; it is now ${relative(dataDir, path)}`),
  ];
}
