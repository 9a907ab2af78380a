/** Several agents, each with its own place and limits; time and money that run out. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { createWorld, say, waitFor } from "./world.ts";

test("a route sends a chat to another agent, with its own workspace, model and tools", async () => {
  const world = await createWorld({
    extraModels: [{ id: "m2" }],
    config: {
      agents: { work: { model: "lab/m2", tools: { deny: ["bash"] } } },
      routes: [{ adapter: "fake", channel: "D2", agent: "work" }],
    },
    respond: (request) => ({ type: "answer", text: `${request.body["model"]} answers` }),
  });
  try {
    const app = await world.start();
    say(world.chat, "hi");
    await world.chat.until(() => world.chat.posts.length === 1);
    say(world.chat, "hi", { channel: "D2" });
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.deepEqual(
      world.chat.posts.map(({ channel, text }) => [channel, text]),
      [
        ["D1", "m1 answers"],
        ["D2", "m2 answers"],
      ],
    );
    const sessions = (await app.store.sessions.list()).map(({ sessionKey }) => String(sessionKey)).sort();
    assert.deepEqual(sessions, ["agent:main:main", "agent:work:main"]);
    const toolsOf = (n: number) => JSON.stringify(world.model.requests[n]?.body["tools"]);
    assert.match(toolsOf(0), /"bash"/);
    assert.doesNotMatch(toolsOf(1), /"bash"/);
    assert.match(JSON.stringify(world.model.requests[1]?.body["messages"]), /agents\/work\/workspace/);
    assert.match(await world.read("agents/work/workspace/AGENTS.md"), /\S/);
  } finally {
    await world.close();
  }
});

test("a budget warns once, then refuses before the call is made", async () => {
  const world = await createWorld({
    // 10 tokens in at $1 and 5 out at $2 a million: $0.00002 a call.
    config: { agents: { main: { budget: [{ usd: 0.00005 }] } } },
    respond: () => ({ type: "answer", text: "ok" }),
  });
  try {
    await world.start();
    const answers: string[] = [];
    for (let n = 1; n <= 5; n++) {
      say(world.chat, `message ${n}`);
      await world.chat.until(() => world.chat.posts.length === n);
      answers.push(world.chat.posts.at(-1)?.text ?? "");
    }
    assert.deepEqual(
      answers.slice(0, 3).map((text) => text.split("\n")[0]),
      ["ok", "ok", "ok"],
    );
    assert.match(answers[3] ?? "", /budget for this agent .* is used up, so I did not ask the model/);
    assert.equal(world.model.requests.length, 3);
  } finally {
    await world.close();
  }
});

test("a budget may go on with a cheaper model", async () => {
  const world = await createWorld({
    extraModels: [{ id: "cheap" }],
    config: { agents: { main: { budget: [{ usd: 0.00001, action: "fallback", model: "lab/cheap" }] } } },
    respond: (request) => ({ type: "answer", text: String(request.body["model"]) }),
  });
  try {
    await world.start();
    say(world.chat, "one");
    await world.chat.until(() => world.chat.posts.length === 1);
    say(world.chat, "two");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.equal(world.chat.posts[0]?.text, "m1");
    assert.match(world.chat.posts[1]?.text ?? "", /^cheap\n\n.*used up; I go on with lab\/cheap/s);
    assert.deepEqual(
      world.model.requests.map((request) => request.body["model"]),
      ["m1", "cheap"],
    );
  } finally {
    await world.close();
  }
});

test("a turn that takes too long is ended, says so, and leaves no process behind", async () => {
  const world = await createWorld({
    config: { agents: { main: { runTimeoutSeconds: 1 } } },
    respond: (_request, n) =>
      n === 0
        ? { type: "answer", toolCalls: [{ name: "bash", arguments: { command: "sleep 987.6" } }] }
        : { type: "answer", text: "after" },
  });
  try {
    const app = await world.start();
    say(world.chat, "run it");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /did not finish within 1 s/);
    await waitFor(async () => (await app.store.turns.counts()).failed === 1);
    say(world.chat, "and now?");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.match(JSON.stringify(world.model.requests.at(-1)?.body["messages"]), /ran out of time here/);
    await waitFor(async () => !(await isRunning("sleep 987.6")));
  } finally {
    await world.close();
  }
});

async function isRunning(command: string): Promise<boolean> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.replaceAll("\0", " ").includes(command)) return true;
  }
  return false;
}
