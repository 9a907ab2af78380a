import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { it, type TestContext } from "node:test";
import { findEngine } from "./docker-engine.ts";

/** A folder of programs that look like engines to a command line, and the PATH with only those first. */
async function createEngines(test: TestContext, scripts: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "mom-engines-"));
  test.after(() => rm(dir, { recursive: true }));
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(dir, name), 0o755);
  }
  return dir;
}

it("takes docker if its server answers, else podman, and says what was wrong", async (test) => {
  const noServer = "echo 'Cannot connect to the daemon' >&2; exit 1";
  const both = await createEngines(test, { docker: "echo 28.1", podman: "echo 5.0" });
  const one = await createEngines(test, { docker: noServer, podman: "echo 5.0" });
  const none = await createEngines(test, { docker: noServer });
  const find = (dir: string, wanted: "auto" | "docker" = "auto") => findEngine(wanted, { environment: { PATH: dir } });
  const titles = await Promise.all([both, one].map(async (dir) => (await find(dir)) as { title?: string }));
  assert.deepEqual(
    titles.map(({ title }) => title),
    ["docker 28.1", "podman 5.0"],
  );
  assert.deepEqual(await find(none), { problem: "docker: Cannot connect to the daemon; podman: not installed" });
  assert.deepEqual(await find(one, "docker"), { problem: "docker: Cannot connect to the daemon" });
});

it("passes on only what an engine needs of the environment, and its own arguments first", async (test) => {
  const dir = await createEngines(test, { docker: 'if [ "$2" = version ]; then echo 1; else echo "$*"; env; fi' });
  const engine = await findEngine("docker", {
    environment: {
      PATH: dir + delimiter + process.env["PATH"],
      DOCKER_HOST: "unix:///x",
      OPENAI_API_KEY: "sk",
      LD_PRELOAD: "",
    },
    globalArgs: ["--debug"],
  });
  assert.ok("call" in engine);
  const { stdout, exitCode } = await engine.call(["ps", "--all"]);
  assert.equal(exitCode, 0);
  assert.match(stdout, /^--debug ps --all$/m);
  assert.match(stdout, /^DOCKER_HOST=unix:\/\/\/x$/m);
  assert.doesNotMatch(stdout, /OPENAI_API_KEY|LD_PRELOAD/);
  assert.deepEqual(engine.toArgv(["rm", "x"]), ["docker", "--debug", "rm", "x"]);
});

it("gives up on a call that does not answer", async (test) => {
  const dir = await createEngines(test, { docker: 'if [ "$1" = version ]; then echo 1; else exec sleep 600; fi' });
  const engine = await findEngine("docker", { environment: { PATH: dir + delimiter + process.env["PATH"] } });
  assert.ok("call" in engine);
  assert.deepEqual(await engine.call(["ps"], 100), { exitCode: null, stdout: "", stderr: "no answer in time" });
});
