/** Commands beside a mom that runs in another process: they talk to her through the gateway, and she goes on when they end. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makeFolder, runMom, startMom } from "./mom.ts";

const limit = { timeout: 120_000 };

async function startOn(t: TestContext, cwd: string) {
  const mom = startMom(t, ["./data"], { cwd });
  await mom.until("out", /^mom ready http:\/\/127\.0\.0\.1:\d+\n/);
  return mom;
}

test("chat and agent join the conversation of the mom that runs", limit, async (t) => {
  const cwd = await makeFolder(t);
  const mom = await startOn(t, cwd);
  await writeFile(join(cwd, "notes.txt"), "milk");
  const told = await runMom(t, ["agent", "--message", "remember that the door code is 4711"], { cwd });
  assert.deepEqual([told.code, told.out, told.err], [0, "I will remember: the door code is 4711\n", ""]);
  const chat = await runMom(t, ["chat"], { cwd, input: "hello\nwhat is the door code?\n" });
  assert.equal(chat.code, 0);
  assert.match(chat.out, /^Hello![^\n]*\nFrom my memory: the door code is 4711\n$/);
  const attached = await runMom(t, ["agent", "--message", "read notes.txt", "--attach", "notes.txt", "--json"], {
    cwd,
  });
  const { sessionKey, state } = JSON.parse(attached.out);
  assert.deepEqual([sessionKey, state], ["agent:main:main", "done"]);

  const status = await runMom(t, ["gateway", "status", "--json"], { cwd });
  assert.equal(JSON.parse(status.out).pid, mom.child.pid);
  const link = await runMom(t, ["gateway", "link"], { cwd });
  assert.match(link.out, /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+\n$/);
  mom.child.kill("SIGTERM");
  assert.equal((await mom.ended).code, 0);
  const after = await runMom(t, ["gateway", "status"], { cwd });
  assert.deepEqual([after.code, /GATEWAY_NOT_RUNNING/.test(after.err)], [1, true]);
});

test("Ctrl-C ends the turn that mom agent waits for, and mom goes on", limit, async (t) => {
  const cwd = await makeFolder(t);
  const mom = await startOn(t, cwd);
  const agent = startMom(t, ["agent", "--message", "run `echo started > started; sleep 60`", "--json"], { cwd });
  while (!(await readFile(join(cwd, "data/workspace/started"), "utf8").catch(() => ""))) await setTimeout(20);
  agent.child.kill("SIGINT");
  const { code, out } = await agent.ended;
  assert.deepEqual([code, JSON.parse(out).state], [1, "stopped"]);
  const next = await runMom(t, ["agent", "--message", "hello"], { cwd });
  assert.equal(next.code, 0);
  assert.equal(mom.child.exitCode, null);
});

test("a chat goes on with the mom that comes after one that was killed", limit, async (t) => {
  const cwd = await makeFolder(t);
  const first = await startOn(t, cwd);
  const chat = startMom(t, ["chat"], { cwd });
  chat.say("remember that the bell is broken\n");
  await chat.until("out", /the bell is broken\n/);
  first.child.kill("SIGKILL");
  await first.ended;
  await chat.until("err", /connection to mom is lost/);
  chat.say("what is broken?\n");
  await startOn(t, cwd);
  await chat.until("out", /From my memory: [^\n]*\n/);
  chat.endInput();
  const { code, out } = await chat.ended;
  assert.equal(code, 0);
  assert.equal(out.split("From my memory").length, 2);
});
