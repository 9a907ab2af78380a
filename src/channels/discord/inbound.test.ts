/** What people do on Discord, as the app hears of it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createDiscordStage } from "../../../test/fakes/discord/stage.ts";

test("who is meant: direct messages, mentions, mom's role, and answers to her", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { chats, people, botRoleId } = platform;
  const { adapter, heard, send } = open();
  await adapter.start();
  const sent = await send("a post of mom's", { channelId: chats.group });
  assert.ok(sent.type === "sent");
  const say = (text: string, more = {}) =>
    platform.say({ channelId: chats.group, userId: people.other, text, ...more });
  platform.say({ channelId: chats.other, userId: people.other, text: "direct" });
  say("to nobody");
  say("to her", { mention: true });
  say(`<@&${botRoleId}>, to her role`);
  say("an answer", { replyTo: sent.messageId });
  const other = say("by the way");
  say("an answer to somebody", { replyTo: other });
  say("@everyone come here");
  await until(() => heard.length === 8);
  assert.deepEqual(Object.fromEntries(heard.map(({ text, isMention }) => [text, isMention])), {
    direct: true,
    "to nobody": false,
    "to her": true,
    "to her role": true,
    "an answer": true,
    "by the way": false,
    "an answer to somebody": false,
    "@everyone come here": false,
  });
  assert.equal(heard.find(({ text }) => text === "an answer")?.replyTo, sent.messageId);
  assert.equal(heard.find(({ text }) => text === "to her")?.rawText, `<@${platform.botId}> to her`);
  assert.deepEqual(heard.find(({ text }) => text === "direct")?.sender, {
    id: people.other,
    username: "bob",
    displayName: "Bob",
    isBot: false,
  });
  assert.equal(adapter.getChannelInfo(chats.other)?.type, "dm");
  assert.deepEqual(adapter.getChannelInfo(chats.group), { id: chats.group, name: "general", type: "channel" });
});

test("mentions become names, except in code", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { chats, people, botId } = platform;
  const { adapter, heard } = open();
  await adapter.start();
  const text = `hey <@${people.other}> and <@!${botId}>, see <#${chats.group}> <:party:1234567890123456789> \`<@${people.other}>\``;
  platform.say({ channelId: chats.group, userId: people.owner, text });
  await until(() => heard.length === 1);
  assert.equal(heard[0]?.text, `hey @bob and @mom, see #general :party: \`<@${people.other}>\``);
  assert.equal(heard[0]?.rawText, text);
  assert.equal(heard[0]?.isMention, true);
});

test("other bots are reported as bots; mom herself is not", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard, send } = open();
  await adapter.start();
  await send("mom speaks", { channelId: platform.chats.group });
  const bot = platform.addPerson("weatherbot", true);
  platform.say({ channelId: platform.chats.group, userId: bot, text: "rain" });
  await until(() => heard.length === 1);
  assert.deepEqual([heard[0]?.text, heard[0]?.sender.isBot], ["rain", true]);
});

test("a thread is a chat of its own, below its channel", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard } = open();
  await adapter.start();
  const thread = platform.addChannel("ideas", platform.chats.group);
  platform.say({ channelId: thread, userId: platform.people.owner, text: "in the thread", mention: true });
  await until(() => heard.length === 1);
  assert.equal(heard[0]?.channelId, thread);
  assert.deepEqual(adapter.getChannelInfo(thread), {
    id: thread,
    name: "ideas",
    type: "channel",
    parentId: platform.chats.group,
  });
});

test("after a resumed restart the chats are known again, before anybody speaks and when somebody does", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const first = open();
  await first.adapter.start();
  const thread = platform.addChannel("ideas", platform.chats.group);
  await until(() => first.adapter.getChannelInfo(thread) !== undefined);
  await first.adapter.stop();

  const second = open();
  platform.fail({ type: "status", method: "getGuilds", status: 500 });
  await second.adapter.start();
  platform.say({ channelId: thread, userId: platform.people.owner, text: "hi", mention: true });
  await until(() => second.heard.length === 1);
  assert.equal(second.adapter.getChannelInfo(thread)?.parentId, platform.chats.group, "asked for when it was needed");
  await second.adapter.stop();

  const third = open();
  await third.adapter.start();
  await until(() => third.adapter.getChannelInfo(platform.chats.group)?.name === "general");
  assert.equal(platform.identifies, 1);
});

test("edits and deletions refer to the message; mom's own are not told", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { owner: channelId } = platform.chats;
  const { adapter, heard, send } = open();
  await adapter.start();
  const id = platform.say({ channelId, userId: platform.people.owner, text: "helo" });
  const own = await send("to be taken back");
  assert.ok(own.type === "sent");
  await adapter.updateMessage(channelId, own.messageId, "changed");
  await adapter.deleteMessage(channelId, own.messageId);
  await clock.advance(1000);
  platform.edit(id, "hello");
  platform.remove(id);
  await until(() => heard.length === 3);
  const [, edit, deletion] = heard;
  assert.deepEqual([edit?.text, edit?.change, edit?.isMention], ["hello", { type: "edit", ref: id }, false]);
  assert.match(edit?.id ?? "", new RegExp(`^${id}:edit:\\d+$`));
  assert.deepEqual([deletion?.text, deletion?.change], ["", { type: "delete", ref: id }]);
  assert.equal(deletion?.id, `${id}:delete`);
  assert.equal(deletion?.sender.username, "ann", "remembered, for Discord does not say it");
});

test("files are fetched; one that cannot be had is said in the text, and the message comes all the same", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard, dir } = open();
  await adapter.start();
  const say = (text: string, filename: string, data: string) =>
    platform.say({
      channelId: platform.chats.owner,
      userId: platform.people.owner,
      text,
      files: [{ filename, data, mimeType: "text/plain" }],
    });
  say("first", "notes.txt", "content");
  await until(() => heard.length === 1);
  const [file] = heard[0]?.attachments ?? [];
  assert.deepEqual([file?.filename, file?.mimeType, file?.size], ["notes.txt", "text/plain", 7]);
  assert.equal(await readFile(join(dir, file?.localPath ?? ""), "utf8"), "content");

  platform.fail({ type: "status", method: "cdn", status: 404 });
  say("second", "gone.txt", "content");
  say("third", "huge.bin", "x".repeat(26 * 1024 * 1024));
  await until(() => heard.length === 3);
  assert.match(heard[1]?.text ?? "", /^second\n\(file "gone\.txt", .*status 404, not fetched\)$/);
  assert.match(heard[2]?.text ?? "", /^third\n\(file "huge\.bin", .*larger than .*, not fetched\)$/);
  assert.deepEqual(heard[2]?.attachments, []);
});

test("events that come twice or in another order are all given on, with their own ids", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard } = open();
  await adapter.start();
  const say = (text: string) => platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  platform.fail({ type: "duplicate" });
  const twice = say("twice");
  platform.fail({ type: "reorder" });
  const late = say("one");
  const early = say("two");
  await until(() => heard.length === 4);
  assert.deepEqual(
    heard.map(({ id }) => id),
    [twice, twice, early, late],
  );
});
