/** Scripts of the operator's, run for real on the host: what they are told, what they may refuse, and that they hold up nobody. */
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createRecordingLog, silentLog } from "../../../test/fakes/log.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { HookEvent } from "../../contracts/hook.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import { createHostExecutor, loadPrograms } from "../../sandbox/index.ts";
import { type HookScript, hooksConfig } from "./config.ts";
import { createHooks } from "./lifecycle.ts";

const before: Extract<HookEvent, { type: "tool:before" }> = {
  type: "tool:before",
  sessionKey: "agent:main:main",
  turnId: "t1",
  tool: "bash",
  args: { command: "rm -rf /" },
};
const received = (text: string): HookEvent => ({
  type: "message:received",
  adapter: "slack",
  channelId: "C1",
  messageId: "m",
  senderId: "U1",
  text,
  turnId: "t1",
  sessionKey: "agent:main:main",
});
const { signal } = new AbortController();

async function openScene(context: TestContext) {
  const folder = await createTempFolder(context);
  const log = createRecordingLog();
  const executor = createHostExecutor({
    clock: createSystemClock(),
    log: silentLog,
    programs: await loadPrograms(),
    environment: process.env,
  });
  context.after(() => executor.close());
  const { exec } = executor.open({ cwd: folder.dir, roots: ["/"], hidden: [] });
  const workspace = join(folder.dir, "workspace");
  await mkdir(workspace);
  const putScript = async (name: string, lines: string) => {
    const path = await folder.put(name, `#!/bin/sh\n${lines}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const begin = (scripts: unknown[], run: Operations["exec"] = exec) => {
    const parsed: HookScript[] = hooksConfig.parse({ scripts }).scripts;
    const hooks = createHooks({ exec: run, log, agentFolders: () => [workspace] }, () => parsed);
    context.after(() => hooks.close());
    return hooks;
  };
  return { ...folder, workspace, log, putScript, begin };
}

test("a script before a tool gets the call as JSON and lets it go with 0, refuses it with 2 and a reason", async (context) => {
  const { dir, putScript, begin } = await openScene(context);
  const look = await putScript("look.sh", `cat > ${dir}/seen.json`);
  const refuse = await putScript("refuse.sh", 'echo; echo "not on a Friday"; echo more; exit 2');
  const on = ["tool:before"];
  assert.deepEqual(await begin([{ on, run: [look] }]).askTool(before, signal), { type: "go" });
  assert.deepEqual(JSON.parse(await readFile(join(dir, "seen.json"), "utf8")), before);
  assert.deepEqual(
    await begin([
      { on, run: [look] },
      { on, run: [refuse, "x"] },
    ]).askTool(before, signal),
    {
      type: "refused",
      reason: "not on a Friday",
    },
  );
  const elsewhere = begin([{ on: ["tool:after"], run: [refuse] }]);
  assert.deepEqual(await elsewhere.askTool(before, signal), { type: "go" });
  assert.deepEqual([elsewhere.isHeard("tool:before"), elsewhere.isHeard("tool:after")], [false, true]);
});

test("a script that fails, hangs or is not there is passed over, and refuses where it is required", async (context) => {
  const { dir, putScript, begin, log } = await openScene(context);
  const runs = {
    fails: await putScript("fails.sh", "echo why >&2; exit 1"),
    hangs: await putScript("hangs.sh", "sleep 60"),
    missing: join(dir, "missing.sh"),
  };
  for (const [name, path] of Object.entries(runs)) {
    const script = { on: ["tool:before"], run: [path], timeoutSeconds: 1 };
    assert.deepEqual(await begin([script]).askTool(before, signal), { type: "go" }, name);
    const required = await begin([{ ...script, required: true }]).askTool(before, signal);
    assert.equal(required.type, "refused", name);
  }
  const reasons = log.lines.map(({ fields }) => String(fields["reason"]));
  assert.match(reasons.join("\n"), /it ended with 1: why[\s\S]*longer than 1 s[\s\S]*not a program that is there/);
});

test("nothing that agents can write is run: neither the program, nor a link to it, nor a file it is given", async (context) => {
  const { dir, workspace, putScript, begin } = await openScene(context);
  const inside = await putScript("workspace/in.sh", `touch ${dir}/ran; exit 0`);
  const link = join(dir, "link.sh");
  await symlink(inside, link);
  const outside = await putScript("out.sh", "exit 0");
  const linkInside = join(workspace, "link.sh");
  await symlink(outside, linkInside);
  for (const run of [[inside], [link], [linkInside], ["/bin/sh", inside], ["/bin/sh", link]]) {
    const hooks = begin([{ on: ["tool:before"], run, required: true }]);
    assert.equal((await hooks.askTool(before, signal)).type, "refused", run.join(" "));
  }
  await assert.rejects(readFile(join(dir, "ran")), { code: "ENOENT" });
  const allowed = begin([{ on: ["tool:before"], run: [outside, workspace], required: true }]);
  assert.deepEqual(await allowed.askTool(before, signal), { type: "go" }, "a folder is no program");
  assert.equal(hooksConfig.safeParse({ scripts: [{ on: ["compaction"], run: ["in.sh"] }] }).success, false);
});

test("telling never waits, keeps the order, cuts long text, and drops what is too much with a count", async (context) => {
  const { putScript, begin, log } = await openScene(context);
  const path = await putScript("slow.sh", "exit 0");
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const result: ExecResult = { exitCode: 0, stdout: "", stderr: "", ended: "exit", durationMs: 1 };
  const allTold = Promise.withResolvers<void>();
  const exec: Operations["exec"] = async ({ input = "" }) => {
    await gate.promise;
    told.push(JSON.parse(input).text);
    if (told.length === 101) allTold.resolve();
    return result;
  };
  const hooks = begin([{ on: ["message:received"], run: [path] }], exec);
  hooks.tell(received("x".repeat(50_000)));
  // The first is under way, a hundred wait, the others are too many.
  await new Promise((resolve) => setImmediate(resolve));
  for (let n = 1; n <= 130; n++) hooks.tell(received(String(n)));
  hooks.tell({ type: "compaction", sessionKey: "s", turnId: "t" });
  gate.resolve();
  await allTold.promise;
  assert.equal(told[0]?.length, 16_001);
  assert.deepEqual(
    told.slice(1),
    Array.from({ length: 100 }, (_, n) => String(n + 1)),
  );
  await hooks.close();
  const dropped = log.lines.find(({ text }) => text.includes("too slow"));
  assert.equal(dropped?.fields["dropped"], 30);
});

test("a script that is told runs for real, and one that keeps failing is reported once", async (context) => {
  const { dir, putScript, begin, log } = await openScene(context);
  const path = await putScript("tell.sh", `cat >> ${dir}/told.jsonl; exit 1`);
  const hooks = begin([{ on: ["message:received"], run: [path] }]);
  for (const text of ["a", "b", "c"]) hooks.tell(received(text));
  const clock = createSystemClock();
  const readTold = async () => (await readFile(join(dir, "told.jsonl"), "utf8").catch(() => "")).trim().split("\n");
  for (const end = clock.now() + 20_000; (await readTold()).length < 3; ) {
    assert.ok(clock.now() < end, "not told in time");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await hooks.close();
  assert.deepEqual(
    (await readTold()).map((line) => JSON.parse(line).text),
    ["a", "b", "c"],
  );
  assert.equal(log.lines.filter(({ text }) => text === "A hook's script failed").length, 1);
});

test("a stopped turn ends the script that it waits for, and the tool does not run", async (context) => {
  const { putScript, begin } = await openScene(context);
  const path = await putScript("hangs.sh", "sleep 60");
  const stop = new AbortController();
  const asked = begin([{ on: ["tool:before"], run: [path], timeoutSeconds: 60 }]).askTool(before, stop.signal);
  setImmediate(() => stop.abort());
  assert.equal((await asked).type, "refused");
});

test("a call that is too large to be shown is passed over, and refused where the script is required", async (context) => {
  const { putScript, begin } = await openScene(context);
  const path = await putScript("ok.sh", "cat > /dev/null");
  const large = { ...before, args: { text: "x".repeat(1024 * 1024) } };
  const script = { on: ["tool:before"], run: [path] };
  assert.equal((await begin([script]).askTool(large, signal)).type, "go");
  assert.equal((await begin([{ ...script, required: true }]).askTool(large, signal)).type, "refused");
});
