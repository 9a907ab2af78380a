/** What is saved by letting skills go when their task is over: tokens sent in a session that reads three of them. */
import { join } from "node:path";
import { askFor } from "../asked-call.ts";
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { runLoad } from "../run-load.ts";
import { writeSkills } from "../skill-files.ts";
import type { Workshop } from "../workshop.ts";

const turnCount = 20;
const skillChars = 6000;
/** The turns in which a skill is read. */
const readingTurns = [2, 6, 10];
const charactersPerToken = 4;
/** Longer than the session. */
const never = 1000;

export const ephemeralBench: Bench = {
  name: "ephemeral",
  summary: `tokens of ${turnCount} turns with ${readingTurns.length} skills`,
  async run(workshop) {
    const forgetting = await countTokens(workshop, undefined);
    const keeping = await countTokens(workshop, never);
    const saved = (1 - forgetting / keeping) * 100;
    const session = `${turnCount} turns, ${readingTurns.length} skills`;
    return [
      { name: `sent in ${session}`, unit: "tokens", value: summarise([forgetting]) },
      { name: `sent in ${session}, nothing let go`, unit: "tokens", value: summarise([keeping]) },
      { name: "saved by letting skills go", unit: "%", value: summarise([saved]) },
    ];
  },
};

/** Bytes of all requests by four; the count is the same in every run. `forgetAfterTurns` undefined: as it comes. */
async function countTokens(workshop: Workshop, forgetAfterTurns: number | undefined): Promise<number> {
  const { model } = workshop;
  const agents = { main: forgetAfterTurns === undefined ? {} : { forgetAfterTurns } };
  const dataDir = await workshop.createDataDir(model.askedUrl, { agents });
  const paths = await writeSkills(join(dataDir, "workspace", "skills"), readingTurns.length, skillChars);
  const texts = Array.from({ length: turnCount }, (_each, n) => {
    const path = paths[readingTurns.indexOf(n + 1)];
    return path === undefined ? "hello" : askFor("read", path);
  });
  const before = await model.loadTally();
  await runLoad(workshop, { dataDir, warmUpTurns: 0, load: { type: "direct" }, turnsPerSession: turnCount, texts });
  const after = await model.loadTally();
  const requests = after.requests - before.requests;
  if (requests !== turnCount + readingTurns.length) throw new Error(`${requests} requests: not every skill was read`);
  const isGone = (await model.loadLastRequest()).includes("is no longer shown");
  if (isGone !== (forgetAfterTurns === undefined)) throw new Error("skills did not leave, or left too soon");
  return (after.bytes - before.bytes) / charactersPerToken;
}
