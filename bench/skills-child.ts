/**
 * A fresh mom that lists its skills: once with nothing read or loaded, then as before every turn, when nothing has changed.
 * Started by benches/skills.ts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createSystemClock } from "../src/base/clock.ts";
import { createSkillLibrary, skillsConfig } from "../src/workspace/index.ts";
import { silentLog } from "../test/fakes/log.ts";

export interface SkillsOrders {
  workspaceDir: string;
  dataDir: string;
}

export interface SkillsResult {
  /** Found in the end. */
  count: number;
  firstMs: number;
  unchangedMs: number[];
}

/** Files that have just been found are read once more after a moment. */
const settledMs = 150;

const { workspaceDir, dataDir }: SkillsOrders = JSON.parse(process.argv[2] ?? "{}");
const config = skillsConfig.parse({});
const seen = new Set<string>();
const library = createSkillLibrary({
  workspaceDir,
  dataDir,
  homeDir: dataDir,
  config: () => config,
  path: process.env["PATH"] ?? "",
  platform: process.platform,
  env: {},
  hasSetting: () => false,
  seen: {
    has: async (hash) => seen.has(hash),
    async add(hash) {
      seen.add(hash);
    },
  },
  clock: createSystemClock(),
  log: silentLog,
});

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const list = () => library.list("channels/bench/D1");
const firstMs = await time(list);
await sleep(settledMs);
const { skills } = await list();
const unchangedMs: number[] = [];
for (let n = 0; n < 400; n++) unchangedMs.push(await time(list));
await library.close();
// The first ones run uncompiled code.
process.send?.({ count: skills.length, firstMs, unchangedMs: unchangedMs.slice(100) } satisfies SkillsResult);
process.disconnect();
