/** A long session of short messages, over and over the mark where mom sums it up: how fast, and how slow at worst. */
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { runLoad } from "../run-load.ts";

const turnCount = 600;

export const compactionBench: Bench = {
  name: "compaction",
  summary: "a session that is summed up as it goes on",
  async run(workshop) {
    const turnsPerSecond: number[] = [];
    const cpuPerTurnMs: number[] = [];
    const worstMs: number[] = [];
    let asides = 0;
    for (let life = 0; life < workshop.times(3, 1); life++) {
      const before = await workshop.model.loadTally();
      const { sessions, wallMs, cpuMs } = await runLoad(workshop, {
        dataDir: await workshop.createDataDir(workshop.model.url),
        warmUpTurns: 100,
        load: { type: "direct" },
        turnsPerSession: turnCount,
      });
      const after = await workshop.model.loadTally();
      asides = after.requests - before.requests - turnCount - 100;
      if (asides === 0) throw new Error("the session was never summed up");
      turnsPerSecond.push((turnCount / wallMs) * 1000);
      cpuPerTurnMs.push(cpuMs / turnCount);
      worstMs.push(Math.max(...sessions.flat().map((turn) => turn.replyMs)));
    }
    return [
      {
        name: `${turnCount} turns over the 400-message mark`,
        unit: "turns/s",
        value: summarise(turnsPerSecond),
        cpuMs: summarise(cpuPerTurnMs),
        note: `CPU per turn; ${asides} calls of the model beside the answers, for notes and summaries`,
      },
      { name: "the slowest of them, reply out", unit: "ms", value: summarise(worstMs) },
    ];
  },
};
