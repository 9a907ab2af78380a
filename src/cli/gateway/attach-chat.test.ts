/** `mom chat` and `mom agent` beside a mom that runs: from the first line on the screen to leaving. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createFakeGateway } from "../../../test/fakes/gateway-server.ts";
import { pretendToRun } from "../../../test/fakes/running-mom.ts";
import { createFakeTerminal } from "../../../test/fakes/terminal.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Result } from "../../gateway/protocol/index.ts";
import { buildAgentCommand } from "../commands/agent.ts";
import { buildChatCommand } from "../commands/chat.ts";
import type { CliIo } from "../io.ts";
import { attachChat } from "./attach-chat.ts";

const main = "agent:main:main";
const limit = { timeout: 20_000 };
const status: Result<"status"> = {
  version: "9.9.9",
  model: "lab/m1",
  uptimeMs: 1,
  memoryBytes: 1,
  running: 0,
  waiting: 0,
  pendingPosts: 0,
  worstStallMs: 0,
  sessions: 1,
  today: { calls: 0, input: 0, output: 0, cost: 0 },
  channels: [],
  clients: 1,
};

async function openScene(t: TestContext) {
  const world = await createCliWorld({ chat: buildChatCommand, agent: buildAgentCommand });
  const gateway = await createFakeGateway();
  const mom = await pretendToRun(world.dataDir);
  await mom.listen(gateway.url);
  t.after(async () => {
    mom.end();
    await gateway.close();
    await world.close();
  });
  gateway.answers.status = () => status;
  gateway.answers["chat.history"] = () => ({
    items: [{ id: "1", at: 0, role: "assistant", text: "see you" }],
    isCut: false,
    turns: [],
    approvals: [],
    lastEventId: "x-0",
  });
  const accepted = { turnId: "t1", sessionKey: main, messageId: "m1", isRepeat: false };
  const outcome: Result<"agent.wait"> = { turnId: "t1", sessionKey: main, state: "done", reply: "pong", files: [] };
  return { world, gateway, mom, accepted, outcome };
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("at a terminal: who answers, the last words, a talk, mom gone and back, and leaving", limit, async (t) => {
  const { world, gateway, mom, accepted } = await openScene(t);
  gateway.answers["chat.send"] = () => accepted;
  const terminal = createFakeTerminal({ isInteractive: true, columns: 120, rows: 30 });
  const io = {
    stdin: Object.assign(terminal.input, { isTTY: true }),
    stdout: Object.assign(terminal.output, { isTTY: true }),
    stderr: terminal.errors,
    env: { NO_COLOR: "1" },
    cwd: world.cwd,
    exit: () => undefined,
  } as unknown as CliIo;
  const screen = () => terminal.lines().join("\n");
  t.after(() => void terminal.type("\u0004"));
  const left = attachChat({
    io,
    clock: createSystemClock(),
    dataDir: world.dataDir,
    gateway: { url: gateway.url, pid: process.pid },
    terminal: { name: "terminal", config: { type: "cli", toolOutput: "summary" } },
  });
  await until(() => screen().includes("see you"));
  assert.match(screen(), /mom 0\.0\.0 · lab\/m1[\s\S]*she goes on when you leave\.\nIn the browser: http:\/\/127/);
  terminal.type("hello\r");
  await until(() => gateway.requested("chat.send").length === 1);
  const channel = { adapter: "webchat", channelId: "main" };
  gateway.tell("chat.post", { turnId: "t1", deliveryId: "d", channel, text: "hello yourself" }, main);
  gateway.tell("chat.end", { turnId: "t1", state: "done" }, main);
  await until(() => screen().includes("hello yourself"));

  await mom.listen(undefined);
  gateway.tell("shutdown", { reason: "Mom is stopping" });
  gateway.drop();
  await until(() => screen().includes("The connection to mom is lost"));
  await mom.listen(gateway.url);
  await until(() => screen().includes("mom is back"));
  assert.match(screen(), /mom: Mom is stopping/);
  terminal.type("\u0004");
  await left;
  assert.equal(terminal.isRaw, false);
  assert.equal(gateway.requested("chat.abort").length, 0, "leaving stops nothing");
});

test("one turn through the gateway looks like one without it", limit, async (t) => {
  const { world, gateway, accepted, outcome } = await openScene(t);
  gateway.answers.agent = () => accepted;
  gateway.answers["agent.wait"] = () => ({ ...outcome, model: "lab/m1" });
  const { code, out, err } = await world.run(["agent", "--message", "ping"]);
  assert.deepEqual([code, out, err], [0, "pong\n", ""]);
  const { durationMs, ...json } = JSON.parse((await world.run(["agent", "--message", "ping", "--json"])).out);
  assert.deepEqual(json, { reply: "pong", turnId: "t1", sessionKey: main, state: "done", model: "lab/m1" });
  assert.ok(durationMs >= 0);
  await world.run(["agent", "--message", "ping", "--session", "trip"]);
  assert.equal(gateway.requested("agent")[2]?.params?.["name"], "trip");
});

test("a turn that failed, and one that must be asked for twice", limit, async (t) => {
  const { world, gateway, accepted, outcome } = await openScene(t);
  let asked = 0;
  gateway.answers.agent = () => accepted;
  gateway.answers["agent.wait"] = () => {
    asked += 1;
    if (asked === 1) gateway.drop();
    return { ...outcome, state: "failed", reply: "", error: "the model is gone" };
  };
  const { code, out, err } = await world.run(["agent", "--message", "ping"]);
  assert.deepEqual([code, out, err], [1, "", "mom: The turn was failed. the model is gone\n"]);
  assert.ok(asked >= 2);
});

test("a question on the way is put on the error stream, with how to answer", limit, async (t) => {
  const { world, gateway, accepted, outcome } = await openScene(t);
  gateway.answers.agent = () => accepted;
  gateway.answers["agent.wait"] = async () => {
    const approval = {
      id: "a1",
      turnId: "t1",
      sessionKey: main,
      agentId: "main",
      channel: { adapter: "webchat", channelId: "main" },
      sender: "webchat:owner",
      tool: "bash",
      text: "rm -rf build",
      cwd: "/",
      reason: "it deletes",
      rules: [],
      state: "pending" as const,
      createdAt: 0,
      expiresAt: 1,
    };
    gateway.tell("approval.requested", { approval });
    gateway.tell("approval.requested", { approval: { ...approval, id: "a2", turnId: "t2" } });
    return outcome;
  };
  const { out, err } = await world.run(["agent", "--message", "ping"]);
  assert.equal(out, "pong\n");
  assert.match(err, /rm -rf build\n.*mom approvals approve a1/);
  assert.doesNotMatch(err, /a2/);
});

test("who holds the directory is said where no gateway is, with the way to have one", limit, async (t) => {
  const { world, mom } = await openScene(t);
  await mom.listen(undefined);
  for (const words of [["chat"], ["agent", "--message", "ping"]]) {
    const { code, err } = await world.run(words);
    assert.equal(code, 1);
    assert.match(
      err,
      /is in use by process[\s\S]*fix: Stop that mom first[\s\S]*gateway\.enabled true[\s\S]*DATA_DIR_IN_USE/,
    );
  }
});
