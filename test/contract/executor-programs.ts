/** The part of the executor contract about programs that run to their end, and about ending whole trees of them. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type ExecutorScene, secretValue } from "./executor-scene.ts";

export function programTests(scene: ExecutorScene): void {
  describe("programs", () => {
    it("gives output, exit code and ending of a program", async () => {
      const result = await scene.shell("echo out; echo err >&2; exit 3");
      assert.deepEqual(
        { ...result, durationMs: 0 },
        { exitCode: 3, stdout: "out\n", stderr: "err\n", ended: "exit", durationMs: 0 },
      );
    });

    it("passes arguments as they are, with no shell in between", async () => {
      const result = await scene.exec({ command: { argv: ["printf", "%s|", "$HOME", "a b", "; echo no", "*"] } });
      assert.equal(result.stdout, "$HOME|a b|; echo no|*|");
    });

    it("starts in the scope's folder, or in the one asked for", async () => {
      await mkdir(join(scene.work, "sub"));
      assert.equal((await scene.shell("pwd")).stdout, `${scene.work}\n`);
      assert.equal((await scene.shell("pwd", { cwd: "sub" })).stdout, `${scene.work}/sub\n`);
      await scene.refused(scene.shell("pwd", { cwd: scene.outside }));
    });

    it("closes standard input, after the input where there is one", async () => {
      assert.equal((await scene.shell("cat; echo end")).stdout, "end\n");
      const given = await scene.shell("cat; echo end", { input: "given\n" });
      assert.deepEqual([given.stdout, given.stderr], ["given\nend\n", ""]);
    });

    it("survives a program that does not read its input", async () => {
      assert.equal((await scene.shell("exec 0<&-; echo done", { input: "x".repeat(1_000_000) })).stdout, "done\n");
    });

    it("clears the environment to a short list, plus what the call adds", async () => {
      const { stdout } = await scene.shell("env", { env: { ADDED: "yes" } });
      const names = stdout.split("\n").map((line) => line.split("=")[0]);
      assert.ok(!stdout.includes(secretValue));
      for (const wanted of ["PATH", "ADDED"]) assert.ok(names.includes(wanted), `${wanted} is missing`);
      assert.match(stdout, /^TERM=dumb$/m);
    });

    it("finds ripgrep by its bare name", async () => {
      assert.match((await scene.exec({ command: { argv: ["rg", "--version"] } })).stdout, /^ripgrep/);
    });

    it("throws when the program cannot be started", async () => {
      await assert.rejects(scene.exec({ command: { argv: ["no-such-program-of-mom"] } }), { code: "EXEC_FAILED" });
      await assert.rejects(scene.exec({ command: { argv: ["echo", "a\0b"] } }), { code: "EXEC_INVALID" });
      await assert.rejects(scene.exec({ command: { argv: [] } }), { code: "EXEC_INVALID" });
    });

    it("keeps the last bytes of each stream and cuts no character in two", async () => {
      const result = await scene.shell("printf 'äöü%.0s' 1 2 3 4 5; printf ÄÖÜ >&2", { maxOutputBytes: 5 });
      assert.equal(result.stdout, "öü");
      assert.equal(result.stderr, "ÖÜ");
    });

    it("passes all output on as it comes, also what the result does not keep", async () => {
      let bytes = 0;
      const result = await scene.shell("head -c 3000000 /dev/zero | tr '\\0' x", {
        maxOutputBytes: 100,
        onOutput: (chunk) => {
          bytes += chunk.length;
        },
      });
      assert.equal(bytes, 3_000_000);
      assert.equal(result.stdout, "x".repeat(100));
    });

    it("rejects with what an output listener throws", async () => {
      const onOutput = () => {
        throw new Error("listener");
      };
      await assert.rejects(scene.shell("echo hi", { onOutput }), /listener/);
    });

    it("does not start when already aborted", async () => {
      const result = await scene.shell("touch started", { signal: AbortSignal.abort() });
      assert.equal(result.ended, "aborted");
      assert.equal(await scene.operations.stat("started"), undefined);
    });
  });
}

export function treeTests(scene: ExecutorScene): void {
  describe("process trees", () => {
    const { isHeld, holding, waitUntilHeld } = scene;
    const trees: Record<string, (file: string) => string> = {
      "a child": (file) => holding(file),
      "a child in the background": (file) => `${holding(file)} & wait`,
      "a grandchild in a session of its own": (file) => `setsid ${holding(file)} & wait`,
      "a double-forked daemon": (file) => `(setsid ${holding(file)} >/dev/null 2>&1 </dev/null &) ; sleep 600`,
      "a child that ignores the polite signal": (file) => `trap '' TERM; flock ${file} sh -c 'sleep 600; sleep 600'`,
      "a child with a wiped environment": (file) => `env -i ${holding(file)} & wait`,
    };
    for (const [what, build] of Object.entries(trees)) {
      it(`ends ${what} on abort`, async () => {
        await writeFile(join(scene.work, "lock"), "");
        const stop = new AbortController();
        const run = scene.shell(build("lock"), { signal: stop.signal });
        await waitUntilHeld("lock");
        stop.abort();
        assert.equal((await run).ended, "aborted");
        assert.equal(await isHeld("lock"), false);
      });
    }

    it("ends the tree when the time is over and keeps the output so far", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const result = await scene.shell(`echo before; (setsid ${holding("lock")} &); sleep 600`, { timeoutMs: 400 });
      assert.equal(result.ended, "timeout");
      assert.equal(result.exitCode, null);
      assert.equal(result.stdout, "before\n");
      assert.equal(await isHeld("lock"), false);
    });

    it("leaves nothing running when the program itself has ended", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const result = await scene.shell(`setsid ${holding("lock")} >/dev/null 2>&1 & sleep 0.1; echo done`);
      assert.equal(result.exitCode, 0);
      assert.equal(result.stdout, "done\n");
      assert.equal(await isHeld("lock"), false);
    });

    it("ends one run without touching another", async () => {
      for (const file of ["one", "two"]) await writeFile(join(scene.work, file), "");
      const stopOne = new AbortController();
      const stopTwo = new AbortController();
      const one = scene.shell(`setsid ${holding("one")} & wait`, { signal: stopOne.signal });
      const two = scene.shell(`setsid ${holding("two")} & wait`, { signal: stopTwo.signal });
      await waitUntilHeld("one");
      await waitUntilHeld("two");
      stopOne.abort();
      await one;
      assert.equal(await isHeld("two"), true);
      stopTwo.abort();
      await two;
    });

    it("ends everything on close and starts nothing afterwards", async () => {
      const closing = await scene.createExecutor(process.env);
      const own = closing.open(scene.scope());
      await writeFile(join(scene.work, "lock"), "");
      const run = scene.exec({ command: { shell: `(setsid ${holding("lock")} &); sleep 600` } }, own);
      await waitUntilHeld("lock");
      await closing.close();
      assert.equal((await run).ended, "aborted");
      assert.equal(await isHeld("lock"), false);
      await assert.rejects(scene.exec({ command: { shell: "true" } }, own), { code: "EXECUTOR_CLOSED" });
      await closing.close();
    });
  });
}
