/** Real git in a repository that a stranger has prepared: each trap would leave a mark when git steps into it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createTempFolder, type TempFolder } from "../../test/fakes/temp-folder.ts";
import { buildGitEnvironment } from "./git-environment.ts";

const run = promisify(execFile);
const base = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

interface Trap {
  name: string;
  /** `$trap` is a program that leaves the mark. */
  set(folder: TempFolder, trap: string, git: (...args: string[]) => Promise<unknown>): Promise<unknown>;
  /** What somebody does in the repository. May fail. */
  spring: string[];
  where?: string;
}

const traps: Trap[] = [
  { name: "core.fsmonitor", set: (_f, trap, git) => git("config", "core.fsmonitor", trap), spring: ["status"] },
  {
    name: "a hook in a folder of the repository",
    set: async (folder, trap, git) => {
      await chmod(await folder.put("repo/hooks/pre-commit", `#!/bin/sh\n${trap}\n`), 0o755);
      await git("config", "core.hooksPath", "hooks");
    },
    spring: ["commit", "--allow-empty", "-m", "x"],
  },
  {
    name: "a hook in .git",
    set: async (folder, trap) =>
      chmod(await folder.put("repo/.git/hooks/post-checkout", `#!/bin/sh\n${trap}\n`), 0o755),
    spring: ["checkout", "-b", "other"],
  },
  {
    name: "core.editor",
    set: (_f, trap, git) => git("config", "core.editor", trap),
    spring: ["commit", "--amend", "--allow-empty"],
  },
  {
    name: "core.sshCommand",
    set: (_f, trap, git) => git("config", "core.sshCommand", trap),
    spring: ["ls-remote", "ssh://localhost:1/x"],
  },
  {
    name: "the ext transport",
    set: (_f, trap, git) =>
      git("config", "protocol.ext.allow", "always").then(() => git("remote", "add", "r", `ext::${trap}`)),
    spring: ["fetch", "r"],
  },
  {
    name: "gpg.program",
    set: (_f, trap, git) => git("config", "gpg.program", trap).then(() => git("config", "commit.gpgsign", "true")),
    spring: ["commit", "--allow-empty", "-m", "x"],
  },
  {
    name: "a repository hidden in a folder of the repository",
    set: async (folder, trap) => {
      await folder.put("repo/bare/HEAD", "ref: refs/heads/main\n");
      await folder.put(
        "repo/bare/config",
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap}\n`,
      );
      for (const name of ["objects", "refs"]) await mkdir(join(folder.dir, "repo/bare", name));
    },
    spring: ["status"],
    where: "repo/bare",
  },
];

for (const { name, set, spring, where = "repo" } of traps) {
  test(`${name}: nothing runs, but would without the settings`, async (context) => {
    const folder = await createTempFolder(context);
    const mark = join(folder.dir, "stepped-in");
    const trap = await folder.put("trap", `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
    await chmod(trap, 0o755);
    const inRepo = (env: NodeJS.ProcessEnv, args: string[], cwd: string) =>
      run("git", args, { cwd: join(folder.dir, cwd), env: { ...base, ...env }, timeout: 20_000 });
    await mkdir(join(folder.dir, "repo"));
    await inRepo({}, ["init", "-q", "-b", "main"], "repo");
    await inRepo({}, ["commit", "-q", "--allow-empty", "-m", "first"], "repo");
    await set(folder, trap, (...args) => inRepo({}, args, "repo"));
    const isMarked = () => stat(mark).then(Boolean, () => false);

    await inRepo(buildGitEnvironment(), spring, where).catch(() => undefined);
    assert.equal(await isMarked(), false);
    await inRepo({}, ["checkout", "-q", "main"], "repo").catch(() => undefined);
    await inRepo({}, ["branch", "-D", "other"], "repo").catch(() => undefined);
    await rm(mark, { force: true });
    await inRepo({}, spring, where).catch(() => undefined);
    assert.equal(await isMarked(), true);
  });
}

test("ordinary work goes on: commit, branch, rebase, diff, clone", async (context) => {
  const folder = await createTempFolder(context);
  const git = (args: string[], cwd: string) =>
    run("git", args, { cwd: join(folder.dir, cwd), env: { ...base, ...buildGitEnvironment() } });
  await folder.put("repo/a.txt", "one\n");
  await git(["init", "-q", "-b", "main"], "repo");
  await git(["add", "."], "repo");
  await git(["commit", "-qm", "first"], "repo");
  await git(["checkout", "-qb", "work"], "repo");
  await folder.put("repo/a.txt", "two\n");
  assert.match((await git(["diff"], "repo")).stdout, /^\+two$/m);
  await git(["commit", "-qam", "second"], "repo");
  await git(["rebase", "-i", "main"], "repo");
  await git(["clone", "-q", "repo", "copy"], ".");
  assert.match((await git(["log", "--oneline"], "copy")).stdout, /second/);
});
