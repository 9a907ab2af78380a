/** A stop ends what runs at once and for good; a message during a turn is seen after the tool call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createWorld, lastUserText, say, waitFor } from "./world.ts";

test("stop is seen before the queue, while the model hangs, and the turn is not resumed", async () => {
  const world = await createWorld({
    respond: (request) =>
      lastUserText(request) === "think"
        ? { type: "silence" }
        : { type: "answer", text: `echo ${lastUserText(request)}` },
    config: { queue: { mode: "followup" } },
  });
  const { chat } = world;
  try {
    const app = await world.start();
    say(chat, "think", { id: "s1" });
    await world.model.waitForRequests(1);
    say(chat, "waiting", { id: "s2" });
    say(chat, "stop", { id: "s3" });
    await chat.until(() => chat.posts.length === 1);
    assert.equal(chat.posts[0]?.text, "Stopped; 1 waiting message was dropped.");
    await app.stop();
    const again = await world.start();
    say(chat, "hello", { id: "s4" });
    await chat.until(() => chat.posts.length === 2);
    assert.equal(chat.posts[1]?.text, "echo hello");
    const states = (await again.store.turns.list({ limit: 9 })).map((turn) => [turn.message.id, turn.state]);
    assert.deepEqual(states.slice(0, 3), [
      ["s1", "stopped"],
      ["s2", "stopped"],
      ["s3", "done"],
    ]);
  } finally {
    await world.close();
  }
});

test("stop ends a tool and everything it started", async () => {
  const world = await createWorld({
    respond: [
      { type: "answer", toolCalls: [{ name: "bash", arguments: { command: "echo on; sleep 600 & sleep 600" } }] },
    ],
  });
  try {
    const app = await world.start();
    say(world.chat, "run it", { id: "k1" });
    await waitFor(() => world.events.some((event) => event.type === "tool_execution_update"));
    say(world.chat, "/stop", { id: "k2" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "Stopped.");
    const [turn] = await app.store.turns.list({ limit: 1, states: ["stopped", "running"] });
    assert.ok(turn);
    await app.whenOver(turn.id);
    assert.equal((await app.store.turns.get(turn.id))?.state, "stopped");
    const { entries } = await app.store.transcripts.context(turn.route.sessionKey, 9);
    assert.match(JSON.stringify(entries.at(-1)), /did not finish this/);
  } finally {
    await world.close();
  }
});

test("nothing to stop says so", async () => {
  const world = await createWorld();
  try {
    await world.start();
    say(world.chat, "Stop!", { id: "n1" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "There was nothing to stop.");
  } finally {
    await world.close();
  }
});

test("a message during a turn steers it: seen after the tool call, answered in the same turn", async () => {
  const requests: string[] = [];
  const world = await createWorld({
    respond: async (request: SeenRequest, n) => {
      requests.push(lastUserText(request));
      if (n > 0) return { type: "answer", text: "both done" };
      // The second message arrives while the model is still busy with the first.
      say(world.chat, "and this too", { id: "x2" });
      await world.chat.until(() => world.chat.unacknowledged === 0);
      return { type: "answer", toolCalls: [{ name: "ls", arguments: { path: "." } }] };
    },
  });
  try {
    const app = await world.start();
    say(world.chat, "do this", { id: "x1" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.deepEqual(requests, ["do this", "and this too"]);
    assert.equal(world.chat.posts[0]?.text, "both done");
    const turns = await app.store.turns.list({ limit: 5 });
    assert.deepEqual(
      turns.map((turn) => [turn.message.id, turn.mergedInto !== undefined]),
      [
        ["x1", false],
        ["x2", true],
      ],
    );
  } finally {
    await world.close();
  }
});
