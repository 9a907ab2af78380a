/** Which tools may a session use? Decided once per kind of session, then looked up for every turn. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import type { PolicyResult } from "../policy-child.ts";

export const policyBench: Bench = {
  name: "policy",
  summary: "tool policy, cold and cached",
  async run(workshop) {
    const results: PolicyResult[] = [];
    for (let life = 0; life < workshop.times(9, 3); life++) results.push(await runChild());
    const [{ toolCount } = { toolCount: 0 }] = results;
    return [
      {
        name: `tool policy of ${toolCount} tools, cold`,
        unit: "ms",
        value: summarise(results.map((result) => result.coldMs)),
        target: { atMost: 1 },
      },
      {
        name: "tools of a turn, policy cached",
        unit: "µs",
        value: summarise(results.flatMap((result) => result.cachedUs)),
        target: { atMost: 50 },
      },
    ];
  },
};

async function runChild(): Promise<PolicyResult> {
  const child = fork(join(import.meta.dirname, "..", "policy-child.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the policy child ended without a result (exit code ${code})`);
  });
  const [result] = (await Promise.race([once(child, "message"), ended])) as [PolicyResult];
  await ended.catch(() => undefined);
  return result;
}
