/** What happens where there is no sandbox to be had: nothing runs, and the reason is said. test/escape has the real thing. */
import assert from "node:assert/strict";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder, type TempFolder } from "../../test/fakes/temp-folder.ts";
import { createSystemClock } from "../base/clock.ts";
import { createBwrapExecutor } from "./bwrap-executor.ts";
import { sandboxConfig } from "./config.ts";

const skip = process.platform === "linux" ? false : "bubblewrap needs Linux";

function createExecutor(folder: TempFolder, clock = createSystemClock()) {
  const environment = { PATH: join(folder.dir, "bin") };
  const dependencies = { clock, log: silentLog, programs: { rg: "/bin/true" }, environment, privateDirs: [] };
  const executor = createBwrapExecutor(dependencies, sandboxConfig.parse({}));
  const operations = executor.open({ cwd: folder.dir, roots: [folder.dir], hidden: [] });
  const touch = () =>
    operations.exec({
      command: { shell: `touch ${folder.dir}/ran` },
      timeoutMs: 10_000,
      maxOutputBytes: 100,
      signal: new AbortController().signal,
    });
  return { executor, operations, touch };
}

async function putBwrap(folder: TempFolder, script: string): Promise<void> {
  // Also the user that root drops to must find it.
  await chmod(folder.dir, 0o755);
  await chmod(await folder.put("bin/bwrap", `#!/bin/sh\n${script}\n`), 0o755);
  await symlink("/usr/bin/setpriv", join(folder.dir, "bin/setpriv"));
}

test("without bubblewrap nothing runs and files still work", { skip }, async (context) => {
  const folder = await createTempFolder(context);
  const { executor, operations, touch } = createExecutor(folder);
  const { ok, detail, hint } = await executor.check();
  assert.equal(ok, false);
  assert.match(`${detail} ${hint}`, /not installed.*apt-get install bubblewrap/);
  await assert.rejects(touch(), { code: "SANDBOX_UNAVAILABLE" });
  await operations.writeFile("note", "text");
  assert.equal(await operations.stat("ran"), undefined);
});

test("a bubblewrap that may make no namespaces is said to", { skip }, async (context) => {
  const folder = await createTempFolder(context);
  await putBwrap(folder, 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
  const { executor, operations, touch } = createExecutor(folder);
  assert.match((await executor.check()).detail, /No permissions to create new namespace/);
  await assert.rejects(touch(), { code: "SANDBOX_UNAVAILABLE" });
  assert.equal(await operations.stat("ran"), undefined);
});

test("a bubblewrap that confines nothing is found out", { skip }, async (context) => {
  const folder = await createTempFolder(context);
  await putBwrap(folder, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
  const { executor, operations, touch } = createExecutor(folder);
  assert.match((await executor.check()).detail, /does not hold: .*filter/);
  await assert.rejects(touch(), { code: "SANDBOX_UNAVAILABLE" });
  assert.equal(await operations.stat("ran"), undefined);
});

test("what failed is looked for again after a while", { skip }, async (context) => {
  const folder = await createTempFolder(context);
  const clock = createFakeClock();
  const { executor } = createExecutor(folder, clock);
  const first = await executor.check();
  assert.equal(await executor.check(), first);
  await putBwrap(folder, "exit 1");
  assert.equal(await executor.check(), first);
  await clock.advance(20_000);
  const trouble = executor.check();
  // The probe's own waits run on this clock too.
  for (let i = 0; i < 200 && clock.pending === 0; i++) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(60_000);
  assert.doesNotMatch((await trouble).detail, /not installed/);
});
