/** Keys run out, models fail, and the person sees one reply. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionKey } from "../../src/contracts/ids.ts";
import { createWorld, lastUserText, say } from "./world.ts";

test("key 1 is rate-limited, key 2 too, the fallback answers, and later key 1 is back", async () => {
  const asked: string[] = [];
  let limited = true;
  const world = await createWorld({
    respond(request) {
      const key = String(request.headers["authorization"]).replace("Bearer ", "");
      const model = String(request.body["model"]);
      asked.push(`${model} ${key}`);
      if (model === "m1" && limited) {
        return {
          type: "status",
          status: 429,
          headers: { "retry-after": "600" },
          body: '{"error":{"message":"slow down"}}',
        };
      }
      return { type: "answer", text: `${model} says ${lastUserText(request)}` };
    },
    models: { fallbacks: ["lab/m2"] },
    extraModels: [{ id: "m2" }],
    auth: {
      profiles: {
        "lab:one": { type: "api_key", provider: "lab", key: "key-number-one" },
        "lab:two": { type: "api_key", provider: "lab", key: "key-number-two" },
      },
      usageStats: { "lab:one": { lastUsed: 1 }, "lab:two": { lastUsed: 2 } },
      order: { lab: ["lab:one", "lab:two"] },
    },
  });
  try {
    await world.start();
    say(world.chat, "hello");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "m2 says hello");
    assert.deepEqual(asked, ["m1 key-number-one", "m1 key-number-two", "m2 key-number-one"]);
    const fallback = world.events.find((event) => event.type === "model_fallback");
    assert.deepEqual(fallback && [fallback.from, fallback.to], ["lab/m1", "lab/m2"]);

    // Both keys are resting for m1 only: the next turn goes straight to the fallback.
    asked.length = 0;
    say(world.chat, "again");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.deepEqual(asked, ["m2 key-number-one"]);

    const auth = JSON.parse(await world.read("auth.json"));
    assert.ok(auth.usageStats["lab:one"].models.m1.cooldownUntil > Date.now() + 500_000, "the provider's time counts");
    for (const id of ["lab:one", "lab:two"]) delete auth.usageStats[id].models;
    limited = false;
    await world.writeAuth(auth);
    asked.length = 0;
    say(world.chat, "third");
    await world.chat.until(() => world.chat.posts.length === 3);
    assert.equal(world.chat.posts[2]?.text, "m1 says third");
    assert.equal(asked.length, 1);
    assert.doesNotMatch(world.logText(), /key-number/);
  } finally {
    await world.close();
  }
});

test("nothing answers: one clear error, and the message is kept for the next try", async () => {
  let isDown = true;
  const world = await createWorld({
    respond: (request) =>
      isDown
        ? { type: "status", status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' }
        : { type: "answer", text: JSON.stringify(request.body["messages"]) },
    models: { fallbacks: ["lab/m2"] },
    extraModels: [{ id: "m2" }],
  });
  try {
    await world.start();
    say(world.chat, "remember the milk");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(
      world.chat.posts[0]?.text ?? "",
      /lab\/m1 did not accept.*lab\/m2 could not stand in either\. Your message is kept/,
    );
    isDown = false;
    await world.writeAuth({ profiles: {}, usageStats: {} });
    say(world.chat, "try again");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.match(world.chat.posts[1]?.text ?? "", /remember the milk/);
  } finally {
    await world.close();
  }
});

test("a model that fails after its tools ran is replaced in the middle of the turn, and nothing is done twice", async () => {
  const world = await createWorld({
    models: { fallbacks: ["lab/m2"], retries: 0 },
    extraModels: [{ id: "m2" }],
    respond(request) {
      const messages = request.body["messages"] as { role: string; content: string }[];
      const hasResult = messages.at(-1)?.role === "tool";
      if (request.body["model"] === "m2") return { type: "answer", text: `m2 saw: ${messages.at(-1)?.content}` };
      if (hasResult) return { type: "status", status: 500 };
      return { type: "answer", toolCalls: [{ name: "bash", arguments: { command: "echo once | tee -a ran.txt" } }] };
    },
  });
  try {
    await world.start();
    say(world.chat, "do it");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /^m2 saw: once/);
    assert.equal(await world.read("workspace/ran.txt"), "once\n");
  } finally {
    await world.close();
  }
});

test("a message that came while no model could be had is there for the next one", async () => {
  const world = await createWorld({ models: { default: "lab/gone" } });
  try {
    const app = await world.start();
    say(world.chat, "remember the milk");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /lab has no model "gone".*Your message is kept/s);
    const { entries } = await app.store.transcripts.context("agent:main:main" as SessionKey, 10);
    assert.match(JSON.stringify(entries), /remember the milk/);
    say(world.chat, "/model lab/m1");
    await world.chat.until(() => world.chat.posts.length === 2);
    say(world.chat, "try again");
    await world.chat.until(() => world.chat.posts.length === 3);
    assert.match(JSON.stringify(world.model.requests[0]?.body["messages"]), /remember the milk/);
  } finally {
    await world.close();
  }
});
