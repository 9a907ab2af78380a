/** People beside the owner read their own chat's files and the skills, and nothing else of the workspace. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createWorld, lastUserText, say } from "./world.ts";

test("a group member gets neither the owner's memory nor another chat's history", async () => {
  const world = await createWorld({
    respond(request) {
      const messages = request.body["messages"] as { role: string; content: string }[];
      const last = messages.at(-1);
      if (last?.role === "tool") return { type: "answer", text: `it said: ${last.content}` };
      const path = /^read (.+)$/.exec(lastUserText(request))?.[1];
      if (path === undefined) return { type: "answer", text: "ok" };
      return { type: "answer", toolCalls: [{ name: "read", arguments: { path } }] };
    },
  });
  try {
    await world.start();
    const workspace = join(world.dataDir, "workspace");
    await writeFile(join(workspace, "MEMORY.md"), "The door code is 4711.\n");
    await mkdir(join(workspace, "skills", "tea"), { recursive: true });
    const skill = join(workspace, "skills", "tea", "SKILL.md");
    await writeFile(skill, "---\nname: tea\ndescription: About tea.\n---\nBoil water.\n");
    let posts = 0;
    const exchange = async (text: string, more: { channel: string; user: string }) => {
      say(world.chat, text, more);
      posts++;
      await world.chat.until(() => world.chat.posts.length === posts);
      return world.chat.posts.at(-1)?.text ?? "";
    };
    const owner = { channel: "D1", user: "U1" };
    const guest = { channel: "C1", user: "U7" };
    await exchange("a private word", owner);
    await exchange("hello", guest);
    for (const path of [
      "MEMORY.md",
      join(workspace, "MEMORY.md"),
      "../../../MEMORY.md",
      "../D1/log.jsonl",
      join(workspace, "channels/fake/D1/context.jsonl"),
      join(world.dataDir, "auth.json"),
    ]) {
      const answer = await exchange(`read ${path}`, guest);
      assert.doesNotMatch(answer, /4711|a private word/, path);
    }
    assert.match(await exchange(`read ${skill}`, guest), /Boil water/);
    assert.match(await exchange("read log.jsonl", guest), /hello/);
    assert.match(await exchange("read MEMORY.md", owner), /4711/);
    const prompt = JSON.stringify(
      world.model.requests.find((each) => JSON.stringify(each.body).includes("[u7]"))?.body,
    );
    assert.doesNotMatch(prompt, /4711/);
  } finally {
    await world.close();
  }
});
