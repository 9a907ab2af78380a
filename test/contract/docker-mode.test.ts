/** What docker mode does beyond the executor contract, with a real engine: its walls, its limits, whose containers are whose. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExecResult, Executor, ExecutorScope } from "../../src/contracts/sandbox.ts";
import { createTestEngine, type DockerSettings, imageVariable, type TestEngine } from "./container-engine.ts";

const longMs = 60_000;
/** A shell line; the pattern does not match itself. */
const countSleeping = (seconds: number) => `grep -alE 's[l]eep.${seconds}' /proc/[0-9]*/cmdline | grep -c .`;

const found = await createTestEngine();
if ("skip" in found) describe("docker mode", { skip: found.skip }, () => undefined);
else describe("docker mode", { timeout: 120_000 }, () => dockerModeTests(found));

function dockerModeTests(engine: TestEngine): void {
  const instance = `modes-${process.pid}`;
  let base: string;
  let work: string;
  before(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "mom-docker-")));
    work = join(base, "work");
    await mkdir(join(work, "state"), { recursive: true });
    await mkdir(join(work, "sub"));
    await writeFile(join(work, "state/auth.json"), "hidden");
    await writeFile(join(work, "log.jsonl"), "record");
    await writeFile(join(base, "other"), "somebody else's");
  });
  after(async () => {
    await rm(base, { recursive: true, force: true });
    await engine.close();
  });

  const scope = (more: Partial<ExecutorScope> = {}): ExecutorScope => ({
    cwd: work,
    roots: [work],
    readOnly: engine.readOnly,
    hidden: [join(work, "state")],
    isSealed: (path) => path === join(work, "log.jsonl"),
    ...more,
  });
  const shell = (executor: Executor, line: string, more: Partial<ExecutorScope> = {}): Promise<ExecResult> =>
    executor.open(scope(more)).exec({
      command: { shell: line },
      timeoutMs: longMs,
      maxOutputBytes: 65_536,
      signal: new AbortController().signal,
    });
  const withDocker = async (settings: DockerSettings, use: (executor: Executor) => Promise<void>) => {
    const executor = await engine.createExecutor(settings, instance);
    try {
      await use(executor);
    } finally {
      await executor.close();
    }
  };
  const listContainers = async (label = `mom=${instance}`) =>
    (await engine.call("ps", "--all", "--quiet", `--filter=label=${label}`)).split("\n").filter((id) => id !== "");

  it("keeps programs inside: no rights, no network, only the session's folders", () =>
    withDocker({}, async (executor) => {
      const seen = async (line: string) => (await shell(executor, line)).stdout.trim();
      const rights = await seen("id -u; grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status; grep -c : /proc/net/dev");
      // No root, no capabilities, no way to get them, and of the network only the loopback.
      assert.match(rights.replace(/\s+/g, " "), /^[1-9]\d* CapEff: 0+ CapBnd: 0+ NoNewPrivs: 1 1$/);
      assert.equal(
        await seen(`cat ${work}/state/* /workspace/state/* ${base}/other 2>/dev/null; ls state /workspace/state`),
        "/workspace/state:\n\nstate:",
      );
      assert.equal(
        await seen("touch /x /usr/x state/x 2>/dev/null; echo x > log.jsonl; rm -f log.jsonl; mv log.jsonl y; ls"),
        "log.jsonl\nstate\nsub",
      );
      assert.equal(await readFile(join(work, "log.jsonl"), "utf8"), "record");
      assert.doesNotMatch(await seen("env; tr '\\0' '\\n' < /proc/$PPID/environ"), new RegExp(imageVariable));
      assert.match(await seen("rg --version"), /^ripgrep/);
      await shell(executor, "echo made > /workspace/sub/made; chmod u=rw,go= sub/made");
      assert.equal(Buffer.from(await executor.open(scope()).readFile("/workspace/sub/made")).toString(), "made\n");
      assert.equal((await listContainers()).length, 1, "all of them shared one container");
    }));

  it("covers what becomes hidden, or comes into being, while a container lives", () =>
    withDocker({}, async (executor) => {
      const hidden = [join(work, "state"), join(work, "later")];
      assert.equal((await shell(executor, "ls", { hidden })).exitCode, 0);
      await mkdir(join(work, "later"));
      await writeFile(join(work, "later/secret"), "closed");
      assert.equal((await shell(executor, "cat later/secret", { hidden })).stdout, "");
      assert.equal((await shell(executor, "cat later/secret")).stdout, "closed");
      await rm(join(work, "later"), { recursive: true });
    }));

  it("says that memory ran out", () =>
    withDocker({ memoryMb: 48 }, async (executor) => {
      const result = await shell(executor, "head -c 300m /dev/zero | tail");
      assert.deepEqual([result.ended, result.exitCode === 137], ["limit", true], JSON.stringify(result));
      assert.match(result.detail ?? "", /memory/);
    }));

  it("ends programs that have taken all processes, and goes on in a new container", () =>
    withDocker({ pidsLimit: 24 }, async (executor) => {
      const stop = new AbortController();
      const heard = Promise.withResolvers<void>();
      const program = await executor.open(scope()).start({
        command: { shell: "trap '' TERM; while :; do sleep 600 & done 2>&1" },
        timeoutMs: longMs,
        signal: stop.signal,
        onOutput: () => heard.resolve(),
      });
      await heard.promise;
      await program.kill();
      assert.equal((await program.ended).ended, "aborted");
      assert.equal((await shell(executor, countSleeping(600))).stdout.trim(), "0");
      assert.equal((await listContainers()).length, 1);
    }));

  it("starts another container when its own was stopped by somebody", () =>
    withDocker({}, async (executor) => {
      await shell(executor, "true");
      const [id = ""] = await listContainers();
      await engine.call("rm", "--force", id);
      await assert.rejects(shell(executor, "true"), { code: "EXEC_FAILED", retryable: true });
      assert.equal((await shell(executor, "echo again")).stdout, "again\n");
    }));

  it("removes containers of a mom that died, and no others; on close all its own", async () => {
    const idle = [
      "--detach",
      "--network=none",
      "--stop-signal=SIGKILL",
      ...engine.engineArgs.run,
      "--ulimit=nofile=4096:4096",
      "--volume=/usr:/usr:ro",
    ];
    const begin = (instanceLabel: string, owner: string) =>
      engine.call(
        "run",
        ...idle,
        `--label=mom=${instanceLabel}`,
        `--label=mom.owner=${owner}`,
        engine.image,
        "sleep",
        "600",
      );
    const dead = (await begin(instance, `${process.pid}-1`)).trim();
    const foreign = (await begin("somebody-else", `${process.pid}-1`)).trim();
    await withDocker({}, async (executor) => {
      await shell(executor, "true");
      const left = await listContainers();
      assert.equal(left.length, 1);
      assert.ok(!left.some((id) => dead.startsWith(id)));
    });
    assert.deepEqual(await listContainers(), []);
    assert.equal((await listContainers("mom=somebody-else")).length, 1);
    await engine.call("rm", "--force", foreign);
  });

  describe("in a container that is there already", () => {
    const name = `mom-test-${process.pid}`;
    const begin = (...options: string[]) =>
      engine.call(
        ...["run", "--detach", `--name=${name}`, "--network=none", "--stop-signal=SIGKILL", ...engine.engineArgs.run],
        ...["--ulimit=nofile=4096:4096", "--volume=/usr:/usr:ro", ...options, engine.image, "sleep", "600"],
      );
    const end = () => engine.call("rm", "--force", name);
    const open = { hidden: [], readOnly: [] };

    it("maps the working folder through its mounts, and ends whole trees", async () => {
      await begin(`--volume=${work}:/workspace`);
      await withDocker({ container: name }, async (executor) => {
        const { ok, detail } = await executor.check();
        assert.equal(ok, true, detail);
        const subfolder = { ...open, cwd: join(work, "sub") };
        assert.equal((await shell(executor, "pwd", subfolder)).stdout, "/workspace/sub\n");
        assert.doesNotMatch((await shell(executor, "env", open)).stdout, new RegExp(imageVariable));
        const stop = new AbortController();
        const heard = Promise.withResolvers<void>();
        const program = await executor.open(scope(open)).start({
          command: { shell: "setsid sleep 601 & echo up; wait" },
          timeoutMs: longMs,
          signal: stop.signal,
          onOutput: () => heard.resolve(),
        });
        await heard.promise;
        stop.abort();
        await program.ended;
        assert.equal((await shell(executor, countSleeping(601), open)).stdout.trim(), "0");
      });
      assert.match(
        await engine.call("inspect", "--format={{.State.Running}}", name),
        /true/,
        "it is not mom's to remove",
      );
      await end();
    });

    it("refuses sessions that it does not fit", async () => {
      await begin(`--volume=${work}:/workspace`);
      await withDocker({ container: name }, async (executor) => {
        await assert.rejects(shell(executor, "true"), { code: "SANDBOX_UNAVAILABLE", message: /state.*closed/ });
        const wide = { ...open, cwd: join(work, "sub"), roots: [join(work, "sub")] };
        await assert.rejects(shell(executor, "true", wide), { code: "SANDBOX_UNAVAILABLE", message: /more than/ });
        const elsewhere = { ...open, roots: [work, base] };
        await assert.rejects(shell(executor, "true", elsewhere), { code: "SANDBOX_UNAVAILABLE", hint: /-v / });
      });
      await end();
    });

    it("says when it does not run, or is not there", async () => {
      await begin(`--volume=${work}:/workspace`);
      await engine.call("stop", name);
      await withDocker({ container: name }, async (executor) => {
        assert.match((await executor.check()).hint ?? "", new RegExp(`start ${name}`));
        await assert.rejects(shell(executor, "true", open), { code: "SANDBOX_UNAVAILABLE", hint: /start/ });
        await end();
        assert.match((await executor.check()).hint ?? "", /run -d/);
      });
    });
  });

  it("pulls nothing: says which image is missing and how to get it", () =>
    withDocker({ image: "localhost/no-such-image:1" }, async (executor) => {
      const { ok, hint } = await executor.check();
      assert.equal(ok, false);
      assert.match(hint ?? "", /pull localhost\/no-such-image:1/);
      await assert.rejects(shell(executor, "true"), { code: "SANDBOX_UNAVAILABLE", hint: /pull/ });
      assert.deepEqual(await listContainers(), []);
    }));
}
