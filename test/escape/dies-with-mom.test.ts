/** A mom that is killed takes every program of hers along, whatever it has done to its session, its parents and its user. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const reason = spawnSync("bwrap", ["--version"]).status === 0 ? false : "bubblewrap is not installed";

test("kill -9 ends what runs in the sandbox", { skip: reason, timeout: 30_000 }, async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "mom-dies-")));
  const lock = join(folder, "lock");
  await writeFile(lock, "", { mode: 0o666 });
  const child = spawn(process.execPath, [join(import.meta.dirname, "dying-child.ts"), folder], { stdio: "ignore" });
  // Held for as long as the program lives, by nobody else.
  const isHeld = () => spawnSync("flock", ["--nonblock", lock, "true"]).status !== 0;
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  try {
    await until(isHeld);
    child.kill("SIGKILL");
    await until(() => !isHeld());
    assert.equal(isHeld(), false);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});
