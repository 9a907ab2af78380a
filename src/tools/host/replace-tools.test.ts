/** A tool that is replaced while mom works: no call reaches one that was stopped, no turn waits for one that hangs. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createHostToolScene, type HostToolScene, plainTool } from "../../../test/fakes/host-tool-scene.ts";
import type { KnownTool } from "./host-tools.ts";

let scene: HostToolScene;
let told: KnownTool[][];
beforeEach(async () => {
  told = [];
  Reflect.set(globalThis, "momTest", {});
  scene = await createHostToolScene({ onChange: async (tools) => void told.push([...tools]) });
});
afterEach(async () => {
  await scene.close();
  Reflect.deleteProperty(globalThis, "momTest");
});

const put = (name: string, text: string) => scene.write(`data/tools/${name}/index.ts`, text);
/** The tool's own hooks hand themselves over to the test through this. */
const shared = (): Record<string, () => void> => Reflect.get(globalThis, "momTest");
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};
const waiting = (hook: string) => `${hook}: () => new Promise((done) => { globalThis.momTest.${hook} = done; })`;

test("no call reaches a tool while it is stopped and the next one started; both ways it is served again", async () => {
  await put("t", plainTool("t", "one", waiting("onStop")));
  await scene.refresh();
  assert.equal(await scene.invoke("t"), "one");

  await put("t", plainTool("t", "two", waiting("onStart")));
  const replacing = scene.refresh();
  await until(() => "onStop" in shared());
  const gone = { code: "HOST_TOOL_GONE", message: /is being replaced/, retryable: true };
  await assert.rejects(scene.invoke("t"), gone);
  assert.deepEqual(scene.names(), ["t"], "it stays in the list");
  shared()["onStop"]?.();
  await until(() => "onStart" in shared());
  await assert.rejects(scene.invoke("t"), gone);
  shared()["onStart"]?.();
  await replacing;
  assert.equal(await scene.invoke("t"), "two");
});

test("the one before comes back when the next does not start", async () => {
  const counting = "onStart() { globalThis.momTest.starts = (globalThis.momTest.starts ?? 0) + 1; }";
  await put("t", plainTool("t", "one", counting));
  await scene.refresh();
  await put("t", plainTool("t", "two", 'onStart() { throw new Error("port in use"); }'));
  await scene.refresh();
  assert.match(scene.problems()[0] ?? "", /port in use/);
  assert.equal(await scene.invoke("t"), "one");
  assert.equal(shared()["starts"], 2);
});

test("one that can be started neither anew nor again is gone, and says so", async () => {
  await put(
    "t",
    plainTool(
      "t",
      "one",
      'onStart() { if (globalThis.momTest.was) throw new Error("only once"); globalThis.momTest.was = true; }',
    ),
  );
  await scene.refresh();
  await put("t", plainTool("t", "two", 'onStart() { throw new Error("port in use"); }'));
  await scene.refresh();
  assert.deepEqual(scene.names(), []);
  assert.match(scene.problems()[0] ?? "", /port in use.*only once/);
});

test("a turn waits two seconds at most for what hangs while it loads, and the one before serves meanwhile", async () => {
  await put("t", plainTool("t", "one"));
  await scene.hostTools.start();
  await put("t", `await new Promise((done) => { globalThis.momTest.go = done; });\n${plainTool("t", "two")}`);
  await scene.clock.advance(1001);
  const turn = scene.hostTools.refresh();
  await until(() => "go" in shared());
  await scene.clock.advance(2000);
  await turn;
  assert.equal(await scene.invoke("t"), "one");
  // The next turn does not wait once more.
  await scene.clock.advance(1001);
  await scene.hostTools.refresh();
  assert.equal(await scene.invoke("t"), "one");
  shared()["go"]?.();
  await scene.hostTools.start();
  assert.equal(await scene.invoke("t"), "two");
});

test("the start waits to the end", async () => {
  await put("t", plainTool("t", "one", waiting("onStart")));
  let isStarted = false;
  const starting = scene.hostTools.start().then(() => {
    isStarted = true;
  });
  await until(() => "onStart" in shared());
  await scene.clock.advance(5000);
  assert.equal(isStarted, false);
  shared()["onStart"]?.();
  await starting;
  assert.deepEqual(scene.names(), ["t"]);
});

test("whoever keeps the list is told whenever it changes, and only then", async () => {
  await scene.refresh();
  assert.deepEqual(told, [[]], "the first look counts: what was kept may be of long ago");
  await put("t", plainTool("t", "one"));
  await scene.refresh();
  await scene.refresh();
  const tool = { name: "t", description: "Says it.", path: join(scene.dataDir, "tools/t") };
  assert.deepEqual(told.slice(1), [[tool]]);
  await rm(tool.path, { recursive: true });
  await scene.refresh();
  assert.deepEqual(told.slice(2), [[]]);
});
