/** Does a turn cost more when the conversation is long? One session, its last turns against its first ones. */
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import type { TurnCost } from "../load-child.ts";
import { runLoad } from "../run-load.ts";

/** A single turn is noise: the median of so many at either end. */
const comparedTurns = 20;

export const growthBench: Bench = {
  name: "growth",
  summary: "a long conversation in one session",
  async run(workshop) {
    const turnCount = workshop.times(1000, 200);
    const first: TurnCost[] = [];
    const last: TurnCost[] = [];
    const ratios: number[] = [];
    for (let life = 0; life < workshop.times(3, 1); life++) {
      const { sessions } = await runLoad(workshop, {
        dataDir: await workshop.createDataDir(workshop.model.url),
        // Without it the first turns would run uncompiled code, and a session that grows would look flat.
        warmUpTurns: 150,
        load: { type: "direct" },
        turnsPerSession: turnCount,
      });
      const turns = sessions.flat();
      const begin = turns.slice(0, comparedTurns);
      const end = turns.slice(-comparedTurns);
      first.push(...begin);
      last.push(...end);
      ratios.push(medianReply(end) / medianReply(begin));
    }
    const describe = (name: string, turns: TurnCost[]) => ({
      name,
      unit: "ms" as const,
      value: summarise(turns.map((turn) => turn.replyMs)),
      cpuMs: summarise(turns.map((turn) => turn.cpuMs)),
    });
    const lastTurns = `${turnCount - comparedTurns + 1}-${turnCount}`;
    return [
      { name: `turn ${turnCount} against turn 1`, unit: "×", value: summarise(ratios), target: { atMost: 2 } },
      describe(`turns 1-${comparedTurns} of a session`, first),
      describe(`turns ${lastTurns} of a session`, last),
    ];
  },
};

const medianReply = (turns: readonly TurnCost[]) => summarise(turns.map((turn) => turn.replyMs)).median;
