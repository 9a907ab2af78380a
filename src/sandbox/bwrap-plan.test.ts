import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import { type MountRequest, planMounts, planSystem } from "./bwrap-plan.ts";
import { createHardLinkSearch } from "./hard-links.ts";
import { createFolderFinder } from "./scope-folders.ts";

const plan = (scope: ExecutorScope, more: Partial<MountRequest> = {}) =>
  planMounts({
    scope,
    readable: [],
    shown: [],
    rg: "/rg",
    links: createHardLinkSearch({ clock: createFakeClock() }),
    folders: createFolderFinder(),
    signal: new AbortController().signal,
    ...more,
  });

test("shows roots and read-only folders, outer before inner, then seals, then covers", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["ws/channels/a/C1/log.jsonl", "ws/state/db", "ws/auth.json", "ws/skills/x"]) await put(path, "");
  const mounts = await plan({
    cwd: at("ws"),
    roots: [at("ws"), at("ws/channels/a/C1"), at("missing")],
    readOnly: [at("ws/skills")],
    hidden: [at("ws/state"), at("ws/auth.json"), at("ws/missing"), "/elsewhere"],
    isSealed: (path) => path.endsWith("log.jsonl"),
  });
  const folders = ["ws", "ws/skills", "ws/channels", "ws/channels/a", "ws/channels/a/C1"].map(at);
  assert.deepEqual(
    mounts.slice(0, 5).map(({ at: place }) => place),
    folders,
  );
  assert.deepEqual(
    mounts.slice(0, 5).map(({ type }) => type),
    ["writable", "readOnly", "writable", "writable", "writable"],
  );
  const record = at("ws/channels/a/C1/log.jsonl");
  assert.deepEqual(mounts[5], { type: "readOnly", source: record, at: record });
  assert.deepEqual(mounts.slice(6), [
    { type: "readOnly", source: "/rg", at: "/run/mom/rg" },
    { type: "link", target: at("ws"), at: "/workspace" },
    { type: "empty", at: at("ws/state") },
    { type: "blocked", at: at("ws/auth.json") },
  ]);
});

test("shows a folder that is a link where it really is, and by its own name", async (context) => {
  const { dir } = await createTempFolder(context);
  await mkdir(join(dir, "real"));
  await symlink("real", join(dir, "name"));
  const mounts = await plan({ cwd: join(dir, "real"), roots: [join(dir, "name")], hidden: [] });
  assert.deepEqual(mounts[0], { type: "writable", source: join(dir, "real"), at: join(dir, "real") });
  assert.ok(mounts.some((mount) => mount.type === "link" && mount.at === join(dir, "name")));
});

test("leaves out what lies in something hidden", async (context) => {
  const { dir } = await createTempFolder(context);
  await mkdir(join(dir, "closed/root"), { recursive: true });
  const mounts = await plan({ cwd: dir, roots: [join(dir, "closed/root")], hidden: [join(dir, "closed")] });
  assert.ok(!mounts.some(({ type }) => type === "writable"));
});

test("covers private folders that lie among the system's", async () => {
  const mounts = await planSystem({
    readable: ["/missing"],
    privateDirs: ["/usr/share", "/home", "/missing"],
    agentFolders: [],
  });
  assert.deepEqual(
    mounts.filter(({ type }) => type === "bare"),
    [{ type: "bare", at: "/usr/share" }],
  );
  assert.ok(mounts.some((mount) => mount.type === "readOnly" && mount.at === "/usr"));
});

test("covers private folders that lie in what the operator lets everybody read", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("home/data/auth.json", "");
  const mounts = await planSystem({
    readable: [join(dir, "home")],
    privateDirs: [join(dir, "home/data")],
    agentFolders: [],
  });
  assert.deepEqual(mounts.slice(-2), [
    { type: "readOnly", source: join(dir, "home"), at: join(dir, "home") },
    { type: "bare", at: join(dir, "home/data") },
  ]);
});

test("covers what is hidden in a folder that is shown anyway", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("pi/tools/key", "");
  await put("ws/a", "");
  const scope = { cwd: join(dir, "ws"), roots: [join(dir, "ws")], hidden: [join(dir, "pi/tools")] };
  const cover = { type: "empty", at: join(dir, "pi/tools") };
  assert.deepEqual((await plan(scope, { shown: [join(dir, "pi")] })).at(-1), cover);
  assert.ok(!(await plan(scope)).some(({ type }) => type === "empty"));
});

test("what programs could swap is opened from the folder that they cannot, and a link of theirs is not followed", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["ws/channels/a/C1/log.jsonl", "ws/state/x", "else/x"]) await put(path, "");
  await symlink(at("else"), at("ws/skills"));
  const mounts = await plan({
    cwd: at("ws/channels/a/C1"),
    roots: [at("ws"), at("ws/channels/a/C1")],
    readOnly: [at("ws/skills")],
    hidden: [at("ws/state")],
    isSealed: (path) => path.endsWith("log.jsonl"),
    agentFolders: [at("ws"), at("ws/channels")],
  });
  const sources = mounts.filter((mount) => "source" in mount);
  assert.deepEqual(
    sources.map(({ source, below }) => [source, below]),
    [
      [at("ws"), undefined],
      ...["ws/channels", "ws/channels/a", "ws/channels/a/C1", "ws/channels/a/C1/log.jsonl"].map((path) => [
        at(path),
        at("ws"),
      ]),
      ["/rg", undefined],
    ],
  );
  assert.ok(!mounts.some((mount) => mount.type === "link" && mount.target === at("else")));
});

test("of folders that hold each other the nearest decides what programs may write", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["ws/channels/a/C1/x", "ws/channels/a/C2/x", "else/x"]) await put(path, "");
  const mounts = await plan({
    cwd: at("ws"),
    roots: [at("ws"), at("ws/channels/a/C1")],
    readOnlyInside: [at("ws/channels"), at("else"), at("missing")],
    hidden: [],
  });
  const folders = mounts.filter((mount) => "source" in mount && mount.source !== "/rg");
  assert.deepEqual(
    folders.map((mount) => [mount.type, mount.at]),
    [
      ["writable", at("ws")],
      ["readOnly", at("ws/channels")],
      ["writable", at("ws/channels/a/C1")],
    ],
  );
});
