/** `mom usage`: what the models have cost. Reads only, also beside a running mom. */
import { Command, Option } from "commander";
import { UsageError } from "../../base/errors.ts";
import { formatCost, formatCount } from "../../base/format-values.ts";
import type { UsageTotal } from "../../contracts/store.ts";
import { dataOption } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { note, printJson } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

const groupings = ["day", "model", "session", "agent", "sender"] as const;

interface Options {
  data?: string;
  by: (typeof groupings)[number];
  since?: string;
  json?: true;
}

export function buildUsageCommand(io: CliIo): Command {
  return new Command("usage")
    .description("Shows tokens and cost of all model calls, silent ones included.")
    .addOption(new Option("--by <what>", "one line per").choices([...groupings]).default("day"))
    .option("--since <day>", "only from this day on, YYYY-MM-DD, local time", parseDay)
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => show(io, options));
}

function parseDay(text: string): string {
  const at = new Date(`${text}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
  if (isDay) return text;
  throw new UsageError("BAD_DAY", `"${text}" is not a day.`, { hint: "Write it as 2026-11-16." });
}

async function show(io: CliIo, { data, by, since, json }: Options): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    const totals = (await store?.usage.totals(by, since)) ?? [];
    if (json) return printJson(io, totals);
    if (totals.length === 0) return note(io, "no model has been asked yet");
    const all = totals.reduce(add, { ...nothing, key: "total" });
    const rows = totals.length === 1 ? totals : [...totals, all];
    io.stdout.write(`${formatTable(buildColumns(by), rows).join("\n")}\n`);
  });
}

const nothing = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

const add = (sum: UsageTotal, each: UsageTotal): UsageTotal => ({
  key: sum.key,
  calls: sum.calls + each.calls,
  input: sum.input + each.input,
  output: sum.output + each.output,
  cacheRead: sum.cacheRead + each.cacheRead,
  cacheWrite: sum.cacheWrite + each.cacheWrite,
  cost: sum.cost + each.cost,
});

const buildColumns = (by: string): Column<UsageTotal>[] => [
  { title: by.toUpperCase(), toText: ({ key }) => key || "-" },
  { title: "CALLS", align: "right", toText: ({ calls }) => formatCount(calls) },
  { title: "INPUT", align: "right", toText: ({ input }) => formatCount(input) },
  { title: "OUTPUT", align: "right", toText: ({ output }) => formatCount(output) },
  { title: "CACHE READ", align: "right", toText: ({ cacheRead }) => formatCount(cacheRead) },
  { title: "CACHE WRITE", align: "right", toText: ({ cacheWrite }) => formatCount(cacheWrite) },
  { title: "COST", align: "right", toText: ({ cost }) => formatCost(cost) },
];
