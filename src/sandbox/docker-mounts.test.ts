import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import { planContainer } from "./docker-mounts.ts";
import { createHardLinkSearch } from "./hard-links.ts";
import { createFolderFinder } from "./scope-folders.ts";

const emptyFolder = "/empty";

async function createFolders(test: TestContext) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mom-mounts-")));
  test.after(() => rm(dir, { recursive: true }));
  for (const name of ["work/state", "work/skills", "extra"]) await mkdir(join(dir, name), { recursive: true });
  for (const name of ["work/key", "work/log.jsonl"]) await writeFile(join(dir, name), name);
  const scope = (more: Partial<ExecutorScope> = {}): ExecutorScope => ({
    cwd: join(dir, "work"),
    roots: [join(dir, "work")],
    readOnly: [join(dir, "work/skills"), join(dir, "extra")],
    hidden: [join(dir, "work/state"), join(dir, "work/key"), join(dir, "missing"), "/etc/hostname"],
    ...more,
  });
  const plan = (more: Partial<ExecutorScope> = {}) => {
    const links = createHardLinkSearch({ clock: createFakeClock() });
    return planContainer(
      {
        scope: scope(more),
        readable: [],
        rg: "/opt/rg",
        links,
        folders: createFolderFinder(),
        signal: new AbortController().signal,
      },
      emptyFolder,
    );
  };
  return { dir, plan };
}

it("shows the folders under their own names and the first root as /workspace, and covers what is hidden in both", async (test) => {
  const { dir, plan } = await createFolders(test);
  const { mounts } = await plan({ isSealed: (path) => path.endsWith(".jsonl") });
  const lines = mounts.map(({ source, target, isReadOnly }) => `${source} ${target} ${isReadOnly ? "ro" : "rw"}`);
  assert.deepEqual(
    new Set(lines.map((line) => line.replaceAll(dir, ""))),
    new Set([
      "/work /work rw",
      "/work /workspace rw",
      "/work/skills /work/skills ro",
      "/work/skills /workspace/skills ro",
      "/extra /extra ro",
      "/work/log.jsonl /work/log.jsonl ro",
      "/work/log.jsonl /workspace/log.jsonl ro",
      "/empty /work/state ro",
      "/empty /workspace/state ro",
      "/dev/null /work/key ro",
      "/dev/null /workspace/key ro",
      "/opt/rg /run/mom/rg ro",
    ]),
  );
  for (const [index, { target }] of mounts.entries()) {
    assert.ok(
      !mounts.slice(index + 1).some((later) => target.startsWith(`${later.target}/`)),
      `${target} comes too early`,
    );
  }
});

it("lets programs write only to the deeper roots of what is read-only inside a root", async (test) => {
  const { dir, plan } = await createFolders(test);
  await mkdir(join(dir, "work/chats/a/one"), { recursive: true });
  const chat = join(dir, "work/chats/a/one");
  const { mounts } = await plan({ roots: [join(dir, "work"), chat], readOnlyInside: [join(dir, "work/chats")] });
  const rights = ["work", "work/chats", "work/chats/a/one"].map(
    (path) => mounts.find(({ target }) => target === join(dir, path))?.isReadOnly,
  );
  assert.deepEqual(rights, [false, true, false]);
});

it("hangs nothing into what is hidden", async (test) => {
  const { dir, plan } = await createFolders(test);
  const { mounts } = await plan({ hidden: [join(dir, "work")], roots: [join(dir, "extra"), join(dir, "work/skills")] });
  assert.ok(!mounts.some(({ target }) => target.startsWith(join(dir, "work"))));
});

it("is another plan when the network, or something behind a name, is another", async (test) => {
  const { dir, plan } = await createFolders(test);
  const { key } = await plan();
  assert.equal((await plan()).key, key);
  assert.notEqual((await plan({ hasNetwork: true })).key, key);
  await writeFile(join(dir, "new-key"), "replaced");
  await rename(join(dir, "new-key"), join(dir, "work/key"));
  assert.notEqual((await plan()).key, key, "the cover would have gone with the old file");
});

it("refuses names that a mount cannot be written with", async (test) => {
  const { dir, plan } = await createFolders(test);
  const odd = join(dir, "a,readonly=false");
  await mkdir(odd);
  await assert.rejects(plan({ roots: [odd] }), { code: "SANDBOX_UNAVAILABLE" });
});
