/** `bash` with real programs: output, endings, what is kept in files, the background, and what it asks for. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { silentLog } from "../../../test/fakes/log.ts";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import { createSpillFiles } from "../kit/spill-file.ts";
import { createBackgroundRuns } from "./background-runs.ts";
import { createBashTool } from "./bash.ts";

async function open(t: TestContext) {
  const workspace = await createToolWorkspace(t);
  const spill = createSpillFiles(workspace.operations, "channels/c1/scratch", createKeyedQueue());
  const clock = createSystemClock();
  const registry = createBackgroundRuns({ clock, log: silentLog });
  t.after(() => registry.close());
  const runs = registry.of("agent:main:main" as SessionKey);
  const tool = createBashTool(workspace.operations, { clock, spill, runs, isConfined: false, hasNetwork: true });
  const updates: string[] = [];
  const bash = (command: string, timeout?: number, signal = new AbortController().signal) =>
    tool.execute("call", { command, ...(timeout === undefined ? {} : { timeout }) }, signal, (partial) =>
      updates.push(textOf(partial)),
    );
  return { workspace, bash, updates, tool, runs };
}

test("runs a command in the working folder, both streams in order", async (t) => {
  const { workspace, bash } = await open(t);
  const result = await bash("pwd; echo err >&2; echo out");
  assert.equal(textOf(result), `${workspace.dir}\nerr\nout\n`);
  assert.equal(result.details.exitCode, 0);
  assert.equal(textOf(await bash("true")), "(no output)");
});

test("fails with output and exit code", async (t) => {
  const { bash } = await open(t);
  await assert.rejects(bash("echo why; exit 7"), {
    code: "COMMAND_FAILED",
    message: /^why\n\n\nThe command failed: exit code 7\.$/,
  });
  await assert.rejects(bash("kill -9 $$"), { code: "COMMAND_FAILED", message: /ended by SIGKILL/ });
  await assert.rejects(bash("if ("), { code: "COMMAND_FAILED", message: /syntax error/ });
});

test("ends a command that takes too long, with what it said", async (t) => {
  const { bash } = await open(t);
  await assert.rejects(bash("echo started; sleep 600", 1), {
    code: "COMMAND_TIMED_OUT",
    message: /^started\n\n\nThe command was ended after 1 s/,
  });
});

test("stops when aborted", async (t) => {
  const { bash, updates } = await open(t);
  const stop = new AbortController();
  const run = bash("echo started; sleep 600", 60, stop.signal);
  while (updates.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(run, { code: "ABORTED", message: /^started/ });
});

test("shows the tail of long output and keeps all of it in a file", async (t) => {
  const { workspace, bash } = await open(t);
  const result = await bash("seq 1 3000");
  const text = textOf(result);
  assert.match(text, /^1001\n/);
  assert.match(
    text,
    /3000\n\n\[The last 2000 lines of 14 KB of output\. All of it is in channels\/c1\/scratch\/output-1\.log;/,
  );
  assert.equal(result.details.outputPath, "channels/c1/scratch/output-1.log");
  const kept = await workspace.get("channels/c1/scratch/output-1.log");
  assert.equal(kept.split("\n").length, 3001);
});

test("keeps no more than 10 MB in the file", async (t) => {
  const { workspace, bash } = await open(t);
  const text = textOf(await bash("seq 1 2000000"));
  assert.match(text, /The last 10 MB is in/);
  const kept = await workspace.operations.stat("channels/c1/scratch/output-1.log");
  assert.ok((kept?.size ?? 0) <= 10 * 1024 * 1024 && (kept?.size ?? 0) > 9 * 1024 * 1024);
});

test("uses the oldest file again when there are ten", async (t) => {
  const { operations } = await createToolWorkspace(t);
  const spill = createSpillFiles(operations, "scratch", createKeyedQueue());
  const paths = await Promise.all(Array.from({ length: 10 }, (_, i) => spill.save(`${i}`)));
  assert.equal(new Set(paths).size, 10);
  const again = await spill.save("new");
  assert.equal(Buffer.from(await operations.readFile(again)).toString(), "new");
  assert.equal((await operations.readdir("scratch")).length, 10);
});

test("shows output while it runs", async (t) => {
  const { bash, updates } = await open(t);
  await bash("for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 0.1; done");
  assert.match(updates[0] ?? "", /^tick 1/);
  assert.ok(updates.length <= 3, `throttled, but ${updates.length} updates`);
});

test("leaves a program running in the background, and ends it with the turn that is stopped", async (t) => {
  const { tool, runs } = await open(t);
  const stop = new AbortController();
  const params = { command: "sleep 600", background: true, timeout: 7200 };
  const { details, content } = await tool.execute("call", params, stop.signal, () => undefined);
  assert.match(textOf({ content }), /^Started b1; it is ended after 7200 s/);
  const run = runs.get(details.run ?? "");
  assert.ok(run.result === undefined, "it runs");
  stop.abort();
  while (runs.get("b1").result === undefined) await run.wait(1000, new AbortController().signal);
  assert.equal(runs.get("b1").result?.ended, "aborted");
});

test("does not wait longer than ten minutes", async (t) => {
  const { bash } = await open(t);
  await assert.rejects(bash("true", 601), { code: "COMMAND_TIMEOUT_TOO_LONG", hint: /background/ });
});

test("says which limit ended a command", async (t) => {
  const { workspace, bash } = await open(t);
  const { exec } = workspace.operations;
  workspace.operations.exec = async (request) => ({
    ...(await exec(request)),
    ended: "limit",
    detail: "512 MB of memory",
  });
  await assert.rejects(bash("echo part"), {
    code: "COMMAND_OVER_LIMIT",
    message: /^part\n\n\nThe command was ended: 512 MB of memory$/,
  });
});

test("asks for exactly what it will run, and acts on the world unless confined", async (t) => {
  const { workspace, tool } = await open(t);
  const command = "echo 'a  b'\n# ünï → \u202e\n\nIn /safe:\ntrue";
  assert.deepEqual(await tool.approvalSubject?.({ command }), {
    tool: "bash",
    text: `In ${workspace.dir}:\n${command}`,
    exact: { argv: ["bash", "-c", command], cwd: workspace.dir, env: {} },
  });
  assert.equal(tool.isOutward?.({ command }), true);
});
