/** Conversations that outgrow the model: shortened in time, never lost, never in a loop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createWorld, lastUserText, say, type World } from "./world.ts";

const key = "agent:main:main" as SessionKey;
const charactersPerToken = 4;

const isSummaryRequest = (request: SeenRequest) => request.body["tools"] === undefined;
const sizeOf = (request: SeenRequest) =>
  JSON.stringify([request.body["messages"], request.body["tools"]]).length / charactersPerToken;

/** A provider that refuses what does not fit its window, in OpenAI's own words. */
function strict(window: number, answer: (request: SeenRequest) => string) {
  return (request: SeenRequest) => {
    if (sizeOf(request) > window) {
      const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${Math.ceil(sizeOf(request))} tokens.`;
      return {
        type: "status" as const,
        status: 400,
        body: JSON.stringify({ error: { message, code: "context_length_exceeded", type: "invalid_request_error" } }),
      };
    }
    return { type: "answer" as const, text: answer(request) };
  };
}

async function talk(world: World, from: number, to: number, text: (n: number) => string): Promise<void> {
  for (let n = from; n <= to; n++) {
    say(world.chat, text(n));
    await world.chat.until(() => world.chat.posts.length >= n);
  }
}

test("a 300-message session on a model with a window of 8,000 goes on working", async () => {
  const world = await createWorld({
    m1: { contextWindow: 8192, maxOutputTokens: 1024 },
    respond: strict(8192, (request) =>
      isSummaryRequest(request)
        ? "Decisions: the password of the cellar is swordfish."
        : `ok ${lastUserText(request).slice(0, 12)}`,
    ),
  });
  try {
    const app = await world.start();
    await talk(world, 1, 150, (n) => `message ${n} ${"and so on ".repeat(20)}`);
    assert.equal(world.chat.posts.length, 150);
    for (const [n, post] of world.chat.posts.entries()) assert.match(post.text, new RegExp(`^ok message ${n + 1}\\b`));
    const { entries } = await app.store.transcripts.context(key, 2000);
    assert.ok(entries.length < 150, "the context is short");
    assert.ok(entries.some(({ type }) => type === "compaction"));
    const last = world.model.requests.at(-1);
    assert.match(JSON.stringify(last?.body["messages"]), /swordfish/, "what was decided is still known");
    const whole = await app.store.transcripts.whole(key);
    const said = whole?.entries.filter((entry) => entry.type === "message" && entry.message.role === "user");
    assert.equal(said?.length, 150, "nothing is lost from the file");
  } finally {
    await world.close();
  }
});

test("a provider whose window is smaller than it says: compact, try again, answer", async () => {
  const world = await createWorld({
    m1: { contextWindow: 128_000 },
    respond: strict(6000, (request) => (isSummaryRequest(request) ? "A summary." : "fine")),
  });
  try {
    await world.start();
    await talk(world, 1, 12, (n) => `${n} ${"x".repeat(3000)}`);
    assert.equal(world.chat.posts.at(-1)?.text, "fine");
    assert.ok(world.events.some((event) => event.type === "auto_compaction_start" && event.reason === "overflow"));
  } finally {
    await world.close();
  }
});

test("a loop of overflow errors ends in one clear answer", async () => {
  const overflow = {
    type: "status" as const,
    status: 400,
    body: '{"error":{"message":"This model\'s maximum context length is 10 tokens.","code":"context_length_exceeded"}}',
  };
  const world = await createWorld({
    respond: (request) => (isSummaryRequest(request) ? { type: "answer", text: "short" } : overflow),
  });
  try {
    await world.start();
    say(world.chat, "hello");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /too long for lab\/m1/);
    assert.ok(world.model.requests.length < 12, `${world.model.requests.length} requests`);
  } finally {
    await world.close();
  }
});

test("when the summary itself fails, a mechanical one stands in", async () => {
  const world = await createWorld({
    m1: { contextWindow: 8192, maxOutputTokens: 1024 },
    models: { retries: 0 },
    respond: (request) =>
      isSummaryRequest(request)
        ? { type: "status", status: 400, body: '{"error":{"message":"no"}}' }
        : strict(8192, () => "ok")(request),
  });
  try {
    const app = await world.start();
    await talk(world, 1, 40, (n) => `message ${n} ${"blah ".repeat(120)}`);
    assert.equal(world.chat.posts.at(-1)?.text, "ok");
    const { entries } = await app.store.transcripts.context(key, 2000);
    assert.ok(entries.some((entry) => entry.type === "compaction" && entry.summary.includes("message")));
  } finally {
    await world.close();
  }
});

test("/compact shortens now, keeps to the instructions, and says what it gained", async () => {
  const world = await createWorld({
    respond: (request) => ({ type: "answer", text: isSummaryRequest(request) ? "Only the numbers: 42." : "ok" }),
  });
  try {
    await world.start();
    await talk(world, 1, 6, (n) => `${n} ${"words ".repeat(2000)}`);
    say(world.chat, "/compact keep the numbers");
    await world.chat.until(() => world.chat.posts.length === 7);
    assert.match(world.chat.posts[6]?.text ?? "", /tokens/);
    const asked = world.model.requests.find(isSummaryRequest);
    assert.match(JSON.stringify(asked?.body["messages"]), /keep the numbers/);
    say(world.chat, "go on");
    await world.chat.until(() => world.chat.posts.length === 8);
    assert.match(JSON.stringify(world.model.requests.at(-1)?.body["messages"]), /Only the numbers: 42/);
  } finally {
    await world.close();
  }
});

test("notes for good are taken before the owner's conversation is shortened", async () => {
  const world = await createWorld({
    m1: { contextWindow: 8192, maxOutputTokens: 1024 },
    respond(request) {
      const text = JSON.stringify(request.body["messages"]);
      if (text.includes("keep the notebook")) return { type: "answer", text: "- The cat is called Minka." };
      return { type: "answer", text: isSummaryRequest(request) ? "A summary." : "ok" };
    },
  });
  try {
    const app = await world.start();
    await talk(world, 1, 30, (n) => `message ${n} ${"blah ".repeat(150)}`);
    const day = new Date();
    const two = (part: number) => String(part).padStart(2, "0");
    const name = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
    assert.match(await world.read(`workspace/memory/${name}.md`), /- The cat is called Minka\./);
    const { cost } = await app.store.usage.spent({ agentId: "main" }, "day");
    assert.ok(cost > 0);
    const byDay = await app.store.usage.totals("day");
    assert.equal(byDay[0]?.calls, world.model.requests.length, "silent calls are booked too");
  } finally {
    await world.close();
  }
});
