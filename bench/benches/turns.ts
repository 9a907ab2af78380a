/** One turn after another in the owner's session of a warm process: in words, and with one `echo` through bash. */
import type { Bench } from "../bench.ts";
import { type Figure, summarise } from "../figure.ts";
import type { TurnCost } from "../load-child.ts";
import { runLoad } from "../run-load.ts";
import type { Workshop } from "../workshop.ts";

/** The first turns load and compile; they are what `start` measures. */
const skippedTurns = 50;

export const turnsBench: Bench = {
  name: "turns",
  summary: "turns of one session, one after another",
  async run(workshop) {
    const { model } = workshop;
    return [...(await measureWarmTurn(workshop, model.url)), ...(await measureToolTurn(workshop, model.toolUrl))];
  },
};

async function measureWarmTurn(workshop: Workshop, modelUrl: string): Promise<Figure[]> {
  const turns = await takeTurns(workshop, modelUrl, 200);
  return [
    {
      name: "warm turn, reply out",
      unit: "ms",
      value: summarise(turns.map((turn) => turn.replyMs)),
      cpuMs: summarise(turns.map((turn) => turn.cpuMs)),
      target: { atMost: 12 },
      cpuTargetMs: 10,
    },
    { name: "warm turn, receipt on disk", unit: "ms", value: summarise(turns.map((turn) => turn.doneMs)) },
  ];
}

async function measureToolTurn(workshop: Workshop, modelUrl: string): Promise<Figure[]> {
  const turns = await takeTurns(workshop, modelUrl, 100);
  return [
    {
      name: "tool turn on the host",
      unit: "ms",
      value: summarise(turns.map((turn) => turn.replyMs)),
      cpuMs: summarise(turns.map((turn) => turn.cpuMs)),
      target: { atMost: 25 },
    },
  ];
}

/** Several lives, so that one unlucky process does not decide. */
async function takeTurns(workshop: Workshop, modelUrl: string, turns: number): Promise<TurnCost[]> {
  const all: TurnCost[] = [];
  for (let life = 0; life < workshop.times(3, 1); life++) {
    const { sessions } = await runLoad(workshop, {
      dataDir: await workshop.createDataDir(modelUrl),
      warmUpTurns: 0,
      load: { type: "direct" },
      turnsPerSession: skippedTurns + turns,
    });
    all.push(...sessions.flatMap((costs) => costs.slice(skippedTurns)));
  }
  return all;
}
