/**
 * Real attacks on a real bwrap sandbox, as root and as an ordinary user. Every one is made twice: it must fail, and it
 * must succeed when its guard alone is taken out, so that no row can pass by accident.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { lstat, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { neutralise } from "../../src/channels/kit/neutralise.ts";
import type { ExecResult } from "../../src/contracts/sandbox.ts";
import { type ProgramAttack, programAttacks } from "./program-attacks.ts";
import {
  createSandbox,
  createScene,
  findReasonToSkip,
  isRoot,
  runShell,
  type Weakening,
  weakenScope,
} from "./scene.ts";
import { buildSwapper, type SessionAttack, sessionAttacks, writableChats } from "./session-attacks.ts";
import { createFileTools, type ToolAttack, toolAttacks } from "./tool-attacks.ts";

const skip = (await findReasonToSkip()) ?? false;
const who = isRoot ? "root" : "an ordinary user";

async function open(test: TestContext, as: ProgramAttack["as"], weakenings: Weakening[]) {
  const scene = await createScene();
  test.after(scene.close);
  const executor = await createSandbox(scene, weakenings);
  test.after(() => executor.close());
  return { scene, operations: executor.open(weakenScope(scene[as], scene, weakenings)) };
}

async function tryProgram(test: TestContext, attack: ProgramAttack, weakenings: Weakening[]): Promise<boolean> {
  const { scene, operations } = await open(test, attack.as, weakenings);
  const result = await runShell(operations, attack.line(scene)).catch(toRefusal);
  test.diagnostic(JSON.stringify({ ...result, stdout: result.stdout.slice(-300), stderr: result.stderr.slice(-300) }));
  return attack.succeeded(result, scene);
}

/** A program that was not even started. */
const toRefusal = (error: unknown): ExecResult => ({
  exitCode: null,
  stdout: "",
  stderr: `refused: ${String(error)}`,
  ended: "exit",
  durationMs: 0,
});

async function trySession(test: TestContext, attack: SessionAttack, weakenings: Weakening[]): Promise<boolean> {
  const scene = await createScene();
  test.after(scene.close);
  const executor = await createSandbox(scene, weakenings);
  test.after(() => executor.close());
  const openAs = (as: "group" | "other" | "main") => executor.open(weakenScope(scene[as], scene, weakenings));
  const laid = await runShell(openAs("main"), attack.lay(scene));
  assert.equal(laid.exitCode, 0, laid.stderr);
  const operations = openAs(attack.against);
  const answer = await attack.attempt(operations, scene).catch((error: unknown) => `refused: ${String(error)}`);
  test.diagnostic(answer.slice(-300));
  return attack.succeeded(answer, scene);
}

async function tryTool(test: TestContext, attack: ToolAttack, weakenings: Weakening[]): Promise<boolean> {
  const { scene, operations } = await open(test, attack.as, weakenings);
  const tools = createFileTools(operations);
  test.after(tools.close);
  const answer = await attack.attempt(tools, scene).catch((error: unknown) => `refused: ${String(error)}`);
  test.diagnostic(answer.slice(-300));
  return attack.succeeded(answer, scene);
}

const options = { skip, concurrency: 4, timeout: 120_000 };

describe(`programs in the sandbox of ${who}`, options, () => {
  for (const attack of programAttacks) {
    const given = attack.given === undefined ? [] : [attack.given];
    it(`${attack.name}: stopped, for ${attack.guard}`, async (test) => {
      assert.equal(await tryProgram(test, attack, given), false);
    });
    it(`${attack.name}: would work otherwise`, async (test) => {
      assert.equal(await tryProgram(test, attack, [...given, attack.without]), true);
    });
  }
});

describe(`file tools in the sandbox of ${who}`, options, () => {
  for (const attack of toolAttacks) {
    it(`${attack.name}: stopped, for ${attack.guard}`, async (test) => {
      assert.equal(await tryTool(test, attack, []), false);
    });
    it(`${attack.name}: would work otherwise`, async (test) => {
      assert.equal(await tryTool(test, attack, [attack.without]), true);
    });
  }
});

describe(`one session against another, with mom as ${who}`, options, () => {
  for (const attack of sessionAttacks) {
    const given = attack.given === undefined ? [] : [attack.given];
    it(`${attack.name}: stopped, for ${attack.guard}`, async (test) => {
      assert.equal(await trySession(test, attack, given), false);
    });
    it(`${attack.name}: would work otherwise`, async (test) => {
      assert.equal(await trySession(test, attack, [...given, attack.without]), true);
    });
  }

  it("a program that goes on swapping a group's folder for a link never gets another one shown", async (test) => {
    const scene = await createScene();
    test.after(scene.close);
    const executor = await createSandbox(scene, [writableChats]);
    test.after(() => executor.close());
    const { signal } = new AbortController();
    const swapper = await executor.open(weakenScope(scene.main, scene, [writableChats])).start({
      command: { shell: buildSwapper("channels/slack/C2", scene.vaultDir) },
      timeoutMs: 60_000,
      signal,
      onOutput: () => undefined,
    });
    const isLink = async () => (await lstat(scene.otherDir)).isSymbolicLink();
    for (const wanted of [true, false, true]) while ((await isLink()) !== wanted);
    const operations = executor.open(scene.other);
    const outcomes: string[] = [];
    for (let start = 0; start < 12; start++) {
      const { stdout, stderr } = await runShell(operations, "cat key").catch(toRefusal);
      outcomes.push(stderr.trim());
      const listed = await operations.glob("*", { root: ".", limit: 10, signal }).catch((): string[] => []);
      const read = await operations.readFile("key").catch(() => "refused");
      assert.deepEqual([stdout, listed.includes("key"), read], ["", false, "refused"]);
    }
    test.diagnostic(outcomes.join("\n"));
    await swapper.kill();
  });

  it("the owner's programs still write in the workspace and in the chat that he speaks in", async (test) => {
    const { operations, scene } = await open(test, "main", []);
    const line = `echo a >new && echo b >${scene.channelDir}/new && cat channels/slack/C2/log.jsonl && echo written`;
    assert.match((await runShell(operations, line)).stdout, /written/);
  });

  it("programs hold nothing that the sandbox was built from", async (test) => {
    const { operations } = await open(test, "main", []);
    const { stdout } = await runShell(operations, "for fd in {3..40}; do [ ! -e /proc/self/fd/$fd ] || echo $fd; done");
    assert.equal(stdout, "");
  });
});

describe(`traps for mom of ${who}`, options, () => {
  it("a pipe in the workspace does not hang a read; a plain read would hang", async (test) => {
    const { scene, operations } = await open(test, "group", []);
    await runShell(operations, "mkfifo trap");
    await assert.rejects(operations.readFile("trap"), { code: "FILE_NOT_REGULAR" });
    const plain = readFile(`${scene.channelDir}/trap`, "utf8");
    // Nobody writes to it until the program below does, so the plain read can only end through that.
    assert.equal((await runShell(operations, "echo late >trap")).exitCode, 0);
    assert.equal(await plain, "late\n");
  });

  it("the pipe, or a device, is no way to an outside one", async (test) => {
    const { operations } = await open(test, "group", []);
    const { stdout } = await runShell(operations, "mknod disk b 254 0 && echo made; cat /dev/vda /dev/mem; echo end");
    assert.equal(stdout, "end\n");
  });

  it("terminal escapes come through as they are, and are taken out before they are shown", async (test) => {
    const { operations } = await open(test, "group", []);
    const { stdout } = await runShell(operations, String.raw`printf 'a\033]52;c;aGk=\007b\033[2Jc\233 31md'`);
    assert.ok(stdout.includes("\x1b]52"));
    assert.doesNotMatch(neutralise(stdout), /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    assert.match(neutralise(stdout), /^abc/);
  });
});

/** Can anybody get to the checkout? */
async function isReachable(path: string): Promise<boolean> {
  for (let folder = path; folder !== "/"; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Called nobody nearly everywhere; some programs want their user to have a name. */
const ordinaryUid = 65_534;
const self = fileURLToPath(import.meta.url);
const canRunAgain = isRoot && (await isReachable(dirname(self)));
const reason = isRoot ? "the checkout lies where no other user can read it" : "this is the ordinary user's run";

it("the same, started by an ordinary user", { skip: canRunAgain ? skip : reason, timeout: 240_000 }, async () => {
  const child = spawn(process.execPath, ["--test-reporter=tap", self], {
    cwd: "/",
    // Else it would take itself for a part of this run and report there.
    env: { PATH: process.env["PATH"], HOME: "/tmp" },
    uid: ordinaryUid,
    gid: ordinaryUid,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  // Each with what the test said about it.
  assert.deepEqual(output.match(/^ *not ok.*\n(?:.*\n){0,20}/gm) ?? [], []);
  assert.match(output, /^# pass [1-9]\d+$/m);
  assert.match(output, /^# skipped 1$/m);
});
