/** The connection in all weathers: real sockets to a Discord on loopback, mom's own waits on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDiscordStage } from "../../../test/fakes/discord/stage.ts";

/** A second, two, four …, with some chance in it. */
function assertGrowing(slept: number[], count: number): void {
  assert.equal(slept.length, count, `waits of ${slept} ms`);
  for (const [n, ms] of slept.entries()) assert.ok(ms > 600 * 2 ** n && ms < 1400 * 2 ** n, `waits of ${slept} ms`);
}

const texts = (heard: { text: string }[]) => heard.map(({ text }) => text);

test("a restart resumes the session, and what was not taken comes again", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { owner } = platform.people;
  const first = open({}, async ({ text }) => {
    if (text === "two") throw new Error("the disk is full");
  });
  await first.adapter.start();
  for (const text of ["one", "two"]) platform.say({ channelId: platform.chats.owner, userId: owner, text });
  platform.say({ channelId: platform.chats.group, userId: owner, text: "three", mention: true });
  await until(() => first.heard.length === 2 && first.log.lines.some(({ text }) => text.includes("not taken")));
  await first.adapter.stop();
  platform.say({ channelId: platform.chats.owner, userId: owner, text: "four" });

  const second = open();
  await second.adapter.start();
  await until(() => second.heard.length === 3);
  const inChat = (channelId: string) => texts(second.heard.filter((message) => message.channelId === channelId));
  assert.deepEqual(inChat(platform.chats.owner), ["two", "four"]);
  assert.deepEqual(inChat(platform.chats.group), ["three"], "what came after an open one comes again too");
  assert.equal(platform.identifies, 1);
  assert.equal(platform.resumes, 1);
  await until(() => platform.unacknowledged === 0);
});

test("killed right after the first message has come, it is heard in the next life", async (t) => {
  const { platform, open, until, killNow } = await createDiscordStage(t);
  let isCalled = false;
  const first = open({}, async () => {
    if (!isCalled) killNow();
    isCalled = true;
    throw new Error("killed");
  });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hello" });
  await first.adapter.start();
  await until(() => isCalled);
  await first.adapter.stop();

  const second = open();
  await second.adapter.start();
  await until(() => second.heard.length === 1);
  assert.deepEqual(texts(second.heard), ["hello"]);
  assert.equal(platform.identifies, 1, "the session was on disk before its first message was given on");
});

test("nothing is given on before the session can be found again", async (t) => {
  const { platform, open, until, memory } = await createDiscordStage(t);
  const { promise: isWritten, resolve: write } = Promise.withResolvers<void>();
  const { set } = memory;
  memory.set = async (key, value) => {
    if (key === "session") await isWritten;
    await set(key, value);
  };
  const { adapter, heard } = open();
  await adapter.start();
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hello" });
  platform.command({ channelId: platform.chats.owner, userId: platform.people.owner, name: "stop" });
  for (let n = 0; n < 20; n++) await platform.roundTrip();
  const heardBefore = heard.length;
  write();
  assert.equal(heardBefore, 0);
  await until(() => heard.length === 2);
});

for (const fault of ["opcode-7", "close-4000", "drop-socket"]) {
  test(`${fault}: the session is resumed and nothing is missed`, async (t) => {
    const { platform, open, until } = await createDiscordStage(t);
    const { adapter, heard } = open();
    await adapter.start();
    platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "before" });
    await until(() => heard.length === 1);
    platform.fail(fault === "drop-socket" ? { type: "drop-socket" } : { type: "platform", name: fault });
    await until(() => adapter.health().state === "reconnecting" || platform.connections === 0);
    platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "meanwhile" });
    await until(() => heard.length === 2 && adapter.health().state === "connected");
    assert.deepEqual(texts(heard), ["before", "meanwhile"]);
    assert.deepEqual([platform.identifies, platform.resumes], [1, 1]);
    assert.equal(adapter.health().reconnects, 1);
  });
}

test("opcode 9: a new session, and what was missed is read in order from the chats", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { owner, group } = platform.chats;
  const say = (channelId: string, text: string) =>
    platform.say({ channelId, userId: platform.people.owner, text, mention: channelId !== owner });
  say(group, "long ago");
  const { adapter, heard } = open();
  const quiet = platform.addChannel("quiet");
  await adapter.start();
  say(owner, "d1");
  say(group, "g1");
  await until(() => heard.length >= 2 && platform.unacknowledged === 0);
  heard.length = 0;

  platform.fail({ type: "platform", name: "opcode-9" });
  for (let n = 2; n <= 130; n++) say(group, `g${n}`);
  for (const text of ["d2", "d3"]) say(owner, text);
  say(quiet, "q1");
  await until(() => platform.identifies === 2, 100);
  say(group, "g131");
  // One that is read may come as an event too; the inbox knows them by their ids.
  const once = () => [...new Map(heard.map((message) => [message.id, message])).values()];
  await until(() => once().length === 133, 100);
  const inChat = (channelId: string) => texts(once().filter((message) => message.channelId === channelId));
  assert.deepEqual(
    inChat(group),
    Array.from({ length: 130 }, (_, n) => `g${n + 2}`),
  );
  assert.deepEqual(inChat(owner), ["d2", "d3"]);
  assert.deepEqual(inChat(quiet), ["q1"]);
  assert.ok(heard.every(({ isMention }) => isMention));
  assert.equal(adapter.getChannelInfo(quiet)?.name, "quiet");
});

test("what was said between two sessions is read also in a chat that nobody had heard of", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  const { adapter, heard } = open();
  const { group } = platform.chats;
  await adapter.start();
  platform.fail({ type: "platform", name: "opcode-9" });
  platform.say({ channelId: group, userId: platform.people.owner, text: "between" });
  await until(() => platform.identifies === 2, 100);
  platform.say({ channelId: group, userId: platform.people.owner, text: "after" });
  // What is read may come as an event too: the inbox knows it by its id.
  const once = () => [...new Map(heard.map((message) => [message.id, message])).values()];
  await until(() => once().length === 2);
  assert.deepEqual(texts(once()), ["between", "after"]);
});

for (const [fault, code, hint] of [
  ["close-4004", "CHANNEL_LOGIN_REFUSED", /Reset Token/],
  ["close-4014", "CHANNEL_RIGHT_MISSING", /Message Content Intent/],
] as const) {
  test(`${fault} at the start is final and says what to do`, async (t) => {
    const { platform, open } = await createDiscordStage(t);
    const { adapter } = open();
    platform.fail({ type: "platform", name: fault });
    await assert.rejects(adapter.start(), { code, hint });
    assert.equal(adapter.health().state, "failed");
    assert.match(adapter.health().fix ?? "", hint);
  });

  test(`${fault} while running is final too`, async (t) => {
    const { platform, open, until } = await createDiscordStage(t);
    const { adapter } = open();
    await adapter.start();
    platform.fail({ type: "platform", name: fault });
    await until(() => adapter.health().state === "failed");
    const { connections, identifies } = platform;
    await until(() => platform.connections === 0, 1000);
    assert.deepEqual([connections <= 1, platform.identifies], [true, identifies]);
  });
}

test("an intent that is switched off is found at the start", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  platform.allowed.messageContent = false;
  await assert.rejects(open().adapter.start(), { code: "CHANNEL_RIGHT_MISSING" });
});

test("a wrong token is final, and a token that is revoked while running too; posts then wait", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  await assert.rejects(open({ botToken: "wrong" }).adapter.start(), { code: "CHANNEL_LOGIN_REFUSED" });
  const { adapter, send } = open();
  await adapter.start();
  platform.revokeToken();
  for (let n = 0; n < 2; n++) assert.equal((await send("hello")).type, "retry");
  assert.equal(adapter.health().state, "failed");
  assert.match(adapter.health().detail ?? "", /token/);
  const calls = platform.calls.filter(({ name }) => name === "createMessage").length;
  assert.equal(calls, 1, "Discord bans those who go on with a token that it refuses");
  await until(() => platform.connections === 0);
});

test("a refused upgrade is tried again, later and later, and resumes the session", async (t) => {
  const { platform, open, until, slept } = await createDiscordStage(t);
  const { adapter, heard } = open();
  await adapter.start();
  for (let n = 0; n < 4; n++) platform.fail({ type: "platform", name: "refuse-upgrade" });
  platform.fail({ type: "drop-socket" });
  await until(() => platform.resumes === 1, 20);
  assertGrowing(slept, 4);
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "again" });
  await until(() => heard.length === 1);
  assert.equal(platform.identifies, 1);
  assert.equal(adapter.health().state, "connected");
});

test("a connection that is closed again and again before anything has come is made more and more slowly", async (t) => {
  const { platform, open, until, slept } = await createDiscordStage(t);
  await open().adapter.start();
  await platform.roundTrip();
  for (let n = 1; n <= 4; n++) {
    platform.fail({ type: "platform", name: "close-4000" });
    await until(() => platform.resumes === n && platform.connections === 1, 20);
  }
  assertGrowing(slept, 3);
});

test("a platform that is out of reach is tried again until it is there; stop ends that at once", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { adapter } = open();
  for (const method of ["getCurrentUser", "getGatewayBot"]) {
    for (let n = 0; n < 2; n++) platform.fail({ type: "status", method, status: 502 });
  }
  let isStarted = false;
  const starting = adapter.start().then(() => {
    isStarted = true;
  });
  await until(() => adapter.health().state === "reconnecting");
  assert.match(adapter.health().detail ?? "", /502/);
  await until(() => isStarted, 200);
  await starting;
  assert.equal(adapter.health().state, "connected");

  const nowhere = open({ apiUrl: "http://127.0.0.1:1/api" }).adapter;
  const waiting = nowhere.start();
  await until(() => nowhere.health().state === "reconnecting");
  await nowhere.stop();
  await waiting;
  assert.equal(nowhere.health().state, "stopped");
  await adapter.stop();
  assert.equal(clock.pending, 0, "no timer is left");
});

test("stopped in the middle of connecting, it leaves nothing open", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { adapter } = open();
  const starting = adapter.start();
  await until(() => platform.connections === 1);
  await adapter.stop();
  await starting;
  await until(() => platform.connections === 0);
  assert.equal(clock.pending, 0);
});

test("a connection that is open and deaf is noticed and replaced", async (t) => {
  const { platform, open, until, clock } = await createDiscordStage(t);
  const { adapter, heard } = open();
  await adapter.start();
  await clock.advance(200_000);
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hello" });
  await until(() => heard.length === 1);
  // Quiet, but not deaf: the canary is answered.
  await clock.advance(300_001);
  await until(() => platform.membersAsked === 1);
  await platform.roundTrip();
  await clock.advance(30_001);
  assert.equal(platform.resumes, 0);

  platform.fail({ type: "platform", name: "deaf" });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "can you hear me?" });
  await until(() => platform.resumes === 1, 10_000);
  await until(() => heard.length === 2);
  assert.deepEqual(texts(heard), ["hello", "can you hear me?"]);
  assert.equal(platform.identifies, 1);
});

test("more events than can be taken at once are left to Discord and come later", async (t) => {
  const { platform, open, until } = await createDiscordStage(t);
  let isFull = true;
  const { adapter, heard } = open({}, async () => {
    if (isFull) throw new Error("the disk is full");
  });
  await adapter.start();
  const sent = Array.from({ length: 1300 }, (_, n) => `m${n}`);
  for (const text of sent) platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  await until(() => platform.connections === 0);
  assert.equal(adapter.health().state, "reconnecting");
  isFull = false;
  await until(() => heard.length === sent.length, 1000);
  assert.deepEqual(texts(heard), sent);
  assert.equal(platform.identifies, 1);
});
