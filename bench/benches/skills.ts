/** The list of skills that every turn asks for: read once, then only looked whether it still holds. */
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { writeSkills } from "../skill-files.ts";
import type { SkillsOrders, SkillsResult } from "../skills-child.ts";

const skillCount = 50;

export const skillsBench: Bench = {
  name: "skills",
  summary: `list of ${skillCount} skills`,
  async run(workshop) {
    const dataDir = await workshop.createFolder();
    const orders: SkillsOrders = { dataDir, workspaceDir: join(dataDir, "workspace") };
    await writeSkills(join(orders.workspaceDir, "skills"), skillCount, 2000);
    const path = await workshop.pathOfChild("skills-child");
    const results: SkillsResult[] = [];
    for (let life = 0; life < workshop.times(9, 2); life++) results.push(await runChild<SkillsResult>(path, orders));
    if (results.some(({ count }) => count !== skillCount)) throw new Error("not every skill was found");
    return [
      {
        name: `list of ${skillCount} skills, unchanged`,
        unit: "ms",
        value: summarise(results.flatMap(({ unchangedMs }) => unchangedMs)),
        target: { atMost: 1 },
      },
      {
        name: `list of ${skillCount} skills, the first`,
        unit: "ms",
        value: summarise(results.map(({ firstMs }) => firstMs)),
      },
    ];
  },
};
