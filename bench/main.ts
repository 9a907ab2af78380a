/**
 * `npm run bench`: measures mom against a model of our own that answers at once, prints a table and writes JSON to
 * bench/results/. What the figures mean is in docs/benchmarks.md. Exit code 1 when a bench could not be run; a missed target
 * is a figure like any other.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { errorText } from "../src/base/errors.ts";
import type { Bench } from "./bench.ts";
import { benches } from "./catalog.ts";
import { formatTextTable } from "./format-table.ts";
import { formatMachine, readMachine } from "./machine.ts";
import { type BenchRun, saveResults, writeDocs } from "./save-results.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

const root = join(import.meta.dirname, "..");
const usage = `Usage: npm run bench -- [--only <name>]… [--quick] [--write-docs]

  --only <name>  only this one; may be given several times
  --quick        fewer repetitions: to try the benches out, not for figures
  --write-docs   put the table into docs/benchmarks.md; not with --only or --quick

${benches.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`).join("\n")}
`;

interface Wishes {
  chosen: readonly Bench[];
  isQuick: boolean;
  writesDocs: boolean;
}

/** Throws to say what is wrong with them. */
function parseWishes(args: string[]): Wishes {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string", multiple: true, default: [] },
      quick: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
    },
  });
  const unknown = values.only.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}".`);
  const isPartial = values.quick || values.only.length > 0;
  if (values["write-docs"] && isPartial) throw new Error("--write-docs needs a whole run: no --only, no --quick.");
  const chosen = values.only.length === 0 ? benches : benches.filter(({ name }) => values.only.includes(name));
  return { chosen, isQuick: values.quick, writesDocs: values["write-docs"] };
}

async function runBench(bench: Bench, workshop: Workshop): Promise<BenchRun["figures"]> {
  if (bench.needsBuild && !existsSync(join(root, "dist", "main.js"))) {
    throw new Error("dist/ is not built: run `npm run build` first");
  }
  return bench.run(workshop);
}

async function runAll({ chosen, isQuick }: Wishes): Promise<BenchRun> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const machine = readMachine();
  process.stderr.write(`${formatMachine(machine)}\n`);
  const run: BenchRun = {
    startedAt: new Date().toISOString(),
    isQuick,
    version,
    machine,
    figures: [],
    failures: {},
  };
  const workshop = await openWorkshop({ root, isQuick });
  try {
    for (const bench of chosen) {
      const start = performance.now();
      try {
        run.figures.push(...(await runBench(bench, workshop)));
      } catch (error) {
        run.failures[bench.name] = errorText(error);
      }
      const took = `${((performance.now() - start) / 1000).toFixed(0)} s`;
      process.stderr.write(`  ${bench.name in run.failures ? "FAILED" : "done"}  ${bench.summary} (${took})\n`);
    }
  } finally {
    await workshop.close();
  }
  return run;
}

async function main(): Promise<number> {
  let wishes: Wishes;
  try {
    wishes = parseWishes(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n\n${usage}`);
    return 2;
  }
  const run = await runAll(wishes);
  process.stdout.write(`\n${formatMachine(run.machine)}\n\n${formatTextTable(run.figures)}\n`);
  const written = [await saveResults(root, run)];
  if (wishes.writesDocs) written.push(await writeDocs(root, run));
  process.stderr.write(`\nwritten: ${written.join(", ")}\n`);
  for (const [name, reason] of Object.entries(run.failures)) {
    process.stderr.write(`FAILED ${name}: ${reason}\n`);
  }
  return Object.keys(run.failures).length > 0 ? 1 : 0;
}

process.exitCode = await main();
