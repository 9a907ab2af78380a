import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { it } from "node:test";
import { createSystemClock } from "../base/clock.ts";
import { findLack, type WatchLimits, watchResources } from "./resource-watch.ts";

const skip = process.platform === "linux" ? false : "there is no /proc to look at";
const clock = createSystemClock();
const limits: WatchLimits = { memoryMb: 10_000, minFreeDiskMb: 0, minFreeMemoryMb: 0, folders: [tmpdir()] };

it("adds up what the whole tree holds", { skip }, async (context) => {
  const child = spawn("/bin/sh", ["-c", "sleep 60 & sleep 60 & wait"], { stdio: "ignore", detached: true });
  context.after(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
  await new Promise((resolve) => child.once("spawn", resolve));
  const watch = watchResources(child.pid ?? 0, { ...limits, memoryMb: 0.1 }, clock);
  assert.match(await watch.ended, /more than 0.1 MB of memory/);
});

it("says when a disk gets full, naming the folder", async () => {
  const watch = watchResources(process.pid, { ...limits, minFreeDiskMb: 1e9 }, clock);
  assert.match(await watch.ended, new RegExp(`free on the disk of ${tmpdir()}`));
});

it("says when the whole machine runs out of memory", { skip }, async () => {
  const watch = watchResources(process.pid, { ...limits, minFreeMemoryMb: 1e9 }, clock);
  assert.match(await watch.ended, /of memory is free on this machine/);
});

it("takes a disk for full also when no more files can be made there", () => {
  const disk = { bavail: 1000, bsize: 1024 * 1024, files: 6_000_000, ffree: 5_000_000 };
  assert.equal(findLack(disk, 200), undefined);
  assert.equal(findLack(disk, 1001), "1001 MB");
  assert.equal(findLack({ ...disk, ffree: 9_999 }, 200), "10000 files");
  // A small one, and one where nobody counts.
  assert.equal(findLack({ ...disk, files: 5000, ffree: 60 }, 200), undefined);
  assert.equal(findLack({ ...disk, files: 5000, ffree: 40 }, 200), "50 files");
  assert.equal(findLack({ ...disk, files: 0, ffree: 0 }, 200), undefined);
});

it("says nothing while all is well, and never after it was stopped", async () => {
  const watch = watchResources(process.pid, limits, clock);
  const quiet = await Promise.race([watch.ended, clock.sleep(600).then(() => "quiet")]);
  watch.stop();
  assert.equal(quiet, "quiet");
});
