/** Keeps a run: JSON for programs, and the table in docs/benchmarks.md when asked for. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Figure, judge } from "./figure.ts";
import { formatMarkdownTable } from "./format-table.ts";
import { formatMachine, type Machine } from "./machine.ts";

export interface BenchRun {
  /** ISO 8601. */
  startedAt: string;
  isQuick: boolean;
  /** Of the program that was measured. */
  version: string;
  machine: Machine;
  figures: Figure[];
  /** Benches that could not be run, by name, and why. */
  failures: Record<string, string>;
}

/** Returns the path of the run's own file; `latest.json` beside it is a copy. */
export async function saveResults(root: string, run: BenchRun): Promise<string> {
  const folder = join(root, "bench", "results");
  await mkdir(folder, { recursive: true });
  const figures = run.figures.map((figure) => ({ ...figure, verdict: judge(figure) }));
  const text = `${JSON.stringify({ ...run, figures }, null, 2)}\n`;
  const path = join(folder, `${run.startedAt.replaceAll(":", "-")}.json`);
  await writeFile(path, text);
  await writeFile(join(folder, "latest.json"), text);
  return path;
}

const table = /(<!-- bench:start -->\n)[\s\S]*?(<!-- bench:end -->)/;

/** Rejects when the document has no place for the table. */
export async function writeDocs(root: string, { startedAt, machine, figures, version }: BenchRun): Promise<string> {
  const path = join(root, "docs", "benchmarks.md");
  const text = await readFile(path, "utf8");
  if (!table.test(text)) throw new Error(`${path} has no <!-- bench:start --> … <!-- bench:end -->`);
  const head = `mom ${version}, ${startedAt.slice(0, 10)}, on ${formatMachine(machine)}.`;
  const block = `\n${head}\n\n${formatMarkdownTable(figures)}\n\n`;
  await writeFile(
    path,
    text.replace(table, (_all, start, end) => `${start}${block}${end}`),
  );
  return path;
}
