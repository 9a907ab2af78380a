import assert from "node:assert/strict";
import { it } from "node:test";
import { type BwrapPlan, buildBeginning, buildBwrapCommand, toArgv } from "./bwrap-args.ts";

const plan: BwrapPlan = {
  system: [
    { type: "readOnly", source: "/usr", at: "/usr", isPublic: true },
    { type: "readOnly", source: "/root/open", at: "/root/open" },
  ],
  mounts: [
    { type: "writable", source: "/data/ws", at: "/data/ws" },
    { type: "readOnly", source: "/data/ws/channels/C1/log.jsonl", at: "/data/ws/channels/C1/log.jsonl" },
    { type: "readOnly", source: "/opt/rg", at: "/run/mom/rg" },
    { type: "empty", at: "/data/ws/state" },
  ],
  cwd: "/data/ws",
  hasNetwork: false,
  env: { HOME: "/tmp", LD_PRELOAD: "/evil.so" },
  limits: {
    memoryMb: 100,
    processes: 10,
    cpuSeconds: 5,
    fileSizeMb: 1,
    tmpMb: 2,
    openFiles: 512,
    minFreeDiskMb: 0,
    minFreeMemoryMb: 0,
  },
  hardLimits: { dataBytes: 1e12, processes: 5, cpuSeconds: 1e12, fileBytes: 1e12, openFiles: 1024 },
  user: undefined,
  tools: { bwrap: "/usr/bin/bwrap", setpriv: "/usr/bin/setpriv" },
  greeting: "hello",
  strayFds: [],
  argv: ["/bin/echo", "--bind", "/", "/"],
};
const optionsAfter = (options: string[], word: string, count: number) => {
  const at = options.indexOf(word);
  return options.slice(at, at + count);
};

it("keeps a command's words apart from the sandbox's options", () => {
  const argv = toArgv(buildBwrapCommand(plan));
  const options = argv.slice(0, argv.indexOf("--"));
  assert.deepEqual(options, ["/usr/bin/bwrap", "--seccomp", "3", "--args", "4", "--info-fd", "5"]);
  assert.deepEqual(argv.slice(-4), plan.argv);
});

it("gives the network only where it is allowed", () => {
  assert.ok(!buildBwrapCommand(plan).options.includes("--share-net"));
  assert.ok(buildBwrapCommand({ ...plan, hasNetwork: true }).options.includes("--share-net"));
});

it("has one sandbox for an ordinary user, on the folders as they are", () => {
  const { stage, drop, options } = buildBwrapCommand(plan);
  assert.deepEqual([stage, drop], [[], []]);
  assert.deepEqual(optionsAfter(options, "--bind", 3), ["--bind", "/data/ws", "/data/ws"]);
});

it("stages folders for root, nested ones through the outer one, and drops the uid in between", () => {
  const { stage, drop, options } = buildBwrapCommand({ ...plan, user: { uid: 65534, gid: 65534 } });
  assert.deepEqual(stage.slice(stage.indexOf("/tmp") + 1), [
    ...["--bind", "/opt/rg", "/tmp/0"],
    ...["--bind", "/data/ws", "/tmp/1"],
    ...["--bind", "/root/open", "/tmp/2"],
    "--",
  ]);
  assert.ok(drop.includes("--reuid=65534") && drop.includes("--no-new-privs"));
  assert.deepEqual(optionsAfter(options, "--bind", 3), ["--bind", "/tmp/1", "/data/ws"]);
  assert.ok(options.includes("/tmp/1/channels/C1/log.jsonl"));
  assert.deepEqual(optionsAfter(options, "--ro-bind", 3), ["--ro-bind", "/usr", "/usr"]);
  assert.ok(![...stage, ...drop].includes("/evil.so"));
});

it("mounts what could be swapped by its descriptor, staged under a number of its own", () => {
  const below = "/data/ws";
  const mounts: BwrapPlan["mounts"] = [
    { type: "writable", source: "/data/ws", at: "/data/ws" },
    { type: "readOnly", source: "/data/ws/channels", at: "/data/ws/channels", below },
    { type: "writable", source: "/data/ws/channels/C1", at: "/data/ws/channels/C1", below },
  ];
  const direct = buildBwrapCommand({ ...plan, mounts });
  assert.deepEqual(
    direct.pins.map(({ source }) => source),
    ["/data/ws/channels", "/data/ws/channels/C1"],
  );
  assert.deepEqual(optionsAfter(direct.options, "--ro-bind-fd", 3), ["--ro-bind-fd", "6", "/data/ws/channels"]);
  assert.deepEqual(optionsAfter(direct.options, "--bind-fd", 3), ["--bind-fd", "7", "/data/ws/channels/C1"]);
  const { stage, options } = buildBwrapCommand({ ...plan, mounts, user: { uid: 65534, gid: 65534 } });
  assert.deepEqual(optionsAfter(stage, "--bind-fd", 6), ["--bind-fd", "6", "/tmp/2", "--bind-fd", "7", "/tmp/3"]);
  assert.deepEqual(options.slice(options.indexOf("/tmp/2") - 1, options.indexOf("/tmp/3") + 2), [
    ...["--ro-bind", "/tmp/2", "/data/ws/channels"],
    ...["--bind", "/tmp/3", "/data/ws/channels/C1"],
  ]);
});

it("closes a private folder after the session's part of it is in, unless the session has all of it", () => {
  const bare = (at: string) => buildBwrapCommand({ ...plan, system: [{ type: "bare", at }] }).options;
  const options = bare("/data");
  assert.deepEqual(optionsAfter(options, "4096", 3), ["4096", "--tmpfs", "/data"]);
  assert.ok(options.lastIndexOf("/data") > options.indexOf("/data/ws"));
  for (const at of ["/data/ws", "/data/ws/deep"])
    assert.ok(!bare(at).slice(0, -10).join(" ").includes(`--tmpfs ${at} `));
});

it("closes descriptors that mom did not open herself", () => {
  const [shell, , , script] = buildBeginning(buildBwrapCommand({ ...plan, strayFds: [7, 251] }));
  assert.equal(shell, "/bin/bash");
  assert.match(script ?? "", /^exec 7>&-\nexec 251>&-\necho/m);
});

it("sets every limit before the program begins, and never more than mom herself has", () => {
  const script = buildBeginning(buildBwrapCommand(plan)).join(" ");
  assert.match(
    script,
    /^\/bin\/sh -c set -e\nulimit -d 102400\nulimit -u 5 .*\nulimit -t 5\nulimit -f 2048\nulimit -n 512\n/,
  );
  assert.match(script, /exec "\$@" hello$/);
});
