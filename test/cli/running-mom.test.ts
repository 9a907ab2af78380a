/** A mom that runs, seen from outside: ready, asked about, written to by a second process, and stopped in order. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makeFolder, runMom, startMom } from "./mom.ts";

test("a running mom answers, is seen by status, delivers what is sent, answers others, and ends on SIGTERM", async (t) => {
  const cwd = await makeFolder(t);
  const mom = startMom(t, ["./data"], { cwd });
  await mom.until("out", /^mom ready http:\/\/127\.0\.0\.1:\d+\n/);
  mom.say("hello\n");
  await mom.until("out", /offline helper/);

  const [status, sent, second, sessions] = await Promise.all([
    runMom(t, ["status", "--json"], { cwd }),
    runMom(t, ["send", "--to", "terminal/terminal", "--message", "from outside"], { cwd }),
    runMom(t, ["agent", "--message", "hello"], { cwd }),
    runMom(t, ["sessions", "show", "agent:main:main"], { cwd }),
  ]);
  const { pid } = mom.child;
  assert.equal(JSON.parse(status.out).running.pid, pid);
  assert.equal(sent.out, `queued; the running mom (process ${pid}) delivers it\n`);
  await mom.until("out", /^from outside$/m);
  assert.equal(second.code, 0);
  assert.match(second.out, /offline helper/);
  assert.match(sessions.out, /hello[\s\S]*offline helper/);

  mom.child.kill("SIGTERM");
  const { code, err } = await mom.ended;
  assert.equal(code, 0);
  const lines = err
    .trim()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  assert.ok(lines.some(({ text, signal }) => text === "Asked to stop" && signal === "SIGTERM"));
  const log = await readFile(join(cwd, "data/state/logs/mom.log"), "utf8");
  assert.match(log, /A channel is down/);
  const after = await runMom(t, ["doctor", "--json", "--offline"], { cwd });
  assert.deepEqual(
    [after.code, JSON.parse(after.out).findings.filter(({ level }: { level: string }) => level !== "ok")],
    [0, []],
  );
});

test("Ctrl-C ends the turn that mom agent waits for, and it is not taken up again", async (t) => {
  const cwd = await makeFolder(t);
  const mom = startMom(t, ["agent", "--message", "run `echo started > started; sleep 60`", "--json"], { cwd });
  const log = join(cwd, "data/workspace/started");
  while (!(await readFile(log, "utf8").catch(() => ""))) await setTimeout(20);
  mom.child.kill("SIGINT");
  const { code, out } = await mom.ended;
  assert.equal(code, 1);
  assert.equal(JSON.parse(out).state, "stopped");
  const status = await runMom(t, ["status", "--json"], { cwd });
  const { turns } = JSON.parse(status.out);
  assert.deepEqual([turns.stopped, turns.running, turns.queued], [1, 0, 0]);
});

test("mom logs tail --follow goes on until it is interrupted", async (t) => {
  const cwd = await makeFolder(t);
  const mom = startMom(t, ["./data"], { cwd });
  await mom.until("out", /^mom ready http:\/\/127\.0\.0\.1:\d+\n/);
  const logs = startMom(t, ["logs", "tail", "--follow"], { cwd });
  await logs.until("out", /A channel is up/);
  mom.child.kill("SIGTERM");
  await logs.until("out", /A channel is down/);
  logs.child.kill("SIGINT");
  assert.equal((await logs.ended).code, 0);
  assert.equal((await mom.ended).code, 0);
});
