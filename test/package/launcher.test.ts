/** bin/mom.js in front of a stand-in for the program: the right Node, the same signals, the same end. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, type TestContext, test } from "node:test";
import { findOldNode } from "./old-node.ts";

const repo = join(import.meta.dirname, "..", "..");
const root = mkdtempSync(join(tmpdir(), "mom-launcher-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A package folder with the launcher, and `program` as its dist/main.js; the package `node` hoisted beside it. */
function buildPackage(t: TestContext, options: { program?: string; hasNode?: boolean }): string {
  const folder = mkdtempSync(join(root, `${t.name.replace(/\W+/g, "-").slice(0, 20)}-`));
  const home = join(folder, "node_modules", "mom");
  mkdirSync(join(home, "dist"), { recursive: true });
  cpSync(join(repo, "bin"), join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "package.json"), '{"version":"9.8.7","type":"module"}');
  if (options.program !== undefined) writeFileSync(join(home, "dist", "main.js"), options.program);
  if (options.hasNode !== false) symlinkSync(join(repo, "node_modules/node"), join(folder, "node_modules", "node"));
  return join(home, "bin", "mom.js");
}

function start(node: string, bin: string, ...args: string[]): ChildProcess {
  return spawn(node, [bin, ...args], { stdio: ["pipe", "pipe", "pipe"] });
}

async function readAll(child: ChildProcess) {
  const text = { out: "", err: "" };
  child.stdout?.on("data", (data) => {
    text.out += data;
  });
  child.stderr?.on("data", (data) => {
    text.err += data;
  });
  const [code, signal] = await once(child, "close");
  return { ...text, code, signal };
}

/** Says its pid, waits, and reports the signals that it gets. */
const patient = `
setInterval(() => undefined, 1e6);
process.on("SIGTERM", () => { process.stdout.write("got SIGTERM\\n"); process.exit(7); });
process.stdout.write(process.pid + "\\n");
`;

async function readPid(child: ChildProcess): Promise<number> {
  const [data] = await once(child.stdout ?? assert.fail(), "data");
  return Number(String(data));
}

const old = findOldNode();
const nodes = [
  { label: "Node 24", path: process.execPath, skip: false },
  { label: "an older Node", path: old.path ?? "", skip: old.skip },
] as const;

for (const { label, path, skip } of nodes) {
  describe(`on ${label}`, { skip, timeout: 20_000 }, () => {
    test("the program runs on Node 24 with the arguments, the input and the exit code", async (t) => {
      const program = `
        let input = "";
        for await (const data of process.stdin) input += data;
        console.log(JSON.stringify([parseInt(process.versions.node) >= 24, process.argv.slice(2), input]));
        process.exitCode = 3;`;
      const child = start(path, buildPackage(t, { program }), "a b", "--c");
      child.stdin?.end("typed");
      const { out, err, code } = await readAll(child);
      assert.deepEqual([JSON.parse(out), err, code], [[true, ["a b", "--c"], "typed"], "", 3]);
    });

    test("the version needs neither program nor Node 24", async (t) => {
      const { out, code } = await readAll(start(path, buildPackage(t, { hasNode: false }), "--version"));
      assert.deepEqual([out, code], ["9.8.7\n", 0]);
    });

    test("a signal reaches the program, and its exit code comes back", async (t) => {
      const child = start(path, buildPackage(t, { program: patient }));
      await readPid(child);
      const ended = readAll(child);
      child.kill("SIGTERM");
      const { out, code } = await ended;
      assert.deepEqual([out, code], ["got SIGTERM\n", 7]);
    });

    test("a program that dies of a signal takes the launcher with it", async (t) => {
      const child = start(path, buildPackage(t, { program: patient }));
      const pid = await readPid(child);
      const ended = readAll(child);
      process.kill(pid, "SIGKILL");
      assert.equal((await ended).signal, "SIGKILL");
    });

    test("a missing build is said, with the fix", async (t) => {
      const { err, code } = await readAll(start(path, buildPackage(t, {})));
      assert.equal(code, 1);
      assert.match(err, /^mom: .*main\.js is missing\.\n {2}fix: .*npm run build/);
    });
  });
}

describe("an older Node alone", { skip: old.skip, timeout: 20_000 }, () => {
  test("says what is missing and the fix when mom's own Node is not there", async (t) => {
    const bin = buildPackage(t, { program: patient, hasNode: false });
    const { err, code } = await readAll(start(old.path ?? "", bin));
    assert.equal(code, 1);
    assert.match(err, /^mom: mom needs Node 24 or newer; this is v\d+.*\n {2}fix: .*npm rebuild node/);
  });

  test("a launcher that is killed does not leave the program behind", async (t) => {
    const orphaned = `process.once("disconnect", () => { process.stdout.write("orphaned\\n"); process.exit(); });`;
    const child = start(old.path ?? "", buildPackage(t, { program: patient + orphaned }));
    await readPid(child);
    const ended = readAll(child);
    child.kill("SIGKILL");
    assert.equal((await ended).out, "orphaned\n");
  });
});
