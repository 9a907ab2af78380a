import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createCliWorld } from "../../../test/fakes/cli-io.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { defaultConfigText } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildMemoryCommand } from "./memory.ts";

/** A data directory that mom was started in once. */
async function open(t: TestContext) {
  const world = await createCliWorld({ memory: buildMemoryCommand });
  t.after(() => world.close());
  const layout = buildLayout(world.dataDir);
  await mkdir(join(layout.workspaceDir, "memory"), { recursive: true });
  await writeFile(layout.configPath, defaultConfigText.replace(/^\{/m, '{ memory: { embedder: { type: "none" } },'));
  await writeFile(join(layout.workspaceDir, "MEMORY.md"), "# Memory\n- the orchid needs water\u001b[31m\n");
  await writeFile(join(layout.workspaceDir, "memory/binary.md"), "\0");
  return { ...world, layout };
}

async function startOnce(layout: ReturnType<typeof buildLayout>): Promise<void> {
  const clock = createSystemClock();
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [] });
  await store.close();
}

test("searches, shows lines and the state, also as a chat", async (t) => {
  const { run, layout } = await open(t);
  assert.match((await run(["memory", "search", "orchid"])).err, /never started/);
  await startOnce(layout);
  const found = await run(["memory", "search", "where", "is", "the", "orchid"]);
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /^\d\.\d{3} {2}MEMORY\.md#L1-L2\n {7}# Memory\n {7}- the orchid needs water/);
  assert.doesNotMatch(found.out, /\u001b/);
  assert.match((await run(["memory", "search", "orchid", "--chat", "slack/C1"])).err, /nothing was found/);
  assert.match((await run(["memory", "get", "MEMORY.md", "--lines", "1"])).out, /^# Memory\n$/);
  const status = JSON.parse((await run(["memory", "status", "--json"])).out);
  assert.deepEqual([status.files, status.chunks, status.skipped.length], [1, 1, 1]);
  const indexed = await run(["memory", "index", "--force"]);
  assert.match(indexed.out, /files {5}1[\s\S]*vectors {3}none[\s\S]*left out {2}memory\/binary\.md: it is not text/);
});

test("bad use is refused with what would do", async (t) => {
  const { run, layout } = await open(t);
  await startOnce(layout);
  assert.match(
    (await run(["memory", "search", "x", "--agent", "mian"])).err,
    /Did you mean main\?[\s\S]*MEMORY_AGENT_UNKNOWN/,
  );
  assert.match((await run(["memory", "get", "/etc/passwd"])).err, /MEMORY_PATH_UNKNOWN/);
  for (const args of [
    ["search", "x", "--min-score", "2"],
    ["search", "x", "--chat", "slack"],
    ["get", "MEMORY.md", "--lines", "a"],
    ["search"],
  ]) {
    assert.equal((await run(["memory", ...args])).code, 2, args.join(" "));
  }
});
