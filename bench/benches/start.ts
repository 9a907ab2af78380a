/** From nothing to the first answer: start to ready, memory at rest, the first turn. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { type Cost, summarise, summariseCosts } from "../figure.ts";
import { startProduct } from "../start-product.ts";
import type { Workshop } from "../workshop.ts";

/** What a start leaves running for a moment has ended by then. */
const restMs = 2000;

interface Life {
  ready: Cost;
  idleMiB: number | undefined;
  firstTurn: Cost;
}

export const startBench: Bench = {
  name: "start",
  summary: "start to ready, memory at rest, first turn",
  needsBuild: true,
  async run(workshop) {
    const newcomers = await collectLives(workshop.times(3, 1), async () => live(await withoutCache(workshop)));
    // Fills the compile cache.
    await live(workshop);
    const lives = await collectLives(workshop.times(9, 2), () => live(workshop));
    const idleMiB = lives.flatMap((each) => each.idleMiB ?? []);
    const ready = summariseCosts(lives.map((each) => each.ready));
    const firstTurn = summariseCosts(lives.map((each) => each.firstTurn));
    return [
      { name: "start to ready", ...ready, target: { atMost: 500 }, cpuTargetMs: 500 },
      { name: "start to ready, the very first time", ...summariseCosts(newcomers.map((each) => each.ready)) },
      ...(idleMiB.length > 0
        ? [{ name: "memory at rest", unit: "MiB" as const, value: summarise(idleMiB), target: { atMost: 100 } }]
        : []),
      { name: "first turn after the start", ...firstTurn, target: { atMost: 300 } },
    ];
  },
};

async function collectLives(count: number, liveOnce: () => Promise<Life>): Promise<Life[]> {
  const lives: Life[] = [];
  for (let n = 0; n < count; n++) lives.push(await liveOnce());
  return lives;
}

/** As on a machine that has never run mom. */
async function withoutCache(workshop: Workshop): Promise<Workshop> {
  return { ...workshop, env: { ...workshop.env, XDG_CACHE_HOME: await workshop.createFolder() } };
}

async function live(workshop: Workshop): Promise<Life> {
  const product = await startProduct(workshop, await workshop.createDataDir(workshop.model.url));
  try {
    await sleep(restMs);
    const idleMiB = product.readMemoryMiB();
    return { ready: product.ready, idleMiB, firstTurn: await product.say("hello") };
  } finally {
    await product.stop();
  }
}
