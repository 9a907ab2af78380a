/** The terminal at the end of a pipe: a real adapter on fake streams. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createFakeTerminal } from "../../../test/fakes/terminal.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { createCliAdapter } from "./adapter.ts";
import type { CliConfig } from "./config.ts";

async function openPipe(context: TestContext, toolOutput: CliConfig["toolOutput"] = "summary") {
  const clock = createFakeClock();
  const waiting = new Map<string, () => void>();
  const terminal = createFakeTerminal({
    isInteractive: false,
    settled: (id) => new Promise((resolve) => waiting.set(id, resolve)),
  });
  const adapter = createCliAdapter({ name: "cli", clock, log: silentLog, terminal }, { type: "cli", toolOutput });
  const messages: ChannelMessage[] = [];
  adapter.onMessage(async (message) => void messages.push(message));
  await adapter.start();
  context.after(() => adapter.stop());
  const reply = async (text: string) => {
    const { id } = messages.at(-1) ?? assert.fail("no message yet");
    await adapter.sendMessage("terminal", { deliveryId: `${id}.0` as DeliveryId, text });
    waiting.get(id)?.();
    await clock.advance(0);
  };
  return { adapter, clock, terminal, messages, reply, settle: (id: string) => waiting.get(id)?.() };
}

test("each line is answered before the next one is offered", async (context) => {
  const pipe = await openPipe(context);
  pipe.terminal.type("a\nb\nlast without newline");
  pipe.terminal.endInput();
  await pipe.clock.advance(0);
  assert.deepEqual(
    pipe.messages.map((message) => message.text),
    ["a"],
  );
  await pipe.reply("**A**");
  assert.deepEqual(
    pipe.messages.map((message) => message.text),
    ["a", "b"],
  );
  await pipe.reply("B");
  await pipe.reply("C");
  await pipe.adapter.whenDone();
  assert.equal(pipe.terminal.written, "A\nB\nC\n");
  assert.equal(new Set(pipe.messages.map((message) => message.id)).size, 3);
});

test("is not done while the last reply is under way", async (context) => {
  const pipe = await openPipe(context);
  let isDone = false;
  void pipe.adapter.whenDone().then(() => {
    isDone = true;
  });
  pipe.terminal.type("a\n");
  pipe.terminal.endInput();
  await pipe.clock.advance(1_000);
  assert.equal(isDone, false);
  await pipe.reply("A");
  assert.equal(isDone, true);
});

test("an empty input is done at once", async (context) => {
  const pipe = await openPipe(context);
  pipe.terminal.endInput();
  await pipe.adapter.whenDone();
  assert.deepEqual(pipe.messages, []);
});

test("a line of ten megabytes is refused, and the next one answered", async (context) => {
  const pipe = await openPipe(context);
  for (let n = 0; n < 160; n++) pipe.terminal.type("x".repeat(65_536));
  pipe.terminal.type("\nok\n");
  await pipe.clock.advance(0);
  while (pipe.messages.length === 0) await pipe.clock.advance(0);
  assert.match(pipe.terminal.notes, /at most 1048576 bytes; this one was skipped/);
  assert.equal(pipe.messages[0]?.text, "ok");
});

test("control characters reach the message and never the output", async (context) => {
  const pipe = await openPipe(context);
  pipe.terminal.type("a\x1b[31mb\n");
  await pipe.clock.advance(0);
  assert.equal(pipe.messages[0]?.text, "a\x1b[31mb");
  await pipe.reply("you said a\x1b[31mb &#27;[2J");
  assert.equal(pipe.terminal.written, "you said ab \n");
});

test("notes and tool lines never mix with replies", async (context) => {
  const pipe = await openPipe(context, "full");
  const tool = { toolCallId: "c1", toolName: "bash", label: "bash: ls" };
  const turnId = "t1" as TurnId;
  await pipe.adapter.showEvent("terminal", turnId, { type: "tool_execution_start", ...tool, args: {} });
  await pipe.adapter.showEvent("terminal", turnId, {
    type: "tool_execution_end",
    ...tool,
    text: "",
    details: {},
    durationMs: 300,
    isError: false,
  });
  const deliveryId = "d1" as DeliveryId;
  await pipe.adapter.sendMessage("terminal", { deliveryId, text: "R", repeated: true });
  pipe.adapter.writeAbove("WARN careful");
  assert.equal(pipe.terminal.written, "R\n");
  assert.equal(
    pipe.terminal.notes,
    "→ bash: ls\n✓ bash: ls (0.3 s)\n(sent again after a restart; it may have appeared before)\nWARN careful\n",
  );
});

test("a reader that goes away ends the session quietly and the reply is kept", async (context) => {
  const pipe = await openPipe(context);
  pipe.terminal.breakOutput();
  const result = await pipe.adapter.sendMessage("terminal", { deliveryId: "d1" as DeliveryId, text: "x" });
  assert.equal(result.type, "retry");
  assert.equal(pipe.terminal.hasQuit, true);
  await pipe.adapter.whenDone();
});

test("a start that nobody listens to is refused", async () => {
  const terminal = createFakeTerminal({ isInteractive: false });
  const adapter = createCliAdapter(
    { name: "cli", clock: createFakeClock(), log: silentLog, terminal },
    { type: "cli", toolOutput: "off" },
  );
  await assert.rejects(adapter.start(), { code: "CHANNEL_NOT_WIRED" });
});
