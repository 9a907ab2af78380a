import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { buildLimitLines, parseHardLimits, type SandboxLimits } from "./limits.ts";

const skip = process.platform === "linux" ? false : "there is no /proc to look at";
const limits: SandboxLimits = {
  memoryMb: 100,
  processes: 5000,
  cpuSeconds: 7,
  fileSizeMb: 3,
  tmpMb: 2,
  openFiles: 512,
  minFreeDiskMb: 0,
  minFreeMemoryMb: 0,
};
const noLimits = {
  dataBytes: Number.POSITIVE_INFINITY,
  processes: Number.POSITIVE_INFINITY,
  cpuSeconds: Number.POSITIVE_INFINITY,
  fileBytes: Number.POSITIVE_INFINITY,
  openFiles: Number.POSITIVE_INFINITY,
};
const shells = [["/bin/sh"], ["/bin/bash", "--posix"]];

for (const [shell = "", ...options] of shells) {
  it(`means the same to ${shell}: set, and read back from the kernel`, { skip }, async () => {
    const script = ["set -e", ...buildLimitLines(limits, noLimits), "cat /proc/self/limits"].join("\n");
    const { stdout } = await promisify(execFile)(shell, [...options, "-c", script]);
    assert.deepEqual(parseHardLimits(stdout), {
      dataBytes: 100 * 1024 * 1024,
      processes: 5000,
      cpuSeconds: 7,
      fileBytes: 3 * 1024 * 1024,
      openFiles: 512,
    });
  });
}

it("takes unlimited for no limit", () => {
  assert.equal(
    parseHardLimits("Max cpu time              unlimited            unlimited   seconds").cpuSeconds,
    Infinity,
  );
});

it("asks for no more than there is", () => {
  const lines = buildLimitLines(limits, { ...noLimits, processes: 9, dataBytes: 2048 });
  assert.ok(lines.includes("ulimit -d 2"));
  assert.ok(lines.some((line) => line.startsWith("ulimit -u 9 ")));
});
