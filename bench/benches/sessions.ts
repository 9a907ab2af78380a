/** Sixteen conversations at once, each sending its next message as soon as it has its answer. */
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { runLoad } from "../run-load.ts";

const sessionCount = 16;
const turnsPerSession = 25;

export const sessionsBench: Bench = {
  name: "sessions",
  summary: `${sessionCount} sessions at once`,
  async run(workshop) {
    const turnsPerSecond: number[] = [];
    const cpuPerTurnMs: number[] = [];
    const stallsMs: number[] = [];
    const repliesMs: number[] = [];
    for (let life = 0; life < workshop.times(7, 2); life++) {
      const { wallMs, cpuMs, longestStallMs, sessions } = await runLoad(workshop, {
        dataDir: await workshop.createDataDir(workshop.model.url),
        warmUpTurns: 50,
        load: { type: "groups", count: sessionCount },
        turnsPerSession,
      });
      const turns = sessions.flat();
      turnsPerSecond.push((turns.length / wallMs) * 1000);
      cpuPerTurnMs.push(cpuMs / turns.length);
      stallsMs.push(longestStallMs);
      repliesMs.push(...turns.map((turn) => turn.replyMs));
    }
    return [
      {
        name: `${sessionCount} sessions at once`,
        unit: "turns/s",
        value: summarise(turnsPerSecond),
        cpuMs: summarise(cpuPerTurnMs),
        target: { atLeast: 100 },
        note: "CPU per turn",
      },
      { name: `reply out, ${sessionCount} sessions at once`, unit: "ms", value: summarise(repliesMs) },
      {
        name: `longest event-loop stall, ${sessionCount} sessions`,
        unit: "ms",
        value: summarise(stallsMs),
        target: { atMost: 50 },
      },
    ];
  },
};
