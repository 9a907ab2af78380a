/** A skill is found, read, used and leaves the context again. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createWorld, lastUserText, say, type World } from "./world.ts";

const bodyText = `Brew at ninety degrees. ${"Stir slowly. ".repeat(60)}`;

async function addSkill(world: World): Promise<string> {
  const dir = join(world.dataDir, "workspace", "skills", "brew-tea");
  await mkdir(dir, { recursive: true });
  const path = join(dir, "SKILL.md");
  await writeFile(path, `---\nname: brew-tea\ndescription: How tea is brewed properly.\n---\n\n${bodyText}\n`);
  return path;
}

const messagesOf = (request: SeenRequest | undefined) => JSON.stringify(request?.body["messages"]);

test("the index names it, the model reads it, and three turns later a line stands in its place", async () => {
  let path = "";
  const world = await createWorld({
    respond(request) {
      const messages = request.body["messages"] as { role: string }[];
      if (messages.at(-1)?.role !== "tool" && lastUserText(request) === "make tea") {
        return { type: "answer", toolCalls: [{ name: "read", arguments: { path } }] };
      }
      return { type: "answer", text: "done" };
    },
  });
  try {
    await world.start();
    path = await addSkill(world);
    let posts = 0;
    const exchange = async (text: string) => {
      say(world.chat, text);
      posts++;
      await world.chat.until(() => world.chat.posts.length === posts);
    };
    await exchange("make tea");
    assert.match(
      messagesOf(world.model.requests[0]),
      /brew-tea.*How tea is brewed properly/,
      "picked up without a restart",
    );
    assert.doesNotMatch(messagesOf(world.model.requests[0]), /ninety degrees/, "the index only");
    assert.match(messagesOf(world.model.requests[1]), /ninety degrees/);
    for (const text of ["one", "two"]) await exchange(text);
    assert.match(messagesOf(world.model.requests.at(-1)), /ninety degrees/, "still needed");
    await exchange("three");
    assert.doesNotMatch(messagesOf(world.model.requests.at(-1)), /ninety degrees/, "its task is over");
    assert.match(messagesOf(world.model.requests.at(-1)), /skill brew-tea is no longer shown/);
    assert.match(await world.read("workspace/channels/fake/D1/context.jsonl"), /ninety degrees/, "the file keeps it");
  } finally {
    await world.close();
  }
});

test("/skill:name puts the body in as user text; a name that is wrong gets the nearest", async () => {
  const world = await createWorld();
  try {
    await world.start();
    await addSkill(world);
    say(world.chat, "/skill:brew-tea for two");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.match(messagesOf(world.model.requests[0]), /ninety degrees.*for two/);
    say(world.chat, "/skill:brew-te for two");
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.match(world.chat.posts[1]?.text ?? "", /brew-tea/);
    assert.equal(world.model.requests.length, 1);
  } finally {
    await world.close();
  }
});

test("a prompt template is called by its name, with arguments", async () => {
  const world = await createWorld();
  try {
    const app = await world.start();
    const dir = join(world.dataDir, "workspace", "prompts");
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "greet.md"), "Greet $1 and then $" + "{@:2}.");
    say(world.chat, '/greet "Ann Lee" Bob Carl');
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "echo Greet Ann Lee and then Bob Carl.");
    await app.stop();
    const log = await world.read("workspace/channels/fake/D1/log.jsonl");
    assert.match(log, /\/greet \\"Ann Lee\\" Bob Carl/, "the log has what was said");
  } finally {
    await world.close();
  }
});
