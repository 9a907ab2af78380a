/** What the command line costs before it does anything: `--version` and `--help` of the built program. */
import type { Bench } from "../bench.ts";
import { type Cost, summariseCosts } from "../figure.ts";
import { momCommand } from "../start-product.ts";
import { timeCommand } from "../time-command.ts";
import type { Workshop } from "../workshop.ts";

export const commandLineBench: Bench = {
  name: "command-line",
  summary: "mom --version and mom --help",
  needsBuild: true,
  async run(workshop) {
    const mom = momCommand(workshop.root);
    const version = await timeRuns(workshop, [...mom, "--version"]);
    const help = await timeRuns(workshop, [...mom, "--help"]);
    const node = await timeRuns(workshop, [process.execPath, "-e", "0"]);
    return [
      { name: "mom --version", ...summariseCosts(version), target: { atMost: 80 } },
      { name: "mom --help", ...summariseCosts(help), target: { atMost: 120 } },
      { name: "node -e 0, for scale", ...summariseCosts(node) },
    ];
  },
};

async function timeRuns(workshop: Workshop, command: string[]): Promise<Cost[]> {
  const options = { env: workshop.env, cwd: await workshop.createFolder() };
  // Fills the compile cache, as the first call after an install does.
  await timeCommand(command, options);
  const costs: Cost[] = [];
  for (let run = 0; run < workshop.times(20, 5); run++) costs.push(await timeCommand(command, options));
  return costs;
}
