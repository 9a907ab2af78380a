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
    return [
      ...(await measureWarmTurn(workshop, model.url)),
      await measureToolTurn(workshop, { mode: "host", name: "tool turn on the host", mostMs: 25 }),
      ...(process.platform === "linux"
        ? [await measureToolTurn(workshop, { mode: "bwrap", name: "tool turn in bwrap", mostMs: 35 })]
        : []),
    ];
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

interface ToolTurn {
  mode: "host" | "bwrap";
  name: string;
  mostMs: number;
}

async function measureToolTurn(workshop: Workshop, { mode, name, mostMs }: ToolTurn): Promise<Figure> {
  const turns = await takeTurns(workshop, workshop.model.toolUrl, 100, { sandbox: { mode } });
  // A refused call is answered like any other, and sooner.
  ensureEchoed(await workshop.model.loadLastRequest());
  return {
    name,
    unit: "ms",
    value: summarise(turns.map((turn) => turn.replyMs)),
    cpuMs: summarise(turns.map((turn) => turn.cpuMs)),
    target: { atMost: mostMs },
  };
}

function ensureEchoed(body: string): void {
  const { messages }: { messages: { role: string; content: unknown }[] } = JSON.parse(body);
  const { role, content } = messages.at(-1) ?? { role: "nobody", content: "" };
  if (role !== "tool" || content !== "bench\n")
    throw new Error(`bash said ${JSON.stringify(content)} and not "bench\\n"`);
}

/** Several lives, so that one unlucky process does not decide. */
async function takeTurns(workshop: Workshop, modelUrl: string, turns: number, config?: object): Promise<TurnCost[]> {
  const all: TurnCost[] = [];
  for (let life = 0; life < workshop.times(3, 1); life++) {
    const { sessions } = await runLoad(workshop, {
      dataDir: await workshop.createDataDir(modelUrl, config),
      warmUpTurns: 0,
      load: { type: "direct" },
      turnsPerSession: skippedTurns + turns,
    });
    all.push(...sessions.flatMap((costs) => costs.slice(skippedTurns)));
  }
  return all;
}
