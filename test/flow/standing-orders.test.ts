/** What an owner forbids for good outlives every shortening and every new conversation, and the gate holds to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createWorld, say } from "./world.ts";

const isSummaryRequest = (request: SeenRequest) => request.body["tools"] === undefined;

test("a standing order survives two compactions and /new, and its enforced part stops the tool", async () => {
  const world = await createWorld({
    respond(request) {
      if (isSummaryRequest(request)) return { type: "answer", text: "Nothing of note." };
      const messages = request.body["messages"] as { role: string; content: unknown }[];
      const last = messages.at(-1);
      if (last?.role === "tool") return { type: "answer", text: `the tool said: ${JSON.stringify(last.content)}` };
      if (!JSON.stringify(last?.content).includes("run it")) return { type: "answer", text: "ok" };
      return { type: "answer", toolCalls: [{ name: "bash", arguments: { command: "echo ran > ran.txt" } }] };
    },
  });
  try {
    await world.start();
    let posts = 0;
    const exchange = async (text: string) => {
      say(world.chat, text);
      posts++;
      await world.chat.until(() => world.chat.posts.length === posts);
      return world.chat.posts.at(-1)?.text ?? "";
    };
    assert.match(await exchange("/rule add deny bash: run no commands until I say so"), /r1/);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 3; n++) await exchange("words ".repeat(1500));
      assert.match(await exchange("/compact"), /tokens/);
    }
    await exchange("/new");
    const answer = await exchange("run it");
    assert.match(answer, /standing order r1|not allowed here \(standing orders/);
    await assert.rejects(world.read("workspace/ran.txt"));
    const system = JSON.stringify(world.model.requests.at(-1)?.body["messages"]);
    assert.match(system, /run no commands until I say so/);

    assert.match(await exchange("/rule remove r1"), /r1/);
    await exchange("run it");
    assert.equal((await world.read("workspace/ran.txt")).trim(), "ran");
  } finally {
    await world.close();
  }
});

test("a person who is excluded by name gets no file, whatever id the tool sends it to", async () => {
  const world = await createWorld({
    respond(request) {
      const messages = request.body["messages"] as { role: string; content: unknown }[];
      const last = messages.at(-1);
      if (last?.role === "tool") return { type: "answer", text: `the tool said: ${JSON.stringify(last.content)}` };
      return { type: "answer", toolCalls: [{ name: "attach", arguments: { path: "SOUL.md" } }] };
    },
  });
  try {
    await world.start();
    say(world.chat, "/rule add not to @anne: no files");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(
      world.chat.posts[0]?.text ?? "",
      /Not saved: I know no chat or person `@anne` \(did you mean `@ann`\?\)/,
    );
    say(world.chat, "/rule add not to @ann: no files");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.match(world.chat.posts[1]?.text ?? "", /tools send nothing to `@ann`, `U1`/);
    say(world.chat, "send it");
    await world.chat.until(() => world.chat.posts.length === 3);
    assert.match(world.chat.posts[2]?.text ?? "", /the tool said: .*standing order r1/);
    assert.match(JSON.stringify(world.model.requests[0]?.body["messages"]), /enforced: tools send nothing to @ann, U1/);
  } finally {
    await world.close();
  }
});

test("somebody who is no admin cannot give or take away standing orders", async () => {
  const world = await createWorld();
  try {
    await world.start();
    say(world.chat, "/rule add deny bash", { user: "U9", channel: "C1" });
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(world.chat.posts[0]?.text ?? "", /admin/i);
    say(world.chat, "/rule list");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.doesNotMatch(world.chat.posts[1]?.text ?? "", /r1/);
  } finally {
    await world.close();
  }
});
