/**
 * A process that keeps an index in its thread until it is killed: `memory-child.ts <dir>`. It changes files all the time, and
 * prints a line at every step, so that its parent can kill it in the middle of anything.
 */
import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import { createMemory, memoryConfig } from "../../src/memory/index.ts";
import { silentLog } from "./log.ts";
import { createFakeEmbedder } from "./memory-stage.ts";

const [dir = ""] = process.argv.slice(2);
const workspaceDir = join(dir, "workspace");
const config = memoryConfig.parse({});
const embedder = createFakeEmbedder("fake/child", 64, 3);
embedder.hook = () => {
  writeSync(1, "embedding\n");
  return undefined;
};
const memory = createMemory(
  {
    indexDir: join(dir, "index"),
    clock: createSystemClock(),
    log: silentLog,
    sources: () => ({ workspaceDir }),
    channelFolder: ({ channelId }) => `channels/${channelId}`,
    resolveFolder: (path) => path,
    createEmbedder: async () => embedder,
  },
  () => config,
);
for (let round = 0; ; round++) {
  for (let n = 0; n < 4; n++) {
    const text = Array.from(
      { length: 30 },
      (_, line) => `# Part ${line}\norchid ${n} of round ${round} line ${line}\n`,
    );
    writeFileSync(join(workspaceDir, "memory", `n${(round + n) % 7}.md`), text.join("\n"));
  }
  writeSync(1, "indexing\n");
  await memory.index("main", { force: round % 5 === 4 });
}
