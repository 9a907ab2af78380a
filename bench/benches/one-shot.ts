/** `mom agent --message …`: a whole process for one turn, with nothing running before. */
import type { Bench } from "../bench.ts";
import { type Cost, summariseCosts } from "../figure.ts";
import { replyText } from "../reply-text.ts";
import { momCommand } from "../start-product.ts";
import { timeCommand } from "../time-command.ts";

export const oneShotBench: Bench = {
  name: "one-shot",
  summary: "mom agent --message",
  needsBuild: true,
  async run(workshop) {
    const dataDir = await workshop.createDataDir(workshop.model.url);
    const command = [...momCommand(workshop.root), "agent", "--data", dataDir, "--message", "hello"];
    const takeTurn = async (): Promise<Cost> => {
      const cost = await timeCommand(command, { env: workshop.env, cwd: dataDir });
      if (!cost.stdout.includes(replyText)) throw new Error(`mom agent answered ${JSON.stringify(cost.stdout)}`);
      return cost;
    };
    // Fills the compile cache, as the first call after an install does.
    await takeTurn();
    const costs: Cost[] = [];
    for (let run = 0; run < workshop.times(15, 4); run++) costs.push(await takeTurn());
    return [{ name: "one-shot mom agent", ...summariseCosts(costs), target: { atMost: 600 } }];
  },
};
