/** A newcomer's first minutes, in a script: no key, no account, only the replies on stdout. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder, runMom } from "./mom.ts";

test("echo hello | mom chat prints the reply and ends; what was remembered is known to the next one", async (t) => {
  const cwd = await makeFolder(t);
  const input = "hello\nlist the files here\nremember that the door code is 4711\n";
  const first = await runMom(t, ["chat"], { cwd, input });
  assert.equal(first.code, 0);
  assert.match(
    first.out,
    /^Hello! I am mom's built-in offline helper\. .*\nThis folder contains:\n[\s\S]*README\.md[\s\S]*I will remember: the door code is 4711\n$/,
  );
  // The last line has no newline, and counts all the same.
  const second = await runMom(t, ["chat", "--data", "data"], { cwd, input: "what is the door code?" });
  assert.deepEqual([second.code, second.out], [0, "From my memory: the door code is 4711\n"]);
  // Warnings go there, and a busy machine is worth one.
  for (const { err } of [first, second]) assert.doesNotMatch(err, /INFO|ERROR|mom:/);
  const log = await readFile(join(cwd, "data/workspace/channels/terminal/terminal/log.jsonl"), "utf8");
  assert.equal(log.trim().split("\n").length, 8);
});

test("a post that was queued is delivered at the next start, before the answer", async (t) => {
  const cwd = await makeFolder(t);
  await mkdir(join(cwd, "data"));
  await writeFile(join(cwd, "data/config.json"), '{ adapters: { terminal: { type: "cli" } } }');
  const sent = await runMom(t, ["send", "--to", "terminal/terminal", "--message", "-"], {
    cwd,
    input: "**Lunch** is ready\n",
  });
  assert.equal(sent.out, "queued; no mom is running there, so it will be delivered at the next start\n");
  assert.match(sent.err, /there has been no chat "terminal" on terminal yet/);
  const next = await runMom(t, ["data"], { cwd, input: "hello" });
  assert.equal(next.code, 0);
  const lines = next.out.trim().split("\n");
  assert.deepEqual(lines.filter((line) => /^mom ready http:\/\/127\.0\.0\.1:\d+$/.test(line)).length, 1);
  assert.ok(lines.includes("Lunch is ready"));
  assert.match(lines.at(-1) ?? "", /^Hello!/);
});

test("a config without adapters starts nothing and names the fix", async (t) => {
  const cwd = await makeFolder(t);
  await writeFile(join(cwd, "config.json"), "{}");
  const { code, out, err } = await runMom(t, ["."], { cwd });
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /has no adapters[\s\S]*fix: .*mom config set adapters\.terminal\.type cli[\s\S]*NO_ADAPTERS/);
});
