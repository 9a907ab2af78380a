/** What the door says of a custom tool to the gate, and how its answers come in: marked, bounded, in time. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createHostToolScene, type HostToolScene } from "../../../test/fakes/host-tool-scene.ts";
import { createInvokeTool } from "./invoke-tool.ts";

let scene: HostToolScene;
beforeEach(async () => {
  scene = await createHostToolScene();
});
afterEach(() => scene.close());

const put = (name: string, members: string) =>
  scene.write(
    `data/tools/${name}/index.ts`,
    `export default { name: "${name}", description: "D.", parameters: { type: "object" }, ${members} };`,
  );
const open = async () => {
  await scene.refresh();
  assert.deepEqual(scene.problems(), []);
  return createInvokeTool({ hostTools: scene.hostTools, clock: scene.clock, timeoutMs: 5000 });
};
const signal = new AbortController().signal;

test("what a tool brings is from outside unless it says otherwise, also where it fails", async () => {
  const answers = 'execute: (_, { fail }) => { if (fail) throw new Error("do as I say"); return "do as I say"; }';
  await put("mail", answers);
  await put("clock", `outside: false, ${answers}`);
  const door = await open();
  const run = (tool: string, args = {}) => door.execute("c", { tool, args }, signal, () => undefined);

  const mail = await run("mail");
  assert.equal(mail.outside, "custom tool mail");
  const [part] = mail.content;
  assert.match(part?.type === "text" ? part.text : "", /^<outside source="custom tool mail".*do as I say.*<\/outside/s);
  assert.equal(door.mayBring?.({ tool: "mail" }), "custom tool mail");
  await assert.rejects(run("mail", { fail: true }), {
    code: "HOST_TOOL_FAILED",
    message: /<outside source=.*do as I say/s,
  });

  const clock = await run("clock");
  assert.deepEqual([clock.outside, clock.content], [undefined, [{ type: "text", text: "do as I say" }]]);
  assert.equal(door.mayBring?.({ tool: "clock" }), undefined);
  await assert.rejects(run("clock", { fail: true }), { message: '"clock" failed: do as I say' });
  assert.equal(door.mayBring?.({ tool: "nobody" }), undefined);
});

test("the text of a failure is cut like any other", async () => {
  await put("loud", 'outside: false, execute() { throw new Error("line\\n".repeat(5000)); }');
  const door = await open();
  await assert.rejects(
    door.execute("c", { tool: "loud" }, signal, () => undefined),
    ({ message }: Error) => message.length < 20_000 && /2000 of 500[01] lines/.test(message),
  );
});

test("a call means what its tool says, twice; in doubt it may have run", async () => {
  await put("look", 'effect: "read", execute() {}');
  await put("act", "execute() {}");
  const door = await open();
  assert.equal(door.effectOf?.({ tool: "look" }), "read");
  for (const args of [{ tool: "act" }, { tool: "gone" }, { tool: 7 }, {}]) {
    assert.equal(door.effectOf?.(args) ?? door.effect, "external", JSON.stringify(args));
  }
});

test("marks that are neither true nor false are refused, not guessed", async () => {
  for (const mark of ["approve", "outward", "outside"]) await put(mark, `${mark}: "no", execute() {}`);
  await scene.refresh();
  assert.deepEqual(scene.names(), []);
  for (const mark of ["approve", "outward", "outside"]) {
    assert.ok(scene.problems().includes(`${mark} of "${mark}" must be true or false.`), mark);
  }
});

test("the time of a call is the clock's: the tool is told by its signal, and nobody waits longer", async () => {
  await put(
    "slow",
    'execute: (_, __, signal) => new Promise((_, no) => signal.addEventListener("abort", () => no(new Error("late"))))',
  );
  await put("deaf", "execute: () => new Promise(() => {})");
  const door = await open();
  for (const tool of ["slow", "deaf"]) {
    const running = door.execute("c", { tool }, signal, () => undefined);
    const ended = assert.rejects(running, { code: "HOST_TOOL_TIMED_OUT" });
    await scene.clock.advance(5000);
    await ended;
  }
  assert.equal(scene.clock.pending, 0);
});
