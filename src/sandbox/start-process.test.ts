import assert from "node:assert/strict";
import { fstatSync, openSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createSystemClock } from "../base/clock.ts";
import type { Greeting } from "./greeting.ts";
import { type ProcessStart, startProcess } from "./start-process.ts";

const clock = createSystemClock();
const environment = { PATH: process.env["PATH"] ?? "" };

/** Starts a shell line and collects its output. */
async function begin(line: string, more: Partial<ProcessStart> = {}) {
  const heard = { stdout: "", stderr: "" };
  const program = await startProcess(
    {
      argv: ["sh", "-c", line],
      env: environment,
      cwd: "/",
      mark: "test",
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onOutput(chunk, stream) {
        heard[stream] += Buffer.from(chunk).toString();
      },
      ...more,
    },
    clock,
  );
  return { program, heard };
}

const isOpen = (fd: number) => {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
};

describe("descriptors", () => {
  it("become 3 and 4 of the child and are closed here, whether it starts or not", async (test) => {
    const dir = await mkdtemp(join(tmpdir(), "mom-start-"));
    test.after(() => rm(dir, { recursive: true }));
    const openFile = (name: string) => {
      writeFileSync(join(dir, name), `${name}\n`);
      return openSync(join(dir, name), "r");
    };
    const fds = [openFile("three"), openFile("four")];
    const { program, heard } = await begin("cat <&3; cat <&4", { fds });
    await program.ended;
    assert.equal(heard.stdout, "three\nfour\n");
    assert.deepEqual(fds.map(isOpen), [false, false]);

    for (const more of [{ signal: AbortSignal.abort() }, { argv: ["no-such-program-of-mom"] }, { argv: [] }]) {
      const fd = openFile("unused");
      await begin("true", { ...more, fds: [fd] }).catch(() => undefined);
      assert.equal(isOpen(fd), false);
    }
  });
});

describe("limits", () => {
  it("end the tree when the watch says so, with its sentence", async () => {
    let watched = 0;
    let isStopped = false;
    const { program } = await begin("sleep 600", {
      watch: (pid) => {
        watched = pid;
        const stop = () => {
          isStopped = true;
        };
        return { ended: Promise.resolve("Too much"), stop };
      },
    });
    const { ended, detail, exitCode } = await program.ended;
    assert.deepEqual({ ended, detail, exitCode }, { ended: "limit", detail: "Too much", exitCode: null });
    assert.throws(() => process.kill(watched, 0), { code: "ESRCH" });
    assert.equal(isStopped, true);
  });

  it("are found afterwards too", async () => {
    const { program } = await begin("exit 9", { cleanUp: async (code) => `It ended with ${code}` });
    const { ended, detail, exitCode } = await program.ended;
    assert.deepEqual({ ended, detail, exitCode }, { ended: "limit", detail: "It ended with 9", exitCode: 9 });
  });
});

describe("greetings", () => {
  const greet = (more: Partial<Greeting> = {}): Greeting => ({
    prefix: "hello:",
    hear: () => undefined,
    toError: (noise) => new Error(`no greeting but ${noise}`),
    ...more,
  });

  it("are taken out of the output with all that came before", async () => {
    const heardRest: string[] = [];
    const greeting = greet({ hear: (rest) => void heardRest.push(rest) });
    const { program, heard } = await begin("echo noise >&2; echo hello:42 >&2; echo own >&2; echo out", { greeting });
    assert.deepEqual(heardRest, ["42"], "it has come when the start comes back");
    await program.ended;
    assert.deepEqual(heard, { stdout: "out\n", stderr: "own\n" });
  });

  it("make the start fail when they do not come, or say so", async () => {
    await assert.rejects(begin("echo broken >&2; exit 1", { greeting: greet() }), /no greeting but broken/);
    const refusing = greet({
      hear: () => {
        throw new Error("refused");
      },
    });
    await assert.rejects(begin("echo hello:no >&2; sleep 600", { greeting: refusing }), /refused/);
  });

  it("do not keep an abort waiting for ever", async () => {
    const stop = new AbortController();
    const waiting = begin("sleep 0.3; exit 0", { greeting: greet(), signal: stop.signal });
    stop.abort();
    assert.equal((await (await waiting).program.ended).ended, "aborted");
  });
});

describe("what is released", () => {
  it("is released once, however it ends", async () => {
    const cases: [string, Partial<ProcessStart>][] = [
      ["exit 3", {}],
      ["true", { signal: AbortSignal.abort() }],
      ["true", { argv: ["no-such-program-of-mom"] }],
      ["true", { argv: [] }],
      ["true", { cleanUp: () => Promise.reject(new Error("not cleaned up")) }],
    ];
    for (const [line, more] of cases) {
      let count = 0;
      const started = await begin(line, { ...more, release: () => void count++ }).catch(() => undefined);
      await started?.program.ended;
      assert.equal(count, 1, JSON.stringify(more));
    }
  });

  it("cleans up with the exit code, or with none when it was ended", async () => {
    const codes: (number | null)[] = [];
    const cleanUp = async (code: number | null) => {
      codes.push(code);
      return undefined;
    };
    await (await begin("exit 5", { cleanUp })).program.ended;
    await (await begin("sleep 600", { cleanUp })).program.kill();
    assert.deepEqual(codes, [5, null]);
  });
});

it("refuses NUL bytes in the environment as in the command", async () => {
  await assert.rejects(begin("true", { env: { A: "a\0b" } }), { code: "EXEC_INVALID" });
});
