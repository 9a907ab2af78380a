/** Which tools may a session use? Decided once per kind of session, then looked up for every turn. */
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import type { PolicyResult } from "../policy-child.ts";
import { runChild } from "../run-child.ts";

const childPath = join(import.meta.dirname, "..", "policy-child.ts");

export const policyBench: Bench = {
  name: "policy",
  summary: "tool policy, cold and cached",
  async run(workshop) {
    const results: PolicyResult[] = [];
    for (let life = 0; life < workshop.times(9, 3); life++) results.push(await runChild(childPath));
    const [{ toolCount } = { toolCount: 0 }] = results;
    const name = `tool policy of ${toolCount} tools in nine layers`;
    return [
      {
        name: `${name}, cold`,
        unit: "ms",
        value: summarise(results.flatMap((result) => result.coldMs)),
        target: { atMost: 1 },
      },
      {
        name: `${name}, first of a process`,
        unit: "ms",
        value: summarise(results.map((result) => result.firstMs)),
      },
      {
        name: `${name}, remembered`,
        unit: "µs",
        value: summarise(results.flatMap((result) => result.cachedUs)),
        target: { atMost: 50 },
      },
    ];
  },
};
