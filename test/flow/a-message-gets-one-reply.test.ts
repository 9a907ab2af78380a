/** The first story: a message goes in, one reply comes out, and everything about it is on disk. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createWorld, say } from "./world.ts";

test("a message gets one reply, and log, transcript and database agree", async () => {
  const world = await createWorld();
  try {
    const app = await world.start();
    say(world.chat, "hello", { id: "first" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "echo hello");
    const [turn] = await app.store.turns.list({ limit: 10 });
    assert.ok(turn);
    await app.whenOver(turn.id);
    assert.equal((await app.store.turns.get(turn.id))?.state, "done");
    await app.stop();
    const folder = join(world.dataDir, "workspace/channels/fake/D1");
    const log = (await readFile(join(folder, "log.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      log.map((line) => [line.id, line.text, line.sender.id]),
      [
        ["first", "hello", "U1"],
        ["P1", "echo hello", "bot"],
      ],
    );
    const context = (await readFile(join(folder, "context.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((l) => JSON.parse(l));
    assert.deepEqual(
      context.map((entry) => entry.message?.role ?? entry.type),
      ["session", "model_change", "user", "assistant"],
    );
  } finally {
    await world.close();
  }
});
