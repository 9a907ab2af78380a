/** The chat UI as a person sees it: a real adapter on a fake terminal, looked at through its screen. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../../test/fakes/clock.ts";
import { silentLog } from "../../../../test/fakes/log.ts";
import { createFakeTerminal, type FakeTerminalOptions } from "../../../../test/fakes/terminal.ts";
import type { AgentSessionEvent } from "../../../contracts/agent.ts";
import type { DeliveryId, TurnId } from "../../../contracts/ids.ts";
import type { ChannelMessage } from "../../../contracts/message.ts";
import type { Usage } from "../../../contracts/model.ts";
import { createCliAdapter } from "../adapter.ts";
import type { CliConfig } from "../config.ts";

const usage: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const turnId = "t1" as TurnId;
const deliveryId = "t1.0" as DeliveryId;

async function openChat(
  context: TestContext,
  options: Partial<FakeTerminalOptions> & { toolOutput?: CliConfig["toolOutput"] } = {},
) {
  const clock = createFakeClock();
  const waiting = new Map<string, () => void>();
  const terminal = createFakeTerminal({
    isInteractive: true,
    columns: 40,
    rows: 20,
    settled: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    ...options,
  });
  const adapter = createCliAdapter(
    { name: "cli", clock, log: silentLog, terminal },
    { type: "cli", toolOutput: options.toolOutput ?? "summary" },
  );
  const messages: ChannelMessage[] = [];
  const stops: string[] = [];
  adapter.onMessage(async (message) => void messages.push(message));
  adapter.onStop(async (channelId, senderId) => void stops.push(`${channelId}/${senderId}`));
  await adapter.start();
  context.after(() => adapter.stop());
  return {
    adapter,
    clock,
    terminal,
    messages,
    stops,
    settle: () => {
      for (const resolve of waiting.values()) resolve();
    },
    press: async (keys: string) => {
      terminal.type(keys);
      await clock.advance(60);
    },
    show: async (...events: AgentSessionEvent[]) => {
      for (const event of events) await adapter.showEvent("terminal", turnId, event);
      await clock.advance(60);
    },
    deliver: (text: string, extra: { repeated?: true; turnId?: TurnId; isAside?: true } = { turnId }) =>
      adapter.sendMessage("terminal", { deliveryId, text, ...extra }),
    screen: () => terminal.lines().join("\n"),
  };
}

const start: AgentSessionEvent = { type: "agent_start", model: "offline/echo", resumed: false };
const end: AgentSessionEvent = { type: "agent_end", stopReason: "stop" };
const say = (delta: string): AgentSessionEvent => ({ type: "text_delta", delta });
const said = (text: string, hasToolCalls = false): AgentSessionEvent => ({
  type: "message_end",
  text,
  hasToolCalls,
  usage,
});
const tool = { toolCallId: "c1", toolName: "bash", label: "bash: ls" };
const count = (text: string, part: string) => text.split(part).length - 1;

test("what is entered becomes a message and stays in sight", async (context) => {
  const chat = await openChat(context, { banner: "mom 1.0" });
  await chat.press("hello 你好\r");
  const [message] = chat.messages;
  assert.equal(message?.text, "hello 你好");
  assert.equal(message?.sender.username, "ann");
  assert.match(chat.screen(), /^mom 1\.0\n\n❯ hello 你好\n\n⠋ 0 s · Ctrl-C stops\n❯$/);
  assert.deepEqual(chat.terminal.savedHistory, ["hello 你好"]);
});

test("a reply is streamed, and its delivery adds nothing", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, { type: "message_start" }, say("First **block**.\n\nSec"));
  assert.match(chat.screen(), /^First block\.\n\nSec\n\n⠋ offline\/echo/);
  await chat.show(say("ond."), said("First **block**.\n\nSecond."), end);
  const result = await chat.deliver("First **block**.\n\nSecond.");
  assert.equal(result.type, "sent");
  assert.equal(chat.screen(), "First block.\n\nSecond.\n\n❯");
});

test("what a tool says in between completes nothing that is streamed", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("Working on it"), said("Working on it", true));
  await chat.deliver("A word aside.", { turnId, isAside: true });
  await chat.show(say("Done."), said("Done."), end);
  await chat.deliver("Done.");
  assert.equal(count(chat.screen(), "A word aside."), 1);
  assert.equal(count(chat.screen(), "Working on it"), 1);
  assert.equal(count(chat.screen(), "Done."), 1);
});

test("a delivery completes what was not streamed", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("One.\n\nTwo"));
  await chat.deliver("One.\n\nTwo and more.\n\nThree.");
  await chat.show(end);
  assert.equal(chat.screen(), "One.\n\nTwo and more.\n\nThree.\n\n❯");
});

test("a delivery that is another text is shown whole", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("Draft."), said("Draft."), end);
  await chat.deliver("Something else.");
  assert.equal(chat.screen(), "Draft.\n\nSomething else.\n\n❯");
});

test("posts outside a turn are shown, once each", async (context) => {
  const chat = await openChat(context);
  await chat.deliver("A letter.", {});
  assert.equal(chat.screen(), "A letter.\n\n❯");
});

test("a repeated delivery says so", async (context) => {
  const chat = await openChat(context, { columns: 80 });
  await chat.deliver("Again.", { repeated: true });
  assert.equal(chat.screen(), "(sent again after a restart; it may have appeared before)\n\nAgain.\n\n❯");
});

test("what a model says before its tools stays, and the reply comes once", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("Let me look."), said("Let me look.", true));
  await chat.show({ type: "tool_execution_start", ...tool, args: {} });
  await chat.show({ type: "tool_execution_update", toolCallId: "c1", toolName: "bash", text: "1\n2\n3\n4\n5\n" });
  assert.match(chat.screen(), /^Let me look\.\n\n→ bash: ls\n {2}3\n {2}4\n {2}5\n\n/);
  await chat.show({
    type: "tool_execution_end",
    ...tool,
    text: "1\n2",
    details: {},
    durationMs: 1_234,
    isError: false,
  });
  await chat.show(say("Done."), said("Done."), end);
  await chat.deliver("Done.");
  assert.equal(chat.screen(), "Let me look.\n\n✓ bash: ls 1.2 s\n\nDone.\n\n❯");
});

test("a failed tool shows why, and how much is shown can be chosen", async (context) => {
  const failed: AgentSessionEvent = {
    type: "tool_execution_end",
    ...tool,
    text: "no such\x1b[2J file",
    details: {},
    durationMs: 5,
    isError: true,
  };
  const summary = await openChat(context);
  await summary.show(start, failed);
  assert.match(summary.screen(), /^✗ bash: ls 5 ms\n {2}no such file\n/);
  const full = await openChat(context, { toolOutput: "full" });
  await full.show(start, { ...failed, isError: false });
  assert.match(full.screen(), /^✓ bash: ls 5 ms\n {2}no such file\n/);
  const off = await openChat(context, { toolOutput: "off" });
  await off.show(start, { type: "tool_execution_start", ...tool, args: {} }, failed);
  assert.doesNotMatch(off.screen(), /bash/);
});

test("nothing that comes from outside moves the cursor or hides words", async (context) => {
  const chat = await openChat(context);
  const evil = "\x1b[2J\x1b]0;owned\x07\u202eevil\x9b31m";
  await chat.show(
    { type: "agent_start", model: evil, resumed: false },
    { type: "tool_execution_start", ...tool, label: evil, args: {} },
    { type: "tool_execution_update", toolCallId: "c1", toolName: "bash", text: evil },
    say(evil.slice(0, 1)),
    say(evil.slice(1)),
    { type: "steered", texts: [evil] },
    { type: "auto_retry_start", attempt: 1, maxAttempts: 2, delayMs: 5, reason: evil },
  );
  await chat.deliver(evil);
  chat.adapter.writeAbove(evil);
  await chat.press("\x1b[200~\x1b[2J\u202e\x1b[201~\r");
  assert.equal(chat.messages[0]?.text, "\x1b[2J\u202e");
  await chat.clock.advance(100);
  assert.doesNotMatch(chat.terminal.written, /\x1b\[2J|\x1b\]|\u202e|\x9b|\x07/);
  assert.match(chat.screen(), /evil/);
});

test("a reply of just the silent token leaves no trace", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("[SIL"), say("ENT]"), said("[SILENT]"), end);
  assert.equal(chat.screen(), "❯");
});

test("a block that is higher than the screen shows its end while it grows, and all of it afterwards", async (context) => {
  const chat = await openChat(context, { rows: 10 });
  const code = `\`\`\`\n${Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n")}\n\`\`\``;
  await chat.show(start, say(code.slice(0, -4)));
  assert.ok(chat.terminal.lines().length <= 10);
  assert.match(chat.screen(), /line 29/);
  assert.doesNotMatch(chat.screen(), /line 3\n/);
  await chat.show(say("\n```"), said(code), end);
  for (let n = 0; n < 30; n++) assert.equal(count(chat.screen(), `  line ${n}\n`), 1);
});

test("typing goes on while a turn runs, and waiting messages are counted", async (context) => {
  const chat = await openChat(context, { columns: 60 });
  await chat.press("one\r");
  await chat.show(start, say("Working on it"));
  await chat.press("two\rthr");
  assert.match(chat.screen(), /Working on it\n\n\S offline\/echo · 0 s · 1 waiting · Ctrl-C stops\n❯ thr$/);
  await chat.show(end);
  chat.settle();
  await chat.clock.advance(100);
  assert.match(chat.screen(), /Working on it\n\n❯ thr$/);
});

test("the elapsed time is counted, and nothing ticks when nothing runs", async (context) => {
  const chat = await openChat(context);
  await chat.show(start);
  await chat.clock.advance(3_000);
  assert.match(chat.screen(), /offline\/echo · 3 s/);
  await chat.show(end);
  await chat.clock.advance(1_000);
  const writes = chat.terminal.writes.length;
  await chat.clock.advance(10_000);
  assert.equal(chat.terminal.writes.length, writes);
  assert.equal(chat.clock.pending, 0);
});

test("Ctrl-C stops a running turn, clears the editor, and leaves at the second press", async (context) => {
  const chat = await openChat(context);
  await chat.show(start);
  await chat.press("draft\x03");
  assert.deepEqual(chat.stops, ["terminal/local"]);
  assert.match(chat.screen(), /stopping.*\n❯ draft$/);
  await chat.show(end);
  await chat.press("\x03");
  assert.equal(chat.screen(), "❯");
  await chat.press("\x03");
  assert.equal(chat.screen(), "press Ctrl-C again to leave\n❯");
  await chat.clock.advance(2_100);
  assert.equal(chat.screen(), "❯");
  await chat.press("\x03");
  assert.equal(chat.terminal.hasQuit, false);
  await chat.press("\x03");
  assert.equal(chat.terminal.hasQuit, true);
  await chat.adapter.whenDone();
  await chat.adapter.stop();
  assert.equal(chat.clock.pending, 0, "a timer would keep the process from ending");
});

test("Ctrl-D on an empty editor, /quit and a closed terminal leave", async (context) => {
  const typed = await openChat(context);
  await typed.press("/quit\r");
  assert.equal(typed.terminal.hasQuit, true);
  assert.deepEqual(typed.messages, []);
  const pressed = await openChat(context);
  await pressed.press("a\x04\x7f");
  assert.equal(pressed.terminal.hasQuit, false);
  await pressed.press("\x04");
  assert.equal(pressed.terminal.hasQuit, true);
  const closed = await openChat(context);
  closed.terminal.endInput();
  await closed.clock.advance(10);
  assert.equal(closed.terminal.hasQuit, true);
});

test("/copy hands the last reply to the terminal's clipboard", async (context) => {
  const chat = await openChat(context);
  await chat.press("/copy\r");
  assert.match(chat.screen(), /There is no reply to copy yet/);
  await chat.deliver("the answer is 42");
  await chat.press("/copy\r");
  const written = `\x1b]52;c;${Buffer.from("the answer is 42").toString("base64")}\x07`;
  assert.ok(chat.terminal.written.includes(written));
  assert.deepEqual(chat.messages, []);
});

test("other commands are just messages", async (context) => {
  const chat = await openChat(context);
  await chat.press("/help me\r");
  assert.equal(chat.messages[0]?.text, "/help me");
});

test("the terminal is given back as it was", async (context) => {
  const chat = await openChat(context);
  assert.equal(chat.terminal.isRaw, true);
  assert.match(chat.terminal.written, /\x1b\[\?2004h/);
  await chat.show(start, say("half a"));
  await chat.adapter.stop();
  assert.equal(chat.terminal.isRaw, false);
  assert.ok(chat.terminal.written.endsWith("\x1b[?25h\x1b[?2004l"));
  assert.equal(chat.terminal.output.listenerCount("resize"), 0);
  assert.equal(chat.terminal.input.listenerCount("data"), 0);
  const writes = chat.terminal.writes.length;
  await chat.show(say(" word"));
  await chat.press("more");
  assert.equal(chat.terminal.writes.length, writes);
  assert.equal((await chat.deliver("late", {})).type, "retry");
  chat.adapter.writeAbove("WARN late\x1b[2J");
  assert.equal(chat.terminal.notes, "WARN late\n");
});

test("another size is another layout", async (context) => {
  const chat = await openChat(context);
  await chat.show(start, say("words that need more than one line when it is narrow"));
  chat.terminal.resize(20, 12);
  await chat.clock.advance(100);
  const shown = chat.terminal.lines().slice(-8).join("\n");
  assert.match(shown, /words that need\nmore than one line\nwhen it is narrow\n\n/);
});

test("log lines come above what is being written", async (context) => {
  const chat = await openChat(context);
  await chat.press("draft");
  chat.adapter.writeAbove("WARN something\nelse\n");
  await chat.clock.advance(60);
  assert.equal(chat.screen(), "WARN something\nelse\n\n❯ draft");
});

test("a message that is too long is refused in place", async (context) => {
  const chat = await openChat(context, { columns: 60 });
  await chat.press(`\x1b[200~${"x".repeat(1_048_577)}\x1b[201~`);
  assert.equal(chat.screen(), "A message may have at most 1048576 bytes.\n❯");
});

test("a message that was not taken is offered again, and the person is told", async (context) => {
  const chat = await openChat(context);
  let tries = 0;
  chat.adapter.onMessage(async (message) => {
    if (++tries < 3) throw new Error("disk is full");
    chat.messages.push(message);
  });
  await chat.press("hi\r");
  await chat.clock.advance(1_000);
  assert.equal(tries, 3);
  assert.equal(chat.messages.length, 1);
  assert.equal(count(chat.screen(), "Not taken yet (disk is full)"), 1);
});

test("a terminal that goes away ends the chat and nothing else", async (context) => {
  const chat = await openChat(context);
  chat.terminal.breakOutput();
  assert.equal((await chat.deliver("lost?", {})).type, "retry");
  assert.equal(chat.terminal.hasQuit, true);
});
