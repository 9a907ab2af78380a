/** Approvals in the chats: the question has buttons, whoever presses must be an admin by id, and one press is one answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createPlatformWorld, type PlatformName, type PlatformWorld } from "./platform-world.ts";
import { lastUserText } from "./world.ts";

function respond(request: SeenRequest) {
  const messages = request.body["messages"] as { role: string; content: string }[];
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const result = since.find(({ role }) => role === "tool");
  if (result) return { type: "answer" as const, text: "looked" };
  return { type: "answer" as const, toolCalls: [{ id: "c1", name: "ls", arguments: { path: lastUserText(request) } }] };
}

interface Press {
  channelId: string;
  messageId: string;
  userId: string;
  label: string;
}

/** Somebody presses a button under a post. */
function press(world: PlatformWorld, name: PlatformName, { channelId, messageId, userId, label }: Press): void {
  if (name === "slack") world.on("slack").press(channelId, messageId, label, userId);
  else if (name === "discord") world.on("discord").press({ messageId, userId, label });
  else world.on("telegram").press({ channelId, messageId, userId, label });
}

for (const name of ["slack", "discord", "telegram"] satisfies PlatformName[]) {
  test(`on ${name} an admin's press lets the call through, another's does not`, { timeout: 60_000 }, async (t) => {
    const world = await createPlatformWorld({
      platforms: [name],
      respond,
      adapter: ({ chats }) => ({ groups: { allow: [chats.group] } }),
      config: { tools: { approve: ["ls"] } },
    });
    t.after(() => world.close());
    const app = await world.start();
    const platform = world.platforms.get(name) ?? assert.fail();
    const { people } = platform;
    const channelId = platform.chats.group;
    const find = (pattern: RegExp) => platform.posts(channelId).find(({ text }) => pattern.test(text));
    platform.say({ channelId, userId: people.other, text: "attachments", mention: true });
    await platform.until(() => find(/Approval/) !== undefined);
    const question = find(/Approval/) ?? assert.fail();
    assert.match(question.text, /attachments/);
    const states = async () => (await app.store.approvals.list({ limit: 9 })).map(({ state }) => state);
    const answer = { channelId, messageId: question.id, label: "Allow once" };
    press(world, name, { ...answer, userId: people.other });
    await platform.until(() => find(/admin/i) !== undefined);
    assert.deepEqual(await states(), ["pending"], "who is no admin has no word in it");
    press(world, name, { ...answer, userId: people.owner });
    await platform.until(() => find(/^looked$/) !== undefined);
    await world.whenQuiet(app);
    const [approval] = await app.store.approvals.list({ limit: 9 });
    assert.deepEqual([approval?.state, approval?.answeredBy], ["used", `${name}:${people.owner}`]);
    assert.equal(platform.posts(channelId).filter(({ text }) => text === "looked").length, 1);
  });
}
