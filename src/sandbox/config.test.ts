import assert from "node:assert/strict";
import { it } from "node:test";
import { pickSandboxMode, sandboxConfig } from "./config.ts";

it("is closed by default: a sandbox where there can be one, no network for strangers", () => {
  const { mode, roots, readable, network, user, limits } = sandboxConfig.parse({});
  assert.deepEqual({ mode, roots, readable, user }, { mode: "auto", roots: [], readable: [], user: 65_534 });
  assert.deepEqual(network, { main: true, cron: true, subagent: true, dm: false, group: false, topic: false });
  assert.deepEqual(limits, {
    memoryMb: 2048,
    processes: 256,
    cpuSeconds: 600,
    fileSizeMb: 1024,
    tmpMb: 256,
    openFiles: 1024,
    minFreeDiskMb: 200,
    minFreeMemoryMb: 200,
  });
});

it("takes auto for bwrap on Linux only, and any other word for itself", () => {
  assert.equal(pickSandboxMode({ mode: "auto" }, "linux").mode, "bwrap");
  assert.equal(pickSandboxMode({ mode: "auto" }, "darwin").mode, "host");
  assert.equal(pickSandboxMode({ mode: "host" }, "linux").mode, "host");
  assert.deepEqual(pickSandboxMode({ mode: "docker:box" }, "linux"), { mode: "docker", container: "box" });
  assert.throws(() => sandboxConfig.parse({ mode: "docker:-x" }), /docker:<container>/);
});

it("refuses relative folders, modes that do not exist, root as the user, and unknown keys", () => {
  const wrongs = [
    { roots: ["notes"] },
    { readable: ["x"] },
    { roots: ["/"] },
    { roots: ["/a/.."] },
    { mode: "chroot" },
    { user: 0 },
    { rots: [] },
    { network: { all: true } },
  ];
  for (const wrong of wrongs) assert.equal(sandboxConfig.safeParse(wrong).success, false, JSON.stringify(wrong));
});
