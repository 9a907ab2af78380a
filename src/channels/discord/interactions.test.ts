/** Slash commands from Discord's menu, and mom's buttons. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDiscordStage } from "../../../test/fakes/discord/stage.ts";
import type { OutgoingButton } from "../../contracts/channel.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import { timeOfId } from "./format.ts";

const commands = [
  { name: "status", summary: "How mom is." },
  { name: "model", summary: "Another model. ".repeat(20), usage: "[name]" },
];

test("commands are registered in bulk, and only when they have changed", async (t) => {
  const { platform, open, until } = await createDiscordStage(t, { commands });
  const first = open();
  await first.adapter.start();
  await until(() => platform.commands.length === 2);
  const [status, model] = platform.commands as { name: string; description: string; options: unknown[] }[];
  assert.equal(status?.name, "status");
  assert.deepEqual(status?.options, [{ type: 3, name: "args", description: "nothing is needed", required: false }]);
  assert.ok((model?.description.length ?? 0) <= 100);
  await first.adapter.stop();
  const second = open();
  await second.adapter.start();
  await second.send("hello");
  const count = () => platform.calls.filter(({ name }) => name === "putCommands").length;
  assert.equal(count(), 1);
  await second.adapter.stop();
  await open({ nativeCommands: false }).adapter.start();
  await until(() => count() === 2);
  assert.deepEqual(platform.commands, []);
});

test("a slash command is a message of whoever used it, answered to Discord at once", async (t) => {
  const { platform, open, until } = await createDiscordStage(t, { commands });
  const { chats, people } = platform;
  const { adapter, heard } = open();
  await adapter.start();
  const used = platform.command({ channelId: chats.group, userId: people.other, name: "model", args: " opus " });
  platform.command({ channelId: chats.owner, userId: people.owner, name: "status" });
  await until(() => heard.length === 2 && platform.interactions.every(({ isReplyDeleted }) => isReplyDeleted));
  const message = heard.find(({ id }) => id === used.id);
  assert.deepEqual(
    [message?.text, message?.channelId, message?.sender.id, message?.isMention],
    ["/model opus", chats.group, people.other, true],
  );
  assert.equal(message?.timestamp, new Date(timeOfId(used.id)).toISOString());
  assert.equal(heard.find(({ channelId }) => channelId === chats.owner)?.text, "/status");
  assert.equal(adapter.getChannelInfo(chats.owner)?.type, "dm");
  for (const { answeredWith, isEphemeral } of platform.interactions) {
    assert.deepEqual([answeredWith, isEphemeral], [5, true]);
  }
  assert.deepEqual(platform.posts(), [], "the reply is an ordinary post, and comes later");
});

test("a command that was not taken is heard in the next life", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  let tries = 0;
  const first = open({}, async () => {
    tries++;
    throw new Error("the disk is full");
  });
  await first.adapter.start();
  const { id } = platform.command({ channelId: platform.chats.owner, userId: platform.people.owner, name: "stop" });
  await until(() => tries > 0);
  await first.adapter.stop();
  const second = open();
  await second.adapter.start();
  await until(() => second.heard.length === 1);
  assert.deepEqual([second.heard[0]?.id, second.heard[0]?.text], [id, "/stop"]);
});

const buttons: OutgoingButton[] = [
  { label: "Allow once", says: "/approve abc123 once", look: "good" },
  { label: "Deny", says: "/approve abc123 deny", look: "bad" },
  { label: "Why", says: "why?" },
];

test("a button says its words in the presser's name, whoever that is, and is gone when it was an admin", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { group: channelId } = platform.chats;
  const { adapter, heard } = open({ admins: [platform.people.owner] });
  await adapter.start();
  const question = { deliveryId: "q.1" as DeliveryId, text: "May I?", buttons };
  const sent = await adapter.sendMessage(channelId, question);
  assert.ok(sent.type === "sent");
  const post = () => platform.posts(channelId)[0];
  assert.deepEqual(
    post()?.buttons.map(({ label, style }) => [label, style]),
    [
      ["Allow once", 3],
      ["Deny", 4],
      ["Why", 2],
    ],
  );
  const press = (userId: string) => platform.press({ messageId: sent.messageId, userId, label: "Allow once" });
  const others = press(platform.people.other);
  await until(() => others.answeredWith !== undefined);
  assert.deepEqual([others.answeredWith, post()?.buttons.length], [6, 3], "somebody else's press takes nothing away");
  const owners = press(platform.people.owner);
  await until(() => heard.length === 2 && post()?.buttons.length === 0);
  for (const [n, { id }] of [others, owners].entries()) {
    const { text, isMention, replyTo, ...message } = heard[n] ?? assert.fail();
    assert.deepEqual([message.id, text, isMention, replyTo], [id, "/approve abc123 once", true, sent.messageId]);
  }
  assert.deepEqual(
    heard.map(({ sender }) => sender.id),
    [platform.people.other, platform.people.owner],
  );
  assert.equal(owners.answeredWith, 7);
  assert.equal(post()?.text, "May I?");
});

test("a press whose answer comes too late takes the buttons away all the same", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard } = open({ admins: [platform.people.owner] });
  await adapter.start();
  const question = { deliveryId: "q.1" as DeliveryId, text: "May I?", buttons };
  const sent = await adapter.sendMessage(platform.chats.owner, question);
  assert.ok(sent.type === "sent");
  const unknown = { message: "Unknown interaction", code: 10_062 };
  platform.fail({ type: "status", method: "interactionCallback", status: 404, body: unknown });
  platform.press({ messageId: sent.messageId, userId: platform.people.owner, label: "Deny" });
  await until(() => heard.length === 1 && platform.posts()[0]?.buttons.length === 0);
});

test("presses on what is not mom's own are nobody's words", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard } = open();
  await adapter.start();
  const bot = platform.addPerson("evil", true);
  const id = platform.say({ channelId: platform.chats.group, userId: bot, text: "press me" });
  platform.pressForeign({ messageId: id, userId: platform.people.owner, customId: "say:/approve abc123 once" });
  platform.say({ channelId: platform.chats.group, userId: platform.people.owner, text: "after" });
  await until(() => heard.some(({ text }) => text === "after"));
  assert.deepEqual(
    heard.map(({ text }) => text),
    ["press me", "after"],
  );
});

test("a button whose words do not fit leaves only the text", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter } = open();
  await adapter.start();
  const wide = [{ label: "Yes", says: "x".repeat(120) }];
  const question = { deliveryId: "q.1" as DeliveryId, text: "May I? Answer /yes.", buttons: wide };
  assert.equal((await adapter.sendMessage(platform.chats.owner, question)).type, "sent");
  assert.deepEqual(platform.posts()[0]?.buttons, []);
});
