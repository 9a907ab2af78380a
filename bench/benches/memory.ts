/** What the built program holds after a working day: resident memory of its process tree after 450 turns. */
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { startProduct } from "../start-product.ts";

export const memoryBench: Bench = {
  name: "memory",
  summary: "memory after many turns",
  needsBuild: true,
  async run(workshop) {
    const turnCount = workshop.times(450, 100);
    const afterMiB: number[] = [];
    for (let life = 0; life < workshop.times(3, 1); life++) {
      const product = await startProduct(workshop, await workshop.createDataDir(workshop.model.url));
      try {
        for (let n = 1; n <= turnCount; n++) await product.say(`hello number ${n}`);
        afterMiB.push(...[product.readMemoryMiB()].filter((size) => size !== undefined));
      } finally {
        await product.stop();
      }
    }
    if (afterMiB.length === 0) return [];
    return [
      { name: `memory after ${turnCount} turns`, unit: "MiB", value: summarise(afterMiB), target: { atMost: 150 } },
    ];
  },
};
