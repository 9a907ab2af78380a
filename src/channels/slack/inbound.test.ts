/** What people do on Slack, as mom hears it: through the real SDK and a socket on loopback. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlackPlatform } from "../../../test/fakes/slack/index.ts";
import { startSlackStage } from "../../../test/fakes/slack/stage.ts";

test("a mention comes as two events and is one message", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const { chats, people, bot } = platform;
  const id = platform.say({
    channelId: chats.group,
    userId: people.other,
    text: "what <@U0OWNER> said, in <#C0GROUP|general>?",
    mention: true,
  });
  await until(() => platform.unacknowledged === 0);
  assert.equal(heard.length, 1);
  const [message] = heard;
  assert.equal(message?.id, id);
  assert.equal(message?.isMention, true);
  assert.equal(message?.text, "what @ann said, in #general?");
  assert.match(message?.rawText ?? "", new RegExp(`^<@${bot.userId}> what <@U0OWNER>`));
  assert.deepEqual(message?.sender, { id: people.other, username: "bob", displayName: "Bob", isBot: false });
});

test("an app that only hears mentions hears them once too", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const event = {
    type: "app_mention",
    ts: "1767225600.000700",
    channel: "C0GROUP",
    user: "U0OTHER",
    text: "<@U0MOM>: hello",
  };
  platform.emit(event);
  platform.emit({ ...event, type: "message", channel_type: "channel" });
  await until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    heard.map(({ id, text, isMention }) => [id, text, isMention]),
    [["1767225600.000700", "hello", true]],
  );
});

test("chatter is heard and not addressed; what joins and pins say is no talk", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.group, userId: platform.people.other };
  platform.say({ ...where, text: "just talking" });
  platform.say({ ...where, text: "has joined", subtype: "channel_join" });
  await until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    heard.map(({ text, isMention }) => [text, isMention]),
    [["just talking", false]],
  );
});

test("another bot is heard as a bot, mom herself never", async (t) => {
  const { platform, heard, adapter, until } = await startSlackStage(t);
  const { group } = platform.chats;
  platform.say({ channelId: group, userId: "U0CI", text: "build failed", bot: { botId: "B0CI", username: "ci" } });
  await adapter.sendMessage(group, { deliveryId: "d.1" as never, text: "mine" });
  await until(() => platform.unacknowledged === 0 && heard.length > 0);
  assert.deepEqual(
    heard.map(({ sender, text }) => [sender.id, sender.username, sender.isBot, text]),
    [["B0CI", "ci", true, "build failed"]],
  );
});

test("a reply below a post of mom's is addressed to her, one among others is not", async (t) => {
  const { platform, heard, adapter, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.group, userId: platform.people.other };
  const sent = await adapter.sendMessage(where.channelId, { deliveryId: "d.1" as never, text: "ask me" });
  assert.ok(sent.type === "sent");
  platform.say({ ...where, text: "so?", replyTo: sent.messageId });
  const root = platform.say({ ...where, text: "lunch?" });
  platform.say({ ...where, text: "yes", replyTo: root });
  await until(() => heard.length === 3 && platform.unacknowledged === 0);
  // In a thread of somebody else's, whoever writes after mom answers her.
  const cause = heard[2];
  assert.ok(cause);
  await adapter.sendMessage(where.channelId, { deliveryId: "d.2" as never, text: "pizza", cause });
  await until(() => platform.unacknowledged === 0);
  platform.say({ ...where, text: "good idea", replyTo: root });
  platform.say({ ...where, text: "let's go", replyTo: root });
  await until(() => heard.length === 5);
  assert.deepEqual(
    heard.map(({ text, isMention, replyTo }) => [text, isMention, replyTo]),
    [
      ["so?", true, sent.messageId],
      ["lunch?", false, undefined],
      ["yes", false, root],
      ["good idea", true, root],
      ["let's go", false, root],
    ],
  );
});

test("edits and deletions by people are told, each once; previews and mom's own are not", async (t) => {
  const { platform, heard, adapter, until } = await startSlackStage(t);
  const { owner } = platform.chats;
  const id = platform.say({ channelId: owner, userId: platform.people.owner, text: "helo" });
  await until(() => heard.length === 1);
  platform.fail({ type: "duplicate" });
  platform.edit(owner, id, "hello");
  platform.emit({
    type: "message",
    subtype: "message_changed",
    channel: owner,
    ts: "1767225601.000900",
    message: { ts: id, user: platform.people.owner, text: "hello", edited: { ts: "1.0" } },
    previous_message: { ts: id, user: platform.people.owner, text: "hello" },
  });
  platform.remove(owner, id);
  const sent = await adapter.sendMessage(owner, { deliveryId: "d.1" as never, text: "mine" });
  assert.ok(sent.type === "sent");
  await adapter.updateMessage(owner, sent.messageId, "mine!");
  await adapter.deleteMessage(owner, sent.messageId);
  await until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    heard.slice(1).map(({ text, change, isMention, sender }) => [text, change, isMention, sender.id]),
    [
      ["hello", { type: "edit", ref: id }, false, platform.people.owner],
      ["", { type: "delete", ref: id }, false, platform.people.owner],
    ],
  );
  assert.match(heard[1]?.id ?? "", new RegExp(`^${id}:edit:\\d`));
  assert.equal(heard[2]?.id, `${id}:delete`);
});

test("nothing is acknowledged before it is taken, and what comes again is taken once", async (t) => {
  const { platform, adapter, clock, until } = await startSlackStage(t);
  const taken = Promise.withResolvers<void>();
  const tried: string[] = [];
  adapter.onMessage(async ({ id }) => {
    tried.push(id);
    await taken.promise;
  });
  const id = platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hi" });
  await until(() => tried.length === 1);
  // Slack gives the same once more on the next connection.
  platform.fail({ type: "drop-socket" });
  await until(() => platform.opened === 2 && platform.connections === 1);
  await clock.advance(0);
  assert.equal(platform.unacknowledged, 1);
  taken.resolve();
  await until(() => platform.unacknowledged === 0);
  assert.deepEqual(tried, [id]);
});

test("an event that is not acknowledged in time comes again with the same id", async (t) => {
  const platform = await createSlackPlatform({ redeliverAfterMs: 5 });
  t.after(() => platform.close());
  const frames: { envelope_id?: string; retry_attempt?: number; type: string }[] = [];
  const socket = new WebSocket(`${platform.apiUrl.replace("http", "ws").replace("/api/", "")}/link`);
  socket.onmessage = ({ data }) => frames.push(JSON.parse(String(data)));
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hi" });
  await t.waitFor(() => assert.equal(frames.length, 4), { interval: 1 });
  assert.deepEqual(
    frames.map(({ type, retry_attempt }) => [type, retry_attempt]),
    [
      ["hello", undefined],
      ["events_api", undefined],
      ["events_api", 1],
      ["events_api", 2],
    ],
  );
  socket.send(JSON.stringify({ envelope_id: frames[1]?.envelope_id }));
  await platform.until(() => platform.unacknowledged === 0);
  socket.close();
});

test("events that come twice, late or in another order are each taken once", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  for (const type of ["duplicate", "reorder", "late"] as const) platform.fail({ type });
  for (const text of ["a", "b", "c", "d", "e"]) platform.say({ ...where, text });
  await until(() => platform.unacknowledged === 0 && heard.length === 5);
  assert.deepEqual(
    heard.map(({ text }) => text),
    ["a", "c", "b", "d", "e"],
  );
});

test("files come along, and what cannot be had is told in the text", async (t) => {
  const { platform, heard, saved, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  platform.say({ ...where, text: "look", files: [{ filename: "a.txt", data: "content", mimeType: "text/plain" }] });
  await until(() => heard.length === 1);
  assert.equal(saved.get("a.txt"), "content");
  assert.deepEqual(
    heard[0]?.attachments.map(({ filename, size }) => [filename, size]),
    [["a.txt", 7]],
  );

  // A login page with status 200 is no file.
  platform.settings.loginPages = 1;
  platform.say({ ...where, text: "again", files: [{ filename: "b.pdf", data: "pdf", mimeType: "application/pdf" }] });
  await until(() => heard.length === 2, 1_000);
  assert.equal(saved.has("b.pdf"), false);
  assert.match(heard[1]?.text ?? "", /^again\n\(file "b\.pdf", 3 B: .*web page.*not fetched\)$/);

  platform.emit({
    type: "message",
    subtype: "file_share",
    channel: where.channelId,
    channel_type: "im",
    user: where.userId,
    ts: "1767225700.000100",
    text: "elsewhere",
    files: [
      { id: "F1", name: "evil.txt", url_private: "http://127.0.0.1:1/evil.txt", size: 3 },
      { id: "F2", name: "drive.doc", mode: "external", is_external: true, url_private: "https://drive.example/x" },
    ],
  });
  await until(() => heard.length === 3);
  assert.deepEqual(heard[2]?.text.split("\n"), [
    "elsewhere",
    '(file "evil.txt": Slack gave no address of its own for it, not fetched)',
    '(file "drive.doc", kept outside Slack: https://drive.example/x)',
  ]);
});

test("people and channels are known by name without being asked for one by one", async (t) => {
  const { platform, adapter, until } = await startSlackStage(t);
  await until(() => adapter.getUsers().length === 3 && adapter.getChannels().length === 3);
  assert.deepEqual(adapter.getChannelInfo(platform.chats.other), { id: "D0OTHER", name: "bob", type: "dm" });
  assert.deepEqual(adapter.getChannelInfo(platform.chats.group), { id: "C0GROUP", name: "general", type: "channel" });
  assert.deepEqual(adapter.render("hi @bob, see #general, not `@bob` nor @nobody or <@U0OTHER>"), [
    "hi <@U0OTHER>, see <#C0GROUP>, not `@bob` nor @nobody or &lt;@U0OTHER>",
  ]);
  platform.workspace.addUser("U0NEW", "cleo");
  platform.emit({ type: "team_join", user: { id: "U0NEW", name: "cleo", profile: {} } });
  await until(() => adapter.getUserInfo("U0NEW") !== undefined);
  assert.equal(adapter.getUserInfo("U0NEW")?.username, "cleo");
});
