/** A terminal that talks to a mom in another process: what is shown, to whom it belongs, and what a lost connection does to it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeGateway } from "../../../test/fakes/gateway-server.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createFakeTerminal } from "../../../test/fakes/terminal.ts";
import { createSystemClock } from "../../base/clock.ts";
import { channelCatalog } from "../../channels/index.ts";
import { createGatewayClient } from "../../gateway/client/index.ts";
import { GatewayFault, type Payload } from "../../gateway/protocol/index.ts";
import { createRemoteTalk } from "./remote-talk.ts";

const main = "agent:main:main";
const limit = { timeout: 20_000 };
const channel = { adapter: "webchat", channelId: "main" };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };

async function openTalk(t: TestContext, isInteractive: boolean) {
  const gateway = await createFakeGateway();
  const clock = createSystemClock();
  const client = createGatewayClient({
    url: gateway.socketUrl,
    hello: {
      client: { id: "t", version: "0", platform: "t", mode: "cli" },
      getAuth: async () => ({ token: "t" }),
    },
    onState: () => undefined,
    onEvent: (frame) => talk.onEvent(frame),
    onGap: () => talk.onGap(),
    random: () => 0,
  });
  const talk = createRemoteTalk({ client, clock, isInteractive, findFile: async () => undefined });
  const terminal = createFakeTerminal({ isInteractive, settled: talk.settled });
  const { createAdapter } = await channelCatalog.cli.load();
  const adapter = createAdapter(
    "terminal",
    { type: "cli", toolOutput: "summary" },
    { clock, log: silentLog, terminal },
  );
  t.after(async () => {
    await adapter.stop();
    client.stop();
    await gateway.close();
  });
  let turns = 0;
  gateway.answers["chat.send"] = () => {
    turns += 1;
    return { turnId: `t${turns}`, sessionKey: main, messageId: `m${turns}`, isRepeat: false };
  };
  client.start();
  talk.join(adapter, main);
  client.follow([main]);
  await adapter.start();
  const until = async (isTrue: () => boolean) => {
    const end = performance.now() + 10_000;
    while (!isTrue()) {
      assert.ok(performance.now() < end, `it did not come to be:\n${terminal.written}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await until(() => gateway.requested("events.subscribe").length === 1);
  const event = (turnId: string, event: Record<string, unknown>) => gateway.tell("agent", { turnId, event }, main);
  const post = (turnId: string, text: string, more: Partial<Payload<"chat.post">> = {}) =>
    gateway.tell("chat.post", { turnId, deliveryId: `${turnId}-${text}`, channel, text, ...more }, main);
  const end = (turnId: string) => gateway.tell("chat.end", { turnId, state: "done" }, main);
  const said = (messageId: string, text: string, from = channel) =>
    gateway.tell(
      "chat.message",
      { messageId, channel: from, item: { id: messageId, at: 0, role: "user", sender: "ann", text } },
      main,
    );
  const screen = () => terminal.lines().join("\n");
  return { gateway, client, talk, terminal, adapter, until, event, post, end, said, screen };
}

test("a reply is streamed and stands there once; what was typed here is not shown as another's", limit, async (t) => {
  const { gateway, terminal, until, event, post, end, said, screen } = await openTalk(t, true);
  // The event about the message is faster than the answer to it.
  const { "chat.send": answer } = gateway.answers;
  gateway.answers["chat.send"] = (params, connection) => {
    said("m1", "hello");
    return answer?.(params, connection) ?? Promise.reject(new Error("gone"));
  };
  terminal.type("hello\r");
  await until(() => gateway.requested("chat.send").length === 1);
  event("t1", { type: "agent_start", model: "lab/m1", resumed: false });
  event("t1", { type: "message_start" });
  event("t1", { type: "text_delta", delta: "Good " });
  event("t1", { type: "text_delta", delta: "morning" });
  await until(() => screen().includes("Good morning"));
  event("t1", { type: "message_end", text: "Good morning", hasToolCalls: false, usage });
  event("t1", { type: "agent_end", stopReason: "stop" });
  post("t1", "Good morning");
  end("t1");
  await until(() => !screen().includes("Ctrl-C stops"));
  assert.equal(screen().split("Good morning").length, 2);
  assert.doesNotMatch(screen(), /│/);
});

test("what others say in the session is shown with who and where, and so are the answers", limit, async (t) => {
  const { until, said, post, screen, gateway } = await openTalk(t, true);
  said("m77", "from my phone\nand more \u001b[31m");
  said("m78", "in slack", { adapter: "slack", channelId: "C1" });
  gateway.tell("chat.post", { deliveryId: "x", channel, text: "another session" }, "agent:main:dm:other");
  post("t77", "an answer to the phone");
  await until(() => screen().includes("an answer to the phone"));
  assert.match(screen(), /│ ann: from my phone\n│ and more/);
  assert.match(screen(), /│ ann \(slack\): in slack/);
  assert.doesNotMatch(screen(), /another session/);
});

test("a message whose beginning was missed is shown whole, when it is delivered", limit, async (t) => {
  const { until, event, post, screen } = await openTalk(t, true);
  event("t9", { type: "text_delta", delta: "nd of a sentence" });
  post("t9", "The end of a sentence");
  await until(() => screen().includes("The end of a sentence"));
  assert.equal(screen().split("nd of a sentence").length, 2);
});

test("Ctrl-C stops what runs in the session", limit, async (t) => {
  const { gateway, terminal, until, event } = await openTalk(t, true);
  gateway.answers["chat.abort"] = () => ({ stopped: 1 });
  event("t1", { type: "agent_start", model: "lab/m1", resumed: false });
  await until(() => terminal.lines().join("\n").includes("Ctrl-C stops"));
  terminal.type("\u0003");
  await until(() => gateway.requested("chat.abort").length === 1);
  assert.deepEqual(gateway.requested("chat.abort")[0]?.params, { sessionKey: main });
});

test("what cannot be taken is said, and does not come again", limit, async (t) => {
  const { gateway, terminal, until, screen } = await openTalk(t, true);
  gateway.answers["chat.send"] = () => {
    throw new GatewayFault({ code: "INVALID_REQUEST", message: "message is too long" });
  };
  terminal.type("hello\r");
  await until(() => screen().includes("mom did not take this: message is too long"));
  await until(() => !screen().includes("Ctrl-C stops"));
  assert.equal(gateway.requested("chat.send").length, 1);
});

test("a reply that came while the connection was lost is shown once, and the wait ends", limit, async (t) => {
  const { gateway, terminal, until, screen } = await openTalk(t, true);
  terminal.type("hello\r");
  await until(() => gateway.requested("chat.send").length === 1);
  await until(() => screen().includes("Ctrl-C stops"));
  gateway.answers["agent.wait"] = ({ turnId }) => ({
    turnId,
    sessionKey: main,
    state: "done",
    reply: "said meanwhile",
    files: [],
  });
  gateway.restart();
  gateway.drop();
  await until(() => screen().includes("said meanwhile"));
  await until(() => !screen().includes("Ctrl-C stops"));
  assert.equal(screen().split("said meanwhile").length, 2);
  assert.match(screen(), /Some of what happened meanwhile is not shown/);
});

test("piped, only answers to the messages from here are printed, one after the other", limit, async (t) => {
  const { gateway, terminal, until, post, end, said } = await openTalk(t, false);
  terminal.type("first\nsecond\n");
  terminal.endInput();
  await until(() => gateway.requested("chat.send").length === 1);
  said("m99", "from a browser");
  post("t99", "an answer to the browser");
  gateway.tell("chat.post", { deliveryId: "q", channel, text: "May I? /approve a1" }, main);
  post("t1", "one");
  end("t1");
  await until(() => gateway.requested("chat.send").length === 2);
  post("t2", "two");
  end("t2");
  await until(() => terminal.written === "one\ntwo\n");
  assert.match(terminal.notes, /May I\?/);
  assert.doesNotMatch(terminal.notes, /browser/);
});

test("a message that was taken into another turn is over with that one", limit, async (t) => {
  const { gateway, terminal, until, end, adapter } = await openTalk(t, false);
  terminal.type("and this\n");
  terminal.endInput();
  await until(() => gateway.requested("chat.send").length === 1);
  let isDone = false;
  void adapter.whenDone().then(() => {
    isDone = true;
  });
  gateway.answers["agent.wait"] = () => new Promise(() => undefined);
  gateway.tell("chat.end", { turnId: "t1", state: "done", mergedInto: "t0" }, main);
  await until(() => gateway.requested("agent.wait").length === 1);
  assert.equal(isDone, false);
  end("t0");
  await until(() => isDone);
});

test("the past: the last thing said, what runs, and what waits for a word", limit, async (t) => {
  const { gateway, talk, until, screen } = await openTalk(t, true);
  gateway.answers["chat.history"] = () => ({
    items: [
      { id: "1", at: 0, role: "assistant", text: "older" },
      { id: "2", at: 0, role: "assistant", text: "the **last** words" },
      { id: "3", at: 0, role: "user", text: "hm" },
    ],
    isCut: true,
    turns: [
      { turnId: "t", sessionKey: main, state: "running", kind: "agent", text: "count", sender: "ann", createdAt: 0 },
    ],
    approvals: [
      {
        id: "a1",
        turnId: "t",
        sessionKey: main,
        agentId: "main",
        channel,
        sender: "webchat:owner",
        tool: "bash",
        text: "rm -rf build",
        cwd: "/",
        reason: "it deletes",
        rules: [],
        state: "pending",
        createdAt: 0,
        expiresAt: 1,
      },
    ],
    lastEventId: "x-0",
  });
  await talk.showPast();
  await until(() => screen().includes("/approve a1 once|always|deny"));
  assert.match(screen(), /the last words/);
  assert.match(screen(), /busy with what ann said: count/);
  assert.match(screen(), /rm -rf build/);
  assert.doesNotMatch(screen(), /older/);
});
