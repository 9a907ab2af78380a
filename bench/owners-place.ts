/** Where the owner's tools run, as the product opens it: the real executors on a data directory. Used by children of benches. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSystemClock } from "../src/base/clock.ts";
import type { ExecutorScope, Operations } from "../src/contracts/sandbox.ts";
import { createBwrapExecutor, createHostExecutor, loadPrograms, sandboxConfig } from "../src/sandbox/index.ts";
import { buildLayout } from "../src/store/index.ts";
import { silentLog } from "../test/fakes/log.ts";

export interface OwnersPlace {
  scope: ExecutorScope;
  host: Operations;
  bwrap: Operations | { missing: string };
  /** Path of the ripgrep that mom brings along. */
  rg: string;
  close(): Promise<void>;
}

/** `dataDir` is there; what a mom keeps in it is made. */
export async function openOwnersPlace(dataDir: string): Promise<OwnersPlace> {
  const layout = buildLayout(dataDir);
  const channelDir = layout.channelDir({ adapter: "bench", channelId: "D1" });
  await mkdir(channelDir, { recursive: true });
  await mkdir(join(dataDir, "state"), { recursive: true });
  for (const name of ["config.json", "auth.json"]) await writeFile(join(dataDir, name), "{}\n");
  for (const name of ["log.jsonl", "context.jsonl"]) await writeFile(join(channelDir, name), "");
  const scope: ExecutorScope = {
    cwd: layout.workspaceDir,
    roots: [layout.workspaceDir, channelDir],
    readOnly: [],
    hidden: layout.hostOnlyPaths,
    hasNetwork: true,
    isSealed: (path) => path.endsWith(".jsonl"),
  };
  const programs = await loadPrograms();
  const deps = { clock: createSystemClock(), log: silentLog, programs, environment: process.env };
  const host = createHostExecutor(deps);
  const bwrap = createBwrapExecutor({ ...deps, privateDirs: [dataDir] }, sandboxConfig.parse({}));
  const { ok, detail } = await bwrap.check();
  return {
    scope,
    host: host.open(scope),
    bwrap: ok ? bwrap.open(scope) : { missing: detail },
    rg: programs.rg,
    async close() {
      await Promise.all([host.close(), bwrap.close()]);
    },
  };
}
