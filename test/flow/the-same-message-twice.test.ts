/** Platforms deliver twice, late and out of order. Each message still gets one turn and one reply. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, say } from "./world.ts";

test("a message that comes twice, late and out of order is answered once", async () => {
  const world = await createWorld({ config: { queue: { mode: "followup" } } });
  const { chat } = world;
  try {
    const first = await world.start();
    say(chat, "two", { id: "t2" });
    say(chat, "one", { id: "t1" });
    say(chat, "two", { id: "t2" });
    await chat.until(() => chat.posts.length === 2 && chat.unacknowledged === 0);
    await first.stop();
    // Long after, and to another life: the platform thinks that its message was never taken.
    const second = await world.start();
    say(chat, "one", { id: "t1" });
    say(chat, "three", { id: "t3" });
    await chat.until(() => chat.posts.length >= 3 && chat.unacknowledged === 0);
    assert.deepEqual(
      chat.posts.map((post) => post.text),
      ["echo two", "echo one", "echo three"],
    );
    assert.equal((await second.store.turns.list({ limit: 10 })).length, 3);
    const ids = (await second.store.channels.tail({ adapter: "fake", channelId: "D1" }, 20)).map((line) => line.id);
    assert.equal(new Set(ids).size, ids.length, "no line is there twice");
  } finally {
    await world.close();
  }
});

test("a post whose answer was lost is not doubled, by nonce or by search", async () => {
  for (const nonce of ["enforced", "searchable"] as const) {
    const world = await createWorld({ nonce });
    try {
      world.chat.failNextPost({ type: "lost-answer" });
      world.chat.failNextPost({ type: "status", status: 429, retryAfterMs: 5 });
      await world.start();
      say(world.chat, "hello", { id: "once" });
      await world.chat.until(() => world.chat.posts.length === 1);
      say(world.chat, "and again", { id: "after" });
      await world.chat.until(() => world.chat.posts.length === 2);
      assert.deepEqual(
        world.chat.posts.map((post) => post.text),
        ["echo hello", "echo and again"],
        `nonce ${nonce}`,
      );
    } finally {
      await world.close();
    }
  }
});
