/**
 * What every executor must do, whatever confines it. Run on the host executor here; bwrap and docker pass the same suite.
 * Real files, real programs, real time: the waits are for conditions, bounded by the test runner.
 */
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { ExecRequest, Executor, Operations } from "../../src/contracts/sandbox.ts";

const secretName = "MOM_TEST_API_KEY";

/** `createExecutor` gets the host environment to start from; it holds a key that programs must never see. */
export function executorContract(
  name: string,
  createExecutor: (environment: Record<string, string | undefined>) => Promise<Executor>,
): void {
  describe(`executor contract: ${name}`, { timeout: 60_000 }, () => {
    let base: string;
    let work: string;
    let outside: string;
    let executor: Executor;
    let operations: Operations;
    before(async () => {
      base = await realpath(await mkdtemp(join(tmpdir(), "mom-executor-")));
      executor = await createExecutor({ ...process.env, [secretName]: "sk-secret" });
    });
    after(async () => {
      await executor.close();
      await rm(base, { recursive: true, force: true });
    });
    beforeEach(async () => {
      const folder = await mkdtemp(join(base, "case-"));
      work = join(folder, "work");
      outside = join(folder, "outside");
      await mkdir(join(work, "state"), { recursive: true });
      await mkdir(outside);
      await writeFile(join(outside, "secret.txt"), "outside");
      await writeFile(join(work, "state", "auth.json"), "hidden");
      operations = executor.open({ cwd: work, roots: [work], hidden: [join(work, "state")] });
    });

    const exec = (request: Partial<ExecRequest> & Pick<ExecRequest, "command">, on = operations) =>
      on.exec({ timeoutMs: 30_000, maxOutputBytes: 65_536, signal: new AbortController().signal, ...request });
    const shell = (line: string, more: Partial<ExecRequest> = {}) => exec({ command: { shell: line }, ...more });
    const refused = (action: Promise<unknown>) => assert.rejects(action, { code: "PATH_REFUSED" });

    it("says that it can run here", async () => {
      const { ok, detail } = await executor.check();
      assert.equal(ok, true, detail);
    });

    describe("programs", () => {
      it("gives output, exit code and ending of a program", async () => {
        const result = await shell("echo out; echo err >&2; exit 3");
        assert.deepEqual(
          { ...result, durationMs: 0 },
          { exitCode: 3, stdout: "out\n", stderr: "err\n", ended: "exit", durationMs: 0 },
        );
      });

      it("passes arguments as they are, with no shell in between", async () => {
        const result = await exec({ command: { argv: ["printf", "%s|", "$HOME", "a b", "; echo no", "*"] } });
        assert.equal(result.stdout, "$HOME|a b|; echo no|*|");
      });

      it("starts in the scope's folder, or in the one asked for", async () => {
        await mkdir(join(work, "sub"));
        assert.equal((await shell("pwd")).stdout, `${work}\n`);
        assert.equal((await shell("pwd", { cwd: "sub" })).stdout, `${work}/sub\n`);
        await refused(shell("pwd", { cwd: outside }));
      });

      it("closes standard input, after the input where there is one", async () => {
        assert.equal((await shell("cat; echo end")).stdout, "end\n");
        const given = await shell("cat; echo end", { input: "given\n" });
        assert.deepEqual([given.stdout, given.stderr], ["given\nend\n", ""]);
      });

      it("survives a program that does not read its input", async () => {
        assert.equal((await shell("exec 0<&-; echo done", { input: "x".repeat(1_000_000) })).stdout, "done\n");
      });

      it("clears the environment to a short list, plus what the call adds", async () => {
        const { stdout } = await shell("env", { env: { ADDED: "yes" } });
        const names = stdout.split("\n").map((line) => line.split("=")[0]);
        assert.ok(!stdout.includes("sk-secret"));
        for (const wanted of ["PATH", "ADDED"]) assert.ok(names.includes(wanted), `${wanted} is missing`);
        assert.match(stdout, /^TERM=dumb$/m);
      });

      it("finds ripgrep by its bare name", async () => {
        assert.match((await exec({ command: { argv: ["rg", "--version"] } })).stdout, /^ripgrep/);
      });

      it("throws when the program cannot be started", async () => {
        await assert.rejects(exec({ command: { argv: ["no-such-program-of-mom"] } }), { code: "EXEC_FAILED" });
        await assert.rejects(exec({ command: { argv: ["echo", "a\0b"] } }), { code: "EXEC_INVALID" });
        await assert.rejects(exec({ command: { argv: [] } }), { code: "EXEC_INVALID" });
      });

      it("keeps the last bytes of each stream and cuts no character in two", async () => {
        const result = await shell("printf 'äöü%.0s' 1 2 3 4 5; printf ÄÖÜ >&2", { maxOutputBytes: 5 });
        assert.equal(result.stdout, "öü");
        assert.equal(result.stderr, "ÖÜ");
      });

      it("passes all output on as it comes, also what the result does not keep", async () => {
        let bytes = 0;
        const result = await shell("head -c 3000000 /dev/zero | tr '\\0' x", {
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
        await assert.rejects(shell("echo hi", { onOutput }), /listener/);
      });

      it("does not start when already aborted", async () => {
        const result = await shell("touch started", { signal: AbortSignal.abort() });
        assert.equal(result.ended, "aborted");
        assert.equal(await operations.stat("started"), undefined);
      });
    });

    describe("process trees", () => {
      /** Each process holds the lock on a file for as long as it lives: free locks prove that all are gone. */
      const isHeld = async (file: string) => {
        const probe = await shell(`flock --nonblock ${file} true`);
        return probe.exitCode !== 0;
      };
      const holding = (file: string) => `flock ${file} sleep 600`;
      const trees: Record<string, (file: string) => string> = {
        "a child": (file) => holding(file),
        "a child in the background": (file) => `${holding(file)} & wait`,
        "a grandchild in a session of its own": (file) => `setsid ${holding(file)} & wait`,
        "a double-forked daemon": (file) => `(setsid ${holding(file)} >/dev/null 2>&1 </dev/null &) ; sleep 600`,
        "a child that ignores the polite signal": (file) => `trap '' TERM; flock ${file} sh -c 'sleep 600; sleep 600'`,
        "a child with a wiped environment": (file) => `env -i ${holding(file)} & wait`,
      };
      const waitUntilHeld = async (file: string) => {
        while (!(await isHeld(file))) await new Promise((resolve) => setImmediate(resolve));
      };
      for (const [what, build] of Object.entries(trees)) {
        it(`ends ${what} on abort`, async () => {
          await writeFile(join(work, "lock"), "");
          const stop = new AbortController();
          const run = shell(build("lock"), { signal: stop.signal });
          await waitUntilHeld("lock");
          stop.abort();
          assert.equal((await run).ended, "aborted");
          assert.equal(await isHeld("lock"), false);
        });
      }

      it("ends the tree when the time is over and keeps the output so far", async () => {
        await writeFile(join(work, "lock"), "");
        const result = await shell(`echo before; (setsid ${holding("lock")} &); sleep 600`, { timeoutMs: 400 });
        assert.equal(result.ended, "timeout");
        assert.equal(result.exitCode, null);
        assert.equal(result.stdout, "before\n");
        assert.equal(await isHeld("lock"), false);
      });

      it("leaves nothing running when the program itself has ended", async () => {
        await writeFile(join(work, "lock"), "");
        const result = await shell(`setsid ${holding("lock")} >/dev/null 2>&1 & sleep 0.1; echo done`);
        assert.equal(result.exitCode, 0);
        assert.equal(result.stdout, "done\n");
        assert.equal(await isHeld("lock"), false);
      });

      it("ends one run without touching another", async () => {
        for (const file of ["one", "two"]) await writeFile(join(work, file), "");
        const stopOne = new AbortController();
        const stopTwo = new AbortController();
        const one = shell(`setsid ${holding("one")} & wait`, { signal: stopOne.signal });
        const two = shell(`setsid ${holding("two")} & wait`, { signal: stopTwo.signal });
        await waitUntilHeld("one");
        await waitUntilHeld("two");
        stopOne.abort();
        await one;
        assert.equal(await isHeld("two"), true);
        stopTwo.abort();
        await two;
      });

      it("ends everything on close and starts nothing afterwards", async () => {
        const closing = await createExecutor(process.env);
        const own = closing.open({ cwd: work, roots: [work], hidden: [] });
        await writeFile(join(work, "lock"), "");
        const run = exec({ command: { shell: `(setsid ${holding("lock")} &); sleep 600` } }, own);
        await waitUntilHeld("lock");
        await closing.close();
        assert.equal((await run).ended, "aborted");
        assert.equal(await isHeld("lock"), false);
        await assert.rejects(exec({ command: { shell: "true" } }, own), { code: "EXECUTOR_CLOSED" });
        await closing.close();
      });
    });

    describe("paths", () => {
      it("resolves relative and absolute paths, existing or not", async () => {
        assert.equal(await operations.resolve("."), work);
        assert.equal(await operations.resolve("a/../b/new.txt"), join(work, "b/new.txt"));
        assert.equal(await operations.resolve(join(work, "x")), join(work, "x"));
      });

      it("refuses what lies outside, however it is written", async () => {
        for (const path of [
          "..",
          "../outside/secret.txt",
          `${outside}/secret.txt`,
          "/etc/passwd",
          "a/../../outside",
          `${work}-x`,
        ]) {
          await refused(operations.resolve(path));
          await refused(operations.readFile(path));
          await refused(operations.writeFile(path, "x"));
          await refused(operations.mkdir(path));
          await refused(operations.readdir(path));
          await refused(operations.stat(path));
          assert.equal(await operations.access(path, "read"), false);
        }
        assert.equal(await readFile(join(outside, "secret.txt"), "utf8"), "outside");
      });

      it("refuses to leave through links: to a file, a folder, a chain, and to nothing yet", async () => {
        await symlink(join(outside, "secret.txt"), join(work, "file"));
        await symlink(outside, join(work, "folder"));
        await symlink("folder", join(work, "chain"));
        await symlink(join(outside, "new.txt"), join(work, "dangling"));
        await symlink(join(work, "dangling"), join(work, "dangling-chain"));
        for (const path of [
          "file",
          "folder/secret.txt",
          "chain/secret.txt",
          "dangling",
          "dangling-chain",
          "folder/new/x",
        ]) {
          await refused(operations.readFile(path));
          await refused(operations.writeFile(path, "x"));
        }
        await refused(operations.glob("*", { root: "folder", limit: 10, signal: new AbortController().signal }));
        await assert.rejects(stat(join(outside, "new.txt")), { code: "ENOENT" });
      });

      it("follows links that stay inside", async () => {
        await writeFile(join(work, "real.txt"), "inside");
        await symlink("real.txt", join(work, "alias.txt"));
        assert.equal(Buffer.from(await operations.readFile("alias.txt")).toString(), "inside");
        await operations.writeFile("alias.txt", "changed");
        assert.equal(await readFile(join(work, "real.txt"), "utf8"), "changed");
      });

      it("refuses what is hidden inside a root, also through links, and shows it nowhere", async () => {
        await symlink("state", join(work, "way-in"));
        for (const path of ["state", "state/auth.json", "way-in/auth.json", "state/new.json"]) {
          await refused(operations.readFile(path));
          await refused(operations.writeFile(path, "x"));
        }
        assert.deepEqual(await operations.hidden(), executor.mode === "host" ? [join(work, "state")] : []);
        const names = (await operations.readdir(".")).map((item) => item.name);
        assert.ok(!names.includes("state"));
        const found = await operations.glob("**/*", { root: ".", limit: 10, signal: new AbortController().signal });
        assert.ok(!found.includes("state/auth.json"));
      });

      it("refuses paths that are none", async () => {
        await symlink("loop", join(work, "loop"));
        for (const path of ["", "a\0b", "loop"]) {
          await assert.rejects(operations.resolve(path), { code: "PATH_INVALID" });
        }
      });
    });

    describe("files", () => {
      it("writes bytes as they are, making folders", async () => {
        await operations.writeFile("deep/er/text.txt", "\uFEFFa\r\nb\n");
        assert.equal(await readFile(join(work, "deep/er/text.txt"), "utf8"), "\uFEFFa\r\nb\n");
        await operations.writeFile("bytes", new Uint8Array([0, 255, 128]));
        assert.deepEqual([...(await operations.readFile("bytes"))], [0, 255, 128]);
      });

      it("replaces a file in one step and keeps its mode", async () => {
        await writeFile(join(work, "script.sh"), "old");
        await chmod(join(work, "script.sh"), 0o775);
        await operations.writeFile("script.sh", "new");
        assert.equal((await stat(join(work, "script.sh"))).mode & 0o777, 0o775);
        assert.deepEqual(
          (await operations.readdir(".")).map((item) => item.name),
          ["script.sh"],
        );
      });

      it("reads a part of a file, also beyond its end", async () => {
        await writeFile(join(work, "text"), "0123456789");
        const part = async (offset: number, maxBytes: number) =>
          Buffer.from(await operations.readFile("text", { offset, maxBytes })).toString();
        assert.equal(await part(2, 3), "234");
        assert.equal(await part(8, 100), "89");
        assert.equal(await part(50, 5), "");
      });

      it("tells files, folders and nothing apart", async () => {
        await writeFile(join(work, "f"), "12345");
        assert.equal((await operations.stat("f"))?.type, "file");
        assert.equal((await operations.stat("f"))?.size, 5);
        assert.equal((await operations.stat("."))?.type, "folder");
        assert.equal(await operations.stat("missing"), undefined);
        assert.equal(await operations.stat("f/below"), undefined);
        assert.equal(await operations.access("f", "read"), true);
        assert.equal(await operations.access("missing", "read"), false);
      });

      it("refuses to read or replace what is not a regular file, without hanging", async () => {
        await shell("mkfifo pipe");
        await operations.mkdir("folder/below");
        for (const path of ["pipe", "folder"]) {
          await assert.rejects(operations.readFile(path), { code: "FILE_NOT_REGULAR" });
          await assert.rejects(operations.writeFile(path, "x"), { code: "FILE_NOT_REGULAR" });
        }
        await assert.rejects(operations.readFile("missing"), { code: "FILE_NOT_FOUND" });
        await assert.rejects(operations.readdir("missing"), { code: "FILE_NOT_FOUND" });
      });

      it("lists a folder with types", async () => {
        await writeFile(join(work, "f"), "");
        await operations.mkdir("d");
        await symlink("f", join(work, "l"));
        const items = (await operations.readdir(".")).sort((a, b) => a.name.localeCompare(b.name));
        assert.deepEqual(items, [
          { name: "d", type: "folder" },
          { name: "f", type: "file" },
          { name: "l", type: "link" },
        ]);
      });

      it("tells images by their content", async () => {
        await writeFile(join(work, "a.txt"), Buffer.from("89504e470d0a1a0a0000", "hex"));
        await writeFile(join(work, "b.png"), "not an image");
        await writeFile(join(work, "c"), "RIFF0000WEBPVP8 ");
        assert.equal(await operations.imageType("a.txt"), "image/png");
        assert.equal(await operations.imageType("b.png"), undefined);
        assert.equal(await operations.imageType("c"), "image/webp");
      });
    });

    describe("glob", () => {
      const glob = (pattern: string, limit = 100, root = ".") =>
        operations.glob(pattern, { root, limit, signal: new AbortController().signal });
      beforeEach(async () => {
        for (const path of [
          "a.ts",
          "src/b.ts",
          "src/deep/c.ts",
          "src/d.md",
          "logs/x.log",
          ".config/e.ts",
          "-dash.ts",
        ]) {
          await operations.writeFile(path, "");
        }
        await operations.writeFile(".gitignore", "*.log\n");
      });

      it("finds files by pattern, in order, relative to the root", async () => {
        assert.deepEqual(await glob("*.ts"), ["-dash.ts", ".config/e.ts", "a.ts", "src/b.ts", "src/deep/c.ts"]);
        assert.deepEqual(await glob("src/*.ts"), ["src/b.ts"]);
        assert.deepEqual(await glob("**/*.{ts,md}", 100, "src"), ["b.ts", "d.md", "deep/c.ts"]);
      });

      it("respects ignore files whatever the pattern", async () => {
        assert.deepEqual(await glob("*.log"), []);
        assert.ok(!(await glob("**")).includes("logs/x.log"));
      });

      it("stops at the limit, takes patterns for patterns only, and refuses a root that is not there", async () => {
        assert.deepEqual(await glob("*.ts", 2), ["-dash.ts", ".config/e.ts"]);
        assert.deepEqual(await glob("--pre=touch"), []);
        await assert.rejects(glob("*", 10, "missing"));
      });

      it("ends soon after an abort", async () => {
        await assert.rejects(operations.glob("*", { root: ".", limit: 10, signal: AbortSignal.abort() }), {
          code: "ABORTED",
        });
      });
    });
  });
}
