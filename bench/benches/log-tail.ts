/** The last 200 lines of a channel's log that has a million: what is read must not depend on how much was ever said. */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import type { LogLine } from "../../src/contracts/message.ts";
import { buildRoute } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { silentLog } from "../../test/fakes/log.ts";
import type { Bench } from "../bench.ts";
import { type Cost, summariseCosts } from "../figure.ts";

const lineCount = 1_000_000;
const linesAtATime = 10_000;
const readLines = 200;
const channel = { adapter: "bench", channelId: "G1" };

export const logTailBench: Bench = {
  name: "log-tail",
  summary: `last ${readLines} of ${lineCount.toLocaleString("en")} log lines`,
  async run(workshop) {
    const clock = createSystemClock();
    const layout = buildLayout(await workshop.createFolder());
    await writeLog(layout.channelDir(channel));
    const store = await openStore({
      layout,
      clock,
      log: silentLog,
      role: "guest",
      routesOf: (ref) => [buildRoute("main", { type: "main" }, ref)],
    });
    const costs: Cost[] = [];
    try {
      for (let n = 0; n < workshop.times(50, 20); n++) {
        const cpuStart = process.cpuUsage();
        const start = performance.now();
        const lines = await store.channels.tail(channel, readLines);
        const wallMs = performance.now() - start;
        const { user, system } = process.cpuUsage(cpuStart);
        costs.push({ wallMs, cpuMs: (user + system) / 1000 });
        if (lines.at(-1)?.id !== String(lineCount - 1)) throw new Error("the tail is not the tail");
      }
    } finally {
      await store.close();
    }
    return [{ name: logTailBench.summary, ...summariseCosts(costs), target: { atMost: 5 } }];
  },
};

async function writeLog(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, "log.jsonl"), "w");
  try {
    for (let at = 0; at < lineCount; at += linesAtATime) {
      const lines = Array.from({ length: linesAtATime }, (_each, n) => JSON.stringify(buildLine(at + n)));
      await file.write(`${lines.join("\n")}\n`);
    }
  } finally {
    await file.close();
  }
}

const buildLine = (n: number): LogLine => ({
  id: String(n),
  ts: "2026-01-01T00:00:00.000Z",
  sender: { id: "U1", username: "ann", isBot: false },
  text: `what was said as number ${n}`,
  attachments: [],
});
