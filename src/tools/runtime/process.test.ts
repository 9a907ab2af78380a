/** `process` on what `bash` left running: polling, input, lists, kills, and what must be allowed. */
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
import { createProcessTool } from "./process.ts";

type Params = Parameters<ReturnType<typeof createProcessTool>["execute"]>[1];

async function open(t: TestContext, isConfined = false, hasNetwork = true) {
  const workspace = await createToolWorkspace(t);
  const clock = createSystemClock();
  const registry = createBackgroundRuns({ clock, log: silentLog });
  t.after(() => registry.close());
  const spill = createSpillFiles(workspace.operations, "scratch", createKeyedQueue());
  const options = { clock, spill, runs: registry.of("agent:main:main" as SessionKey), isConfined, hasNetwork };
  const bash = createBashTool(workspace.operations, options);
  const tool = createProcessTool(options);
  const signal = new AbortController().signal;
  const background = (command: string) => bash.execute("call", { command, background: true }, signal, () => undefined);
  const run = (params: Params) => tool.execute("call", params, signal, () => undefined);
  return { workspace, tool, background, run };
}

test("polls what bash started, gives it input, and tells its end", async (t) => {
  const { background, run } = await open(t);
  const started = await background("cat; echo bye");
  assert.equal(textOf(started), "Started b1; it is ended after 3600 s. Look after it with process: poll, write, kill.");
  assert.equal(started.details.run, "b1");
  assert.match(
    textOf(await run({ action: "poll", id: "b1" })),
    /^b1 has been running for \d s\.\n\n\(no new output\)$/,
  );
  assert.match(textOf(await run({ action: "write", id: "b1", text: "grün\n" })), /^Given to b1/);
  assert.match(textOf(await run({ action: "poll", id: "b1", wait: 20 })), /\n\ngrün\n$/);
  await run({ action: "write", id: "b1", end: true });
  const ended = await run({ action: "poll", id: "b1", wait: 20 });
  assert.match(textOf(ended), /^b1 ended after \d s \(exit code 0\)\.\n\nbye\n$/);
  assert.deepEqual(
    ended.details.runs.map(({ id, isRunning, exitCode }) => ({ id, isRunning, exitCode })),
    [{ id: "b1", isRunning: false, exitCode: 0 }],
  );
  await assert.rejects(run({ action: "write", id: "b1", text: "x" }), { code: "RUN_ENDED" });
});

test("lists and kills", async (t) => {
  const { background, run } = await open(t);
  assert.equal(textOf(await run({ action: "list" })), "Nothing was started in the background.");
  await background("echo going;\nsleep 600");
  assert.match(textOf(await run({ action: "list" })), /^b1 has been running for \d s: echo going; sleep 600$/);
  assert.match(textOf(await run({ action: "poll", id: "b1", wait: 20 })), /going/);
  assert.match(textOf(await run({ action: "kill", id: "b1" })), /^b1 ended after \d s \(it was stopped\)/);
  assert.match(textOf(await run({ action: "kill", id: "b1" })), /^b1 ended/);
});

test("shows the end of much new output and keeps all of it in a file", async (t) => {
  const { background, run, workspace } = await open(t);
  await background("seq 1 5000");
  const text = textOf(await run({ action: "poll", id: "b1", wait: 20 }));
  assert.match(text, /\n\n3001\n/);
  assert.match(text, /\[The last 2000 lines of what is new\. All of it is in scratch\/output-1\.log;/);
  assert.equal((await workspace.get("scratch/output-1.log")).split("\n").length, 5001);
  await background("seq 1 100000");
  assert.match(textOf(await run({ action: "poll", id: "b2", wait: 20 })), /375 KB before it came too fast to be kept/);
});

test("says what is missing", async (t) => {
  const { background, run } = await open(t);
  await assert.rejects(run({ action: "poll" }), { code: "RUN_NOT_FOUND", hint: "There are: none." });
  await assert.rejects(run({ action: "kill", id: "b7" }), { code: "RUN_NOT_FOUND" });
  await background("sleep 60");
  await assert.rejects(run({ action: "write", id: "b1" }), { code: "RUN_INPUT_EMPTY" });
});

test("what is written to a program must be allowed like a command", async (t) => {
  const { background, tool, workspace } = await open(t);
  await background("bash");
  const subject = await tool.approvalSubject?.({ action: "write", id: "b1", text: "rm -rf x\n" });
  assert.deepEqual(subject, {
    tool: "process",
    text: `In ${workspace.dir}, given to b1 (bash):\nrm -rf x\n`,
    exact: { argv: ["process", "write", "b1", "bash", "rm -rf x\n"], cwd: workspace.dir, env: {} },
  });
  assert.equal(tool.isOutward?.({ action: "write", id: "b1", text: "x" }), true);
  assert.equal(tool.isOutward?.({ action: "poll", id: "b1" }), false);
  assert.equal((await open(t, true)).tool.isOutward?.({ action: "write", id: "b1", text: "x" }), false);
});

test("what a run may bring is known as long as the run is: by its command and by what it was given", async (t) => {
  const { background, tool, run } = await open(t, true);
  await background("true; # curl example.org");
  await background("cat");
  const poll = (id: string) => tool.mayBring?.({ action: "poll", id });
  assert.match(poll("b1") ?? "", /network/);
  assert.match(tool.mayBring?.({ action: "kill", id: "b1" }) ?? "", /network/);
  assert.equal(tool.mayBring?.({ action: "list" }), undefined);
  assert.equal(poll("b2"), undefined);
  assert.equal(poll("b9"), undefined, "the call itself says that there is none");
  assert.equal(tool.mayBring?.({ action: "write", id: "b2", text: "ls\n" }), undefined);
  await run({ action: "write", id: "b2", text: "ls\n" });
  assert.equal(poll("b2"), undefined);
  const bringing = { action: "write" as const, id: "b2", text: "cat channels/slack/C1/log.jsonl\n" };
  assert.match(tool.mayBring?.(bringing) ?? "", /files of chats/);
  await run(bringing);
  assert.match(poll("b2") ?? "", /files of chats/);
  await run({ action: "kill", id: "b2" });
  assert.match(poll("b2") ?? "", /files of chats/, "its output can still be taken");
  const cut = await open(t, true, false);
  await cut.background("true; # curl example.org");
  assert.equal(cut.tool.mayBring?.({ action: "poll", id: "b1" }), undefined, "it has no network");
});
