/** Does a turn cost more with 400 messages behind it? Just before that mark, where mom sums up, against hardly any. */
import { askFor } from "../asked-call.ts";
import type { Bench } from "../bench.ts";
import { type Figure, summarise } from "../figure.ts";
import type { TurnCost } from "../load-child.ts";
import { buildProse } from "../prose.ts";
import { runLoad } from "../run-load.ts";

/** Every fourth turn calls a tool, so that ten messages come of four turns. */
const texts = [
  buildProse(1, 800),
  `${buildProse(2, 300)} ${askFor("bash", "echo bench")}`,
  buildProse(3, 500),
  buildProse(4, 1200),
];
const messagesPerRound = 10;
const messageCount = 400;
const turnCount = (messageCount / messagesPerRound) * texts.length;
/** Turns that are compared, at either end. */
const comparedTurns = 12;
/** The first turns of a new workspace also see to its first run. */
const firstRunTurns = 6;

export const historyBench: Bench = {
  name: "history",
  summary: `a turn with ${messageCount} messages behind it`,
  async run(workshop) {
    const first: TurnCost[] = [];
    const last: TurnCost[] = [];
    for (let life = 0; life < workshop.times(7, 1); life++) {
      const { sessions } = await runLoad(workshop, {
        dataDir: await workshop.createDataDir(workshop.model.askedUrl),
        warmUpTurns: 150,
        load: { type: "direct" },
        turnsPerSession: turnCount,
        texts,
      });
      const turns = sessions.flat();
      first.push(...takeWords(turns, firstRunTurns, firstRunTurns + comparedTurns));
      last.push(...takeWords(turns, turnCount - comparedTurns, turnCount));
    }
    return [
      { ...describe(`turn with ${messageCount} messages of history`, last), cpuTargetMs: 25 },
      describe("turn with hardly any history", first),
    ];
  },
};

/** Those that call no tool. */
const takeWords = (turns: readonly TurnCost[], from: number, to: number) =>
  turns.slice(from, to).filter((_turn, n) => !texts[(from + n) % texts.length]?.includes("#"));

const describe = (name: string, turns: readonly TurnCost[]): Figure => ({
  name,
  unit: "ms",
  value: summarise(turns.map((turn) => turn.replyMs)),
  cpuMs: summarise(turns.map((turn) => turn.cpuMs)),
});
