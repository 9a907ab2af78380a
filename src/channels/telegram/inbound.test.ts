/** What Telegram reports → what the app hears. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openStage, type StageOptions } from "../../../test/fakes/telegram/rig.ts";
import type { ChannelMessage } from "../../contracts/message.ts";

async function open(context: TestContext, options?: StageOptions) {
  const stage = await openStage(context, options);
  await stage.adapter.start();
  const { chats, people } = stage.platform;
  const inGroup = (text: string, more: object = {}) =>
    stage.platform.say({ channelId: chats.group, userId: people.other, text, ...more });
  return { ...stage, chats, people, inGroup };
}

test("in a group a mention is taken off the text and told; other talk is heard", async (context) => {
  const { inGroup, next, chats, people } = await open(context);
  inGroup("what time is it?", { mention: true });
  const asked = await next();
  assert.deepEqual(
    [asked.text, asked.rawText, asked.isMention, asked.channelId, asked.sender.id],
    ["what time is it?", "@mom_test_bot what time is it?", true, chats.group, people.other],
  );
  inGroup("not for you");
  assert.equal((await next()).isMention, false);
  inGroup("ask @MOM_test_bot, she knows");
  const named = await next();
  assert.deepEqual([named.text, named.isMention], ["ask @MOM_test_bot, she knows", true]);
  inGroup("@mom_test_bot");
  assert.deepEqual((await next()).text, "@mom_test_bot");
});

const menu = {
  commands: [
    { name: "stop", summary: "Stop" },
    { name: "new-session", summary: "Begin anew" },
  ],
};

test("commands in a group are mom's when they name her, or when no other bot is there", async (context) => {
  const { inGroup, next } = await open(context, menu);
  const hear = async (text: string) => {
    inGroup(text);
    const { text: heard, isMention } = await next();
    return [heard, isMention];
  };
  assert.deepEqual(await hear("/stop now"), ["/stop now", true]);
  assert.deepEqual(await hear("/new_session"), ["/new-session", true]);
  assert.deepEqual(await hear("/etc/passwd is broken"), ["/etc/passwd is broken", false]);
  assert.deepEqual(await hear("/stop@mom_test_bot"), ["/stop", true]);
  assert.deepEqual(await hear("/stop@other_bot"), ["/stop@other_bot", false]);
  // By now it is known that there is another one.
  assert.deepEqual(await hear("/stop now"), ["/stop now", false]);
  assert.deepEqual(await hear("/stop@mom_test_bot now"), ["/stop now", true]);
});

test("a bot that is added makes bare commands nobody's", async (context) => {
  const { platform, inGroup, next, chats, people } = await open(context, menu);
  const joined = { new_chat_members: [{ id: 9, first_name: "Other", is_bot: true, username: "other_bot" }] };
  platform.sayWith({ channelId: chats.group, userId: people.owner, text: "" }, joined);
  inGroup("/stop");
  assert.equal((await next()).isMention, false);
});

test("a reply to mom is addressed to her, a reply to somebody else is not", async (context) => {
  const { platform, adapter, inGroup, next, chats, people } = await open(context);
  const sent = await adapter.sendMessage(chats.group, { deliveryId: "d.1" as never, text: "I said so" });
  assert.ok(sent.type === "sent");
  inGroup("really?", { replyTo: sent.messageId });
  const replied = await next();
  assert.deepEqual([replied.isMention, replied.replyTo], [true, sent.messageId]);
  const id = platform.say({ channelId: chats.group, userId: people.owner, text: "I think" });
  await next();
  inGroup("no", { replyTo: id });
  const other = await next();
  assert.deepEqual([other.isMention, other.replyTo], [false, id]);
});

test("a topic is a chat of its own; its beginning is no reply, even if mom began it", async (context) => {
  const { platform, adapter, next, people } = await open(context);
  const { topic, forum } = platform.places;
  platform.say({ channelId: topic, userId: people.owner, text: "in the topic", replyTo: topic.split("/")[1] ?? "" });
  const heard = await next();
  assert.deepEqual(
    [heard.channelId, heard.metadata, heard.replyTo, heard.isMention],
    [topic, { topicId: topic.split("/")[1] }, undefined, false],
  );
  assert.deepEqual(adapter.getChannelInfo(topic), { id: topic, name: "Club / Plans", type: "group", parentId: forum });
  platform.say({ channelId: forum, userId: people.owner, text: "in general" });
  assert.equal((await next()).channelId, forum);

  const action = { type: "thread" as const, name: "Ideas", text: "Here they go" };
  const begun = await adapter.act(forum, { deliveryId: "t.1" as never, action });
  assert.ok(begun.type === "sent");
  const own = `${forum}/${begun.messageId}`;
  platform.say({ channelId: own, userId: people.owner, text: "nice", replyTo: begun.messageId });
  assert.deepEqual([(await next()).isMention, platform.posts(own)[0]?.text], [false, "Here they go"]);
});

test("with privacy mode on, only what is meant for mom arrives, and health says so where she should hear all", async (context) => {
  const options = { platform: { isPrivacyOn: true }, config: { groups: { requireMention: false } } };
  const { adapter, inGroup, next, heard } = await open(context, options);
  assert.match(adapter.health().detail ?? "", /Privacy mode is on/);
  assert.match(adapter.health().fix ?? "", /setprivacy/);
  inGroup("just talk");
  inGroup("hey", { mention: true });
  assert.equal((await next()).text, "hey");
  assert.equal(heard.length, 1);
});

test("posts of a channel are heard, in the channel's name", async (context) => {
  const { platform, adapter, next, people } = await open(context);
  const { broadcast } = platform.places;
  platform.say({ channelId: broadcast, userId: people.owner, text: "news for @mom_test_bot" });
  const heard = await next();
  assert.deepEqual([heard.sender.id, heard.isMention, heard.text], [broadcast, false, "news for @mom_test_bot"]);
  assert.equal(adapter.getChannelInfo(broadcast)?.type, "channel");
});

test("an edit refers to what it changes and is addressed to nobody", async (context) => {
  const { platform, clock, next, chats, people } = await open(context);
  const id = platform.say({ channelId: chats.owner, userId: people.owner, text: "teh plan" });
  await next();
  await clock.advance(5_000);
  platform.edit(chats.owner, id, "the plan");
  const edited = await next();
  assert.deepEqual(edited.change, { type: "edit", ref: id });
  assert.match(edited.id, new RegExp(`^${id}:edit:${Math.floor(clock.now() / 1_000)}:[0-9a-f]{8}$`));
  assert.deepEqual([edited.text, edited.isMention], ["the plan", false]);
  platform.edit(chats.owner, id, "the better plan");
  assert.notEqual((await next()).id, edited.id, "two corrections within a second are two");
});

test("files come along: the largest photo, documents, voice messages, albums", async (context) => {
  const { platform, next, saved, chats, people } = await open(context);
  const send = (files: { filename: string; data: string; mimeType?: string }[]) =>
    platform.say({ channelId: chats.owner, userId: people.owner, text: "look", files });
  send([{ filename: "cat.jpg", data: "large photo", mimeType: "image/jpeg" }]);
  const photo = await next();
  assert.deepEqual(
    [photo.text, photo.attachments[0]?.filename, photo.attachments[0]?.size],
    ["look", `photo-${photo.id}.jpg`, 11],
  );
  assert.equal(saved[0]?.text, "large photo");
  send([{ filename: "speech.ogg", data: "sound", mimeType: "audio/ogg" }]);
  assert.match((await next()).attachments[0]?.filename ?? "", /^voice-\d+\.ogg$/);
  send([
    { filename: "a.txt", data: "a" },
    { filename: "b.txt", data: "b" },
  ]);
  assert.deepEqual([(await next()).text, (await next()).text], ["look", ""]);
  assert.deepEqual(
    saved.slice(2).map(({ filename }) => filename),
    ["a.txt", "b.txt"],
  );
});

test("a file that cannot be had is told in the text", async (context) => {
  const { platform, next, until, heard, chats, people } = await open(context);
  const said = { channelId: chats.owner, userId: people.owner, text: "" };
  const claimed = { file_id: platform.addFile("x", "documents/x.iso", 30e6), file_name: "x.iso", file_size: 30e6 };
  platform.sayWith(said, { caption: "big", document: claimed });
  assert.match((await next()).text, /^big\n\(file "x\.iso", 28\.6 MiB: larger than 20\.0 MiB, not fetched\)$/);
  platform.sayWith(said, { document: { ...claimed, file_size: undefined } });
  assert.match((await next()).text, /^\(file "x\.iso": .*file is too big, not fetched\)$/);
  platform.sayWith(said, { document: { file_id: "gone", file_name: "y.txt" } });
  assert.match((await next()).text, /wrong file_id/);
  platform.fail({ type: "cut", method: "getFile" });
  platform.say({ ...said, files: [{ filename: "z.txt", data: "z" }] });
  await until(() => heard.length === 4, 500);
  assert.equal(heard[3]?.attachments[0]?.filename, "z.txt");
});

test("what has no words gets some", async (context) => {
  const { platform, next, chats, people } = await open(context);
  const show = async (content: Record<string, unknown>) => {
    platform.sayWith({ channelId: chats.owner, userId: people.owner, text: "" }, content);
    return (await next()).text;
  };
  assert.equal(await show({ sticker: { file_id: "s", emoji: "🎉", set_name: "Fun" } }), "🎉");
  assert.equal(await show({ location: { latitude: 1.5, longitude: -2 } }), "(location: 1.5, -2)");
  assert.equal(
    await show({ venue: { title: "Café", address: "Main St", location: { latitude: 1, longitude: 2 } } }),
    "(place: Café, Main St; 1, 2)",
  );
  assert.equal(await show({ contact: { first_name: "Bo", phone_number: "+1" } }), "(contact: Bo, +1)");
  assert.equal(
    await show({ poll: { question: "Tea?", options: [{ text: "yes" }, { text: "no" }] } }),
    "(poll: Tea? – yes / no)",
  );
  assert.equal(await show({ dice: { emoji: "🎲", value: 4 } }), "(🎲 4)");
  const blocks = [
    { type: "heading", text: ["A ", { type: "bold", text: "title" }] },
    { type: "list", items: [{ blocks: [{ type: "paragraph", text: "one" }] }] },
  ];
  assert.equal(await show({ rich_message: { blocks } }), "A title\n\n- one");
});

test("what nobody said is not passed on", async (context) => {
  const { platform, inGroup, next, heard, chats, people } = await open(context);
  platform.sayWith({ channelId: chats.group, userId: people.owner, text: "" }, { new_chat_title: "New name" });
  inGroup("words");
  assert.equal((await next()).text, "words");
  assert.equal(heard.length, 1);
});

test("names and addresses that are not in the words are put there", async (context) => {
  const { platform, next, chats, people } = await open(context);
  const entities = [
    { type: "text_mention", offset: 4, length: 3, user: { id: 77, first_name: "Zoë", is_bot: false } },
    { type: "text_link", offset: 8, length: 4, url: "https://example.org/x" },
  ];
  platform.sayWith({ channelId: chats.owner, userId: people.owner, text: "ask Zoë here" }, { entities });
  const heard = await next();
  assert.deepEqual([heard.text, heard.rawText], ["ask @user-77 here (https://example.org/x)", "ask Zoë here"]);
});

test("a forwarded word is not the sender's own", async (context) => {
  const { platform, next, chats, people } = await open(context);
  const forward = async (forward_origin: Record<string, unknown>): Promise<ChannelMessage> => {
    platform.sayWith({ channelId: chats.owner, userId: people.owner, text: "/stop" }, { forward_origin });
    return next();
  };
  const strange = await forward({ type: "hidden_user", sender_user_name: "Eve", date: 1 });
  assert.equal(strange.text, "(forwarded from Eve)\n/stop");
  assert.deepEqual(strange.metadata, { outside: "a message forwarded from Eve" });
  const own = { id: Number(people.owner), first_name: "Ann", is_bot: false };
  assert.equal((await forward({ type: "user", sender_user: own, date: 1 })).text, "/stop");
});

test("whoever speaks for a chat is that chat; whoever has no username gets one that nobody can take", async (context) => {
  const { platform, adapter, next, chats, people } = await open(context);
  const groupId = Number(chats.group);
  const anonymous = { sender_chat: { id: groupId, type: "supergroup", title: "Family" } };
  platform.sayWith({ channelId: chats.group, userId: people.owner, text: "as admin" }, anonymous);
  const admin = (await next()).sender;
  assert.deepEqual([admin.id, admin.username, admin.isBot], [chats.group, `chat-${-groupId}`, false]);
  const nameless = { from: { id: 55, first_name: "ann", is_bot: false } };
  platform.sayWith({ channelId: chats.group, userId: people.owner, text: "hi" }, nameless);
  assert.deepEqual((await next()).sender, { id: "55", username: "user-55", displayName: "ann", isBot: false });
  assert.equal(adapter.getUserInfo("55")?.username, "user-55");
});

test("other bots are heard as bots", async (context) => {
  const { platform, next, chats, people } = await open(context);
  const from = { id: 8, first_name: "Beep", username: "beep_bot", is_bot: true };
  platform.sayWith({ channelId: chats.group, userId: people.owner, text: "beep" }, { from });
  assert.equal((await next()).sender.isBot, true);
});

test("a group that becomes a supergroup is still reached under its old id", async (context) => {
  const { platform, adapter, log, until, next, people } = await open(context);
  const { smallGroup } = platform.places;
  const moved = platform.migrate(smallGroup);
  await until(() => log.lines.some(({ fields }) => String(fields["fix"]).includes(moved)));
  const result = await adapter.sendMessage(smallGroup, { deliveryId: "d.1" as never, text: "here", replyTo: "1" });
  assert.equal(result.type, "sent");
  assert.deepEqual([platform.posts(moved)[0]?.text, platform.posts(moved)[0]?.replyTo], ["here", undefined]);
  assert.equal((await adapter.updateMessage(smallGroup, "1", "x")).type, "rejected");
  platform.say({ channelId: moved, userId: people.owner, text: "we are here now" });
  assert.equal((await next()).channelId, moved);
});

test("the stop button of a draft asks for a stop", async (context) => {
  const { platform, adapter, clock, stops, until, chats } = await open(context);
  await adapter.showEvent(chats.owner, "t1" as never, { type: "text_delta", delta: "thinking about it" });
  await until(() => platform.drafts(chats.owner).length === 1, 200);
  platform.stopDraft(chats.owner);
  await until(() => stops.length === 1);
  assert.deepEqual(stops, [`${chats.owner} by ${chats.owner}`]);
  assert.ok(clock.now() > 0);
});

test("a chat that mom left is no longer listed", async (context) => {
  const { platform, adapter, inGroup, next, until, chats } = await open(context);
  inGroup("hi");
  await next();
  assert.ok(adapter.getChannelInfo(chats.group));
  platform.member(chats.group, "kicked");
  await until(() => adapter.getChannelInfo(chats.group) === undefined);
});

test("an update that cannot be read does not stop the others", async (context) => {
  const { platform, next, log, chats, people } = await open(context);
  platform.sayWith({ channelId: chats.owner, userId: people.owner, text: "x" }, { entities: "nonsense" });
  platform.say({ channelId: chats.owner, userId: people.owner, text: "fine" });
  assert.equal((await next()).text, "fine");
  assert.ok(log.lines.some(({ level, text }) => level === "error" && /it is skipped/.test(text)));
});
