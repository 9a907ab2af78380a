/** A provider that fails in any way gives one clear reply, and the next message works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelReply } from "../fakes/model-server.ts";
import { createWorld, say } from "./world.ts";

const failures: { name: string; reply: ModelReply; says: RegExp }[] = [
  { name: "401", reply: { type: "status", status: 401 }, says: /key/i },
  {
    name: "429",
    reply: { type: "status", status: 429, headers: { "retry-after": "3600" } },
    says: /limit|too many|later/i,
  },
  { name: "500", reply: { type: "status", status: 500 }, says: /try|again|later/i },
  { name: "garbage", reply: { type: "garbage" }, says: /answer|understand|again/i },
  { name: "never", reply: { type: "silence" }, says: /time|answer/i },
];

for (const { name, reply, says } of failures) {
  test(`a provider that answers ${name} is explained, nothing is lost, and mom goes on`, async () => {
    let isBroken = true;
    const world = await createWorld({
      respond: () => (isBroken ? reply : { type: "answer", text: "fine again" }),
      models: { timeoutMs: 300, retries: 0 },
    });
    try {
      const app = await world.start();
      say(world.chat, "hello", { id: `f-${name}` });
      await world.chat.until(() => world.chat.posts.length === 1);
      const said = world.chat.posts[0]?.text ?? "";
      assert.match(said, says, `what was said: ${said}`);
      assert.doesNotMatch(said, /secret-test-key|\bat .+:\d+|undefined/);
      const [turn] = await app.store.turns.list({ limit: 1 });
      assert.ok(turn);
      await app.whenOver(turn.id);
      assert.equal((await app.store.turns.get(turn.id))?.state, "failed");
      assert.ok((await app.store.turns.get(turn.id))?.error);
      isBroken = false;
      // A key that was refused rests; the operator who has mended it need not wait.
      await world.writeAuth({ profiles: {}, usageStats: {} });
      say(world.chat, "and now?", { id: `g-${name}` });
      await world.chat.until(() => world.chat.posts.length === 2);
      assert.equal(world.chat.posts[1]?.text, "fine again");
      assert.match(JSON.stringify(world.model.requests.at(-1)?.body["messages"]), /hello/, "the message was kept");
      assert.doesNotMatch(world.logText(), /secret-test-key/);
    } finally {
      await world.close();
    }
  });
}

test("an unknown tool and wrong arguments are answers that the model can act on", async () => {
  const world = await createWorld({
    respond: [
      { type: "answer", toolCalls: [{ id: "c1", name: "raed", arguments: { path: "x" } }] },
      { type: "answer", toolCalls: [{ id: "c2", name: "read", arguments: { path: 7, offset: "soon" } }] },
      { type: "answer", text: "I see." },
    ],
  });
  try {
    await world.start();
    say(world.chat, "go", { id: "u1" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "I see.");
    const results = (n: number): { content: string }[] =>
      Object(world.model.requests[n]?.body["messages"]).filter((m: { role: string }) => m.role === "tool");
    assert.match(JSON.stringify(results(1)[0]?.content), /raed.*read/s);
    assert.match(JSON.stringify(results(2)[1]?.content), /offset/);
  } finally {
    await world.close();
  }
});

test("a model that calls tools without end is stopped, and says so", async () => {
  const world = await createWorld({
    respond: (_request, n) => ({
      type: "answer",
      toolCalls: [{ id: "same", name: "ls", arguments: { path: ".", limit: n + 1 } }],
    }),
  });
  try {
    await world.start();
    say(world.chat, "go", { id: "endless" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /^I stopped after 100 rounds of tools/);
    assert.equal(world.model.requests.length, 100);
    const sent = JSON.stringify(world.model.requests[3]?.body["messages"]);
    assert.match(sent, /"same_2"/, "calls that came with the same id are told apart");
  } finally {
    await world.close();
  }
});

test("an empty answer is said, not swallowed", async () => {
  const world = await createWorld({ respond: [{ type: "answer", text: "" }] });
  try {
    await world.start();
    say(world.chat, "hello", { id: "empty" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /empty answer/);
  } finally {
    await world.close();
  }
});

test("tools cannot rewrite what was said", async () => {
  const path = "channels/fake/D1/log.jsonl";
  const world = await createWorld({
    respond: [
      { type: "answer", toolCalls: [{ id: "w", name: "write", arguments: { path, content: "gone" } }] },
      { type: "answer", text: "I may not." },
    ],
  });
  try {
    const app = await world.start();
    say(world.chat, "tidy up", { id: "seal" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(JSON.stringify(world.model.requests[1]?.body["messages"]), /can only be read/);
    const lines = await app.store.channels.tail({ adapter: "fake", channelId: "D1" }, 5);
    assert.equal(lines[0]?.text, "tidy up");
  } finally {
    await world.close();
  }
});
