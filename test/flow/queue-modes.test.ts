/** Messages that come while a turn runs: steered in, one by one, all together, or in place of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createWorld, lastUserText, say, waitFor } from "./world.ts";

/** The first request waits until it is let go; the others are answered with what they were asked. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open,
    respond: async (request: SeenRequest, n: number) => {
      if (n === 0) await Promise.race([opened, request.closed]);
      return { type: "answer" as const, text: `echo ${lastUserText(request)}` };
    },
  };
}

const texts = (posts: readonly { text: string }[]) => posts.map(({ text }) => text);

test("followup: each gets a turn of its own, in order", async () => {
  const gate = createGate();
  const world = await createWorld({ respond: gate.respond, config: { queue: { mode: "followup" } } });
  try {
    await world.start();
    for (const text of ["one", "two", "three"]) say(world.chat, text);
    await world.model.waitForRequests(1);
    gate.open();
    await world.chat.until(() => world.chat.posts.length === 3);
    assert.deepEqual(texts(world.chat.posts), ["echo one", "echo two", "echo three"]);
  } finally {
    await world.close();
  }
});

test("collect: all that wait become one turn", async () => {
  const gate = createGate();
  const world = await createWorld({ respond: gate.respond, config: { queue: { byChannel: { fake: "collect" } } } });
  try {
    const app = await world.start();
    say(world.chat, "one");
    await world.model.waitForRequests(1);
    for (const text of ["two", "three", "four"]) say(world.chat, text);
    await waitFor(async () => (await app.store.turns.list({ limit: 10 })).length === 4);
    gate.open();
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.equal(world.chat.posts[0]?.text, "echo one");
    const messages = JSON.stringify(world.model.requests[1]?.body["messages"]);
    assert.match(messages, /two.*three.*four/);
    await waitFor(async () => (await app.store.turns.counts()).done === 4);
    assert.equal(world.model.requests.length, 2);
    assert.equal(world.chat.posts.length, 2);
  } finally {
    await world.close();
  }
});

test("interrupt: the running turn ends, the new message runs", async () => {
  const gate = createGate();
  const world = await createWorld({ respond: gate.respond });
  try {
    const app = await world.start();
    say(world.chat, "/queue interrupt");
    await world.chat.until(() => world.chat.posts.length === 1);
    say(world.chat, "count to a million");
    await world.model.waitForRequests(1);
    say(world.chat, "no, say hello");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.equal(world.chat.posts[1]?.text, "echo no, say hello");
    await waitFor(async () => (await app.store.turns.counts()).done === 2);
    assert.equal((await app.store.turns.counts()).stopped, 1);
  } finally {
    gate.open();
    await world.close();
  }
});

test("interrupt: somebody else's turn in the same chat is not ended", async () => {
  const gate = createGate();
  const world = await createWorld({ respond: gate.respond, config: { queue: { mode: "interrupt" } } });
  try {
    const app = await world.start();
    say(world.chat, "a long story", { channel: "C1", user: "U7" });
    await world.model.waitForRequests(1);
    say(world.chat, "me too", { channel: "C1", user: "U8" });
    await waitFor(async () => (await app.store.turns.list({ limit: 10 })).length === 2);
    gate.open();
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.deepEqual(texts(world.chat.posts), ["echo a long story", "echo me too"]);
  } finally {
    await world.close();
  }
});
