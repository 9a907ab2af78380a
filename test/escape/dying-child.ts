/** Starts a program in bubblewrap that would go on for long, and waits to be killed. */
import { createSystemClock } from "../../src/base/clock.ts";
import { createBwrapExecutor, loadPrograms, sandboxConfig } from "../../src/sandbox/index.ts";
import { silentLog } from "../fakes/log.ts";

const [folder = ""] = process.argv.slice(2);
const deps = { clock: createSystemClock(), log: silentLog, programs: await loadPrograms(), environment: process.env };
const executor = createBwrapExecutor({ ...deps, privateDirs: [] }, sandboxConfig.parse({}));
await executor.open({ cwd: folder, roots: [folder], hidden: [] }).exec({
  command: { shell: "setsid flock lock sleep 60 & trap '' TERM HUP; wait" },
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  maxOutputBytes: 1000,
});
