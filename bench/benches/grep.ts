/** The grep tool over 10,000 files against ripgrep itself, started by hand with the same word: a rare one, a common one, none. */
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { type Cost, compareRounds, type Figure, summariseCosts } from "../figure.ts";
import type { GrepOrders, GrepResult } from "../grep-child.ts";
import { fileCount, searchedWords, writeFiles } from "../grep-files.ts";
import { runChild } from "../run-child.ts";

const folder = "project";
const names = { rare: "a rare word", common: "a common word", absent: "a word that is nowhere" };

export const grepBench: Bench = {
  name: "grep",
  summary: `grep over ${fileCount.toLocaleString("en")} files against ripgrep`,
  async run(workshop) {
    const dataDir = await workshop.createFolder();
    const { matches } = await writeFiles(join(dataDir, "workspace", folder));
    const path = await workshop.pathOfChild("grep-child");
    const figures: Figure[] = [];
    for (const kind of ["rare", "common", "absent"] as const) {
      const orders: GrepOrders = {
        dataDir,
        folder,
        word: searchedWords[kind],
        matches: matches[kind],
        rounds: workshop.times(40, 8),
      };
      figures.push(...describe(names[kind], await runChild<GrepResult>(path, orders)));
    }
    return figures;
  },
};

function describe(word: string, { ripgrep, host, bwrap }: GrepResult): Figure[] {
  const rest = (costs: Cost[]) => {
    const [tool, itself] = [costs, ripgrep].map((each) => summariseCosts(each).value.median.toFixed(0));
    const { cpuMs } = summariseCosts(costs);
    return { ...(cpuMs && { cpuMs }), note: `${tool} ms, ripgrep itself ${itself} ms` };
  };
  return [
    {
      name: `grep against rg, ${word}`,
      unit: "×",
      value: compareRounds(host, ripgrep, toRatio),
      target: { atMost: 1.3 },
      ...rest(host),
    },
    ...(bwrap
      ? [
          {
            name: `grep in bwrap against rg, ${word}`,
            unit: "×" as const,
            value: compareRounds(bwrap, ripgrep, toRatio),
            ...rest(bwrap),
          },
        ]
      : []),
  ];
}

const toRatio = (tool: Cost, itself: Cost) => tool.wallMs / itself.wallMs;
