/** The part of the executor contract about programs that go on beside the call that started them. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Operations, RunningProgram, StartRequest } from "../../src/contracts/sandbox.ts";
import type { ExecutorScene } from "./executor-scene.ts";

export function startTests(scene: ExecutorScene): void {
  describe("programs beside", () => {
    it("takes input as it comes and gives output as it comes", async () => {
      const { program, until } = await begin("cat");
      await program.write("one\n");
      await until("one\n");
      await program.write("two ü\n");
      await until("one\ntwo ü\n");
      program.closeInput();
      const { durationMs, ...result } = await program.ended;
      assert.deepEqual(result, { exitCode: 0, stdout: "", stderr: "", ended: "exit" });
      assert.ok(durationMs > 0);
    });

    it("keeps standard output and error apart, and tells the exit code", async () => {
      const heard = { stdout: "", stderr: "" };
      const onOutput: StartRequest["onOutput"] = (chunk, stream) => {
        heard[stream] += Buffer.from(chunk).toString();
      };
      const { program } = await begin("echo out; echo err >&2; exit 7", { onOutput });
      assert.equal((await program.ended).exitCode, 7);
      assert.deepEqual(heard, { stdout: "out\n", stderr: "err\n" });
    });

    it("comes back before the program has ended", async () => {
      const { program } = await begin("sleep 600");
      const first = await Promise.race([program.ended, Promise.resolve("runs")]);
      assert.equal(first, "runs");
      await program.kill();
    });

    it("ends the whole tree on kill, which may be called twice and after the end", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const { program } = await begin(`(setsid ${scene.holding("lock")} &); sleep 600`);
      await scene.waitUntilHeld("lock");
      await Promise.all([program.kill(), program.kill()]);
      assert.equal(await scene.isHeld("lock"), false);
      assert.equal((await program.ended).ended, "aborted");
      await program.kill();
    });

    it("ends the whole tree when the time is over", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const { program } = await begin(`setsid ${scene.holding("lock")} & wait`, { timeoutMs: 700 });
      const { ended, exitCode } = await program.ended;
      assert.deepEqual({ ended, exitCode }, { ended: "timeout", exitCode: null });
      assert.equal(await scene.isHeld("lock"), false);
    });

    it("ends the whole tree on abort, and starts nothing when already aborted", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const stop = new AbortController();
      const { program } = await begin(`setsid ${scene.holding("lock")} & wait`, { signal: stop.signal });
      await scene.waitUntilHeld("lock");
      stop.abort();
      assert.equal((await program.ended).ended, "aborted");
      assert.equal(await scene.isHeld("lock"), false);
      const late = await begin("touch started", { signal: stop.signal });
      assert.equal((await late.program.ended).ended, "aborted");
      assert.equal(await scene.operations.stat("started"), undefined);
    });

    it("ends them all when the executor is closed", async () => {
      await writeFile(join(scene.work, "lock"), "");
      const closing = await scene.createExecutor(process.env);
      const own = closing.open(scene.scope());
      const { program } = await begin(`setsid ${scene.holding("lock")} & wait`, {}, own);
      await scene.waitUntilHeld("lock");
      await closing.close();
      assert.equal((await program.ended).ended, "aborted");
      assert.equal(await scene.isHeld("lock"), false);
      await assert.rejects(begin("true", {}, own), { code: "EXECUTOR_CLOSED" });
    });

    it("takes input after the end, and input that nobody reads, without complaint", async () => {
      const { program } = await begin("exec 0<&-; sleep 0.1");
      await program.write("x".repeat(1_000_000));
      await program.ended;
      await program.write("late");
      program.closeInput();
    });

    it("throws when the program cannot be started", async () => {
      await assert.rejects(begin({ argv: ["no-such-program-of-mom"] }), { code: "EXEC_FAILED" });
      await assert.rejects(begin({ argv: ["echo", "a\0b"] }), { code: "EXEC_INVALID" });
      await scene.refused(begin("true", { cwd: scene.outside }));
    });

    it("goes on when a listener to its output fails", async () => {
      const onOutput = () => {
        throw new Error("listener");
      };
      const { program } = await begin("echo hi; exit 3", { onOutput });
      assert.equal((await program.ended).exitCode, 3);
    });
  });

  /** Starts a program and collects what it says; `until` waits for exactly that to have been said. */
  async function begin(
    command: string | StartRequest["command"],
    more: Partial<StartRequest> = {},
    on: Operations = scene.operations,
  ): Promise<{ program: RunningProgram; until(text: string): Promise<void> }> {
    let heard = "";
    let notify = () => {};
    const program = await on.start({
      command: typeof command === "string" ? { shell: command } : command,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      onOutput(chunk) {
        heard += Buffer.from(chunk).toString();
        notify();
      },
      ...more,
    });
    const until = async (text: string) => {
      while (heard !== text) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    };
    return { program, until };
  }
}
