import assert from "node:assert/strict";
import { it } from "node:test";
import { buildRunArguments, type ContainerShape } from "./docker-args.ts";
import { dockerConfig } from "./docker-config.ts";

const config = dockerConfig.parse({ image: "some/image", memoryMb: 64, cpus: 0.5, pidsLimit: 32, tmpMb: 8 });
const shape: ContainerShape = {
  name: "mom-1",
  labels: { mom: "here" },
  mounts: [
    { source: "/data/w", target: "/data/w", isReadOnly: false },
    { source: "/data/w", target: "/workspace", isReadOnly: true },
  ],
  hasNetwork: false,
  user: { uid: 7, gid: 8 },
  runArgs: ["--ulimit=nproc=9"],
};
const docker = { name: "docker", isRootless: false } as const;

it("closes everything before it opens anything", () => {
  const args = buildRunArguments(shape, config, docker);
  for (const wanted of [
    "--pull=never",
    "--user=7:8",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--network=none",
    "--memory=64m",
    "--memory-swap=64m",
    "--cpus=0.5",
    "--pids-limit=32",
    "--label=mom=here",
    "--ulimit=nproc=9",
    "--mount=type=bind,source=/data/w,destination=/data/w",
    "--mount=type=bind,source=/data/w,destination=/workspace,readonly",
  ]) {
    assert.ok(args.includes(wanted), `${wanted} is missing`);
  }
  assert.equal(args.at(-3), "some/image");
});

it("gives a network only where it is asked for, and maps the user where podman has no root", () => {
  const networkOf = (args: string[]) => args.filter((arg) => arg.startsWith("--network"));
  const open = { ...shape, hasNetwork: true };
  assert.deepEqual(networkOf(buildRunArguments(open, config, docker)), ["--network=bridge"]);
  const rootless = buildRunArguments(open, config, { name: "podman", isRootless: true });
  assert.deepEqual(networkOf(rootless), []);
  assert.ok(rootless.includes("--userns=keep-id"));
});
