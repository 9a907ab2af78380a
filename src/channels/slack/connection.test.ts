/** Mom's connection to Slack through everything that happens to connections. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlackPlatform } from "../../../test/fakes/slack/index.ts";
import { createSlackStage, startSlackStage } from "../../../test/fakes/slack/stage.ts";

for (const reason of ["disconnect", "warning"]) {
  test(`a ${reason} frame leaves no gap: the next connection is there without any time passing`, async (t) => {
    const { platform, adapter, heard, clock, until } = await startSlackStage(t);
    const before = clock.now();
    platform.fail({ type: "platform", name: reason });
    platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "meanwhile" });
    await until(() => heard.length === 1 && platform.unacknowledged === 0);
    assert.equal(clock.now(), before);
    assert.equal(platform.opened, 2);
    await until(() => platform.connections === 1);
    assert.deepEqual([adapter.health().state, adapter.health().reconnects], ["connected", 1]);
  });
}

test("a dropped socket is replaced at once, and again and again with growing waits", async (t) => {
  const { platform, adapter, heard, clock, until } = await startSlackStage(t);
  const start = clock.now();
  platform.fail({ type: "drop-socket" });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "one" });
  await until(() => heard.length === 1 && platform.unacknowledged === 0);
  assert.equal(clock.now(), start);
  const waits: number[] = [];
  for (let n = 2; n < 6; n++) {
    const droppedAt = clock.now();
    platform.fail({ type: "drop-socket" });
    await until(() => platform.connections === 0);
    await until(() => platform.connections === 1, 50);
    waits.push(clock.now() - droppedAt);
  }
  const [first = 0, , , last = 0] = waits;
  assert.ok(first > 600 && first < 1_600 && last > 4_000, String(waits));
  assert.equal(adapter.health().reconnects, 5);
  // One that held has made up for it.
  await clock.advance(10_000);
  const at = clock.now();
  platform.fail({ type: "drop-socket" });
  await until(() => platform.opened === 7 && platform.connections === 1);
  assert.equal(clock.now(), at);
});

test("what was said while mom was down is heard afterwards, in order, threads and changes too", async (t) => {
  const stage = await createSlackStage();
  const { platform, clock, until } = stage;
  t.after(() => platform.close());
  const { owner, group } = platform.chats;
  const direct = { channelId: owner, userId: platform.people.owner };
  const inGroup = { channelId: group, userId: platform.people.other };
  platform.say({ ...direct, text: "before mom was there", isUnheard: true });

  const first = stage.createAdapter();
  await first.adapter.start();
  const known = platform.say({ ...direct, text: "helo" });
  const root = platform.say({ ...inGroup, text: "a question", mention: true });
  await until(() => first.heard.length === 2);
  await first.adapter.stop();
  await until(() => platform.connections === 0);

  await clock.advance(60_000);
  const missed = platform.say({ ...direct, text: "one", isUnheard: true });
  platform.say({ ...inGroup, text: "in the thread", replyTo: root, isUnheard: true });
  platform.say({ ...direct, text: "two", isUnheard: true });
  platform.say({ ...inGroup, text: "aloud", isUnheard: true });
  const { channelId: fresh, userId: cleo } = platform.addDirectChat("cleo");
  platform.say({ channelId: fresh, userId: cleo, text: "hello, I am new", isUnheard: true });
  const edited = platform.workspace.find(owner, known);
  assert.ok(edited);
  Object.assign(edited, { text: "hello", editedTs: platform.workspace.nextTs() });

  const second = stage.createAdapter();
  t.after(() => second.adapter.stop());
  await second.adapter.start();
  // Something new that comes first waits for what was missed in its chat.
  platform.say({ ...direct, text: "three" });
  await until(() => second.heard.length === 7);
  const textsIn = (channelId: string) => second.heard.filter((m) => m.channelId === channelId).map(({ text }) => text);
  assert.deepEqual(textsIn(owner), ["one", "two", "hello", "three"]);
  assert.deepEqual(textsIn(group), ["in the thread", "aloud"]);
  assert.deepEqual(textsIn(fresh), ["hello, I am new"]);
  assert.equal(second.heard.find(({ text }) => text === "one")?.id, missed);
  assert.deepEqual(second.heard.find(({ text }) => text === "hello")?.change, { type: "edit", ref: known });
});

test("what was said while the socket was down and never delivered is fetched after the reconnect", async (t) => {
  const { platform, heard, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  platform.say({ ...where, text: "one" });
  await until(() => heard.length === 1);
  platform.say({ ...where, text: "lost", isUnheard: true });
  platform.fail({ type: "drop-socket" });
  await until(() => heard.length === 2);
  assert.deepEqual(
    heard.map(({ text }) => text),
    ["one", "lost"],
  );
});

test("a connection that brings nothing is found out, replaced, and what it kept is fetched", async (t) => {
  const { platform, heard, log, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  platform.say({ ...where, text: "one" });
  await until(() => heard.length === 1);
  platform.fail({ type: "platform", name: "deaf" });
  platform.say({ ...where, text: "can you hear me?" });
  await until(() => heard.length === 2, 5_000);
  assert.equal(heard[1]?.text, "can you hear me?");
  assert.equal(platform.opened, 2);
  platform.say({ ...where, text: "and now?" });
  await until(() => heard.length === 3);
  assert.ok(log.lines.some(({ text }) => text.includes("brings nothing any more")));
});

test("an app that is not subscribed to messages is told so, and not reconnected for ever", async (t) => {
  const { platform, adapter, heard, clock, until } = await startSlackStage(t);
  const where = { channelId: platform.chats.group, userId: platform.people.other };
  platform.say({ ...where, text: "one", mention: true });
  await until(() => heard.length === 1 && platform.unacknowledged === 0);
  for (let n = 0; n < 4; n++) {
    platform.say({ ...where, text: `chatter ${n}`, isUnheard: true });
    const end = clock.now() + 1_800_000;
    await until(() => clock.now() >= end, 5_000);
  }
  assert.ok(platform.opened < 6, `${platform.opened} connections in two hours`);
  assert.match(adapter.health().detail ?? "", /does not send what is said/);
  assert.match(adapter.health().fix ?? "", /Event Subscriptions/);
  assert.equal(heard.length, 5, "it is heard all the same");
  platform.say({ ...where, text: "two", mention: true });
  await until(() => heard.length === 6);
  assert.equal(adapter.health().detail, undefined);
});

test("a history that Slack limits is looked at later, and what is new does not wait for it", async (t) => {
  const { platform, heard, until, clock } = await startSlackStage(t);
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  platform.say({ ...where, text: "one" });
  await until(() => heard.length === 1);
  platform.say({ ...where, text: "missed", isUnheard: true });
  platform.fail({ type: "status", method: "conversations.history", status: 429, retryAfterMs: 20_000 });
  platform.fail({ type: "drop-socket" });
  await until(() => platform.calls("conversations.history").length === 1);
  const before = clock.now();
  await until(() => heard.length === 2, 1_000);
  assert.equal(heard[1]?.text, "missed");
  assert.ok(clock.now() - before >= 20_000);
});

test("what was missed is not forgotten when something new was taken before it could be fetched", async (t) => {
  const stage = await startSlackStage(t);
  const { platform, heard, adapter, until } = stage;
  const where = { channelId: platform.chats.owner, userId: platform.people.owner };
  platform.say({ ...where, text: "one" });
  await until(() => heard.length === 1 && platform.unacknowledged === 0);
  platform.say({ ...where, text: "missed", isUnheard: true });
  const limit = { type: "status", method: "conversations.history", status: 429, retryAfterMs: 40_000 } as const;
  platform.fail(limit);
  platform.fail(limit);
  platform.fail({ type: "drop-socket" });
  platform.say({ ...where, text: "two" });
  await until(() => heard.length === 2 && platform.unacknowledged === 0, 100);
  await adapter.stop();

  const next = stage.createAdapter();
  t.after(() => next.adapter.stop());
  await next.adapter.start();
  await until(() => next.heard.some(({ text }) => text === "missed"), 1_000);
  assert.deepEqual(
    heard.map(({ text }) => text),
    ["one", "two"],
  );
});

test("silence alone is no deafness", async (t) => {
  const { platform, heard, clock, until } = await startSlackStage(t);
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "one" });
  await until(() => heard.length === 1);
  for (let n = 0; n < 20; n++) {
    await clock.advance(120_000);
    await until(() => true);
  }
  assert.equal(platform.opened, 1);
  const looks = platform.calls("conversations.history").length;
  assert.ok(looks > 0 && looks <= 14, `${looks} looks in 40 minutes`);
});

test("a server that is not there is tried for until it is, and a stop ends that at once", async (t) => {
  const stage = await createSlackStage();
  t.after(() => stage.platform.close());
  const gone = await createSlackPlatform();
  await gone.close();
  const { adapter } = stage.createAdapter({ apiUrl: gone.apiUrl });
  const started = adapter.start();
  await stage.until(() => adapter.health().state === "reconnecting");
  assert.match(adapter.health().detail ?? "", /out of reach/);
  await adapter.stop();
  await started;
  assert.equal(adapter.health().state, "stopped");
  assert.equal(stage.clock.pending, 0);

  const failing = stage.createAdapter();
  t.after(() => failing.adapter.stop());
  stage.platform.fail({ type: "status", method: "auth.test", status: 503 });
  stage.platform.fail({ type: "status", method: "apps.connections.open", status: 503 });
  stage.platform.fail({ type: "status", method: "apps.connections.open", status: 429, retryAfterMs: 7_000 });
  const going = failing.adapter.start().then(() => failing.adapter.health().state);
  await stage.until(() => failing.adapter.health().state === "connected", 250);
  assert.equal(await going, "connected");
  assert.equal(stage.platform.calls("apps.connections.open").length, 3);
});

test("a stop leaves no timer and no connection behind", async (t) => {
  const { platform, adapter, clock, until } = await startSlackStage(t);
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hi" });
  await until(() => platform.unacknowledged === 0);
  await adapter.stop();
  await until(() => platform.connections === 0);
  assert.equal(clock.pending, 0);
});

for (const [what, config, code, hint] of [
  ["a wrong bot token", { botToken: "xoxb-wrong" }, "CHANNEL_LOGIN_REFUSED", /copy the bot token/],
  ["a wrong app token", { appToken: "xapp-wrong" }, "CHANNEL_LOGIN_REFUSED", /connections:write/],
  ["exchanged tokens", { botToken: "xapp-1-x" }, "CHANNEL_LOGIN_REFUSED", /xoxb-/],
] as const) {
  test(`${what} ends the start with the fix`, async (t) => {
    const stage = await createSlackStage();
    const { adapter } = stage.createAdapter(config);
    t.after(() => stage.platform.close());
    await assert.rejects(adapter.start(), (error: { code: string; hint: string }) => {
      assert.equal(error.code, code);
      assert.match(error.hint, hint);
      return true;
    });
    await adapter.stop();
    assert.equal(stage.clock.pending, 0);
  });
}

test("rights without which nothing works end the start; others are told in health", async (t) => {
  const stage = await createSlackStage();
  const { platform } = stage;
  t.after(() => platform.close());
  platform.settings.scopes.delete("chat:write");
  const first = stage.createAdapter();
  await assert.rejects(first.adapter.start(), { code: "CHANNEL_RIGHT_MISSING", message: /chat:write/ });
  await first.adapter.stop();

  platform.settings.scopes.add("chat:write").delete("files:read");
  const second = stage.createAdapter();
  t.after(() => second.adapter.stop());
  await second.adapter.start();
  const { state, detail, fix, account } = second.adapter.health();
  assert.deepEqual([state, account], ["connected", "@mom on Acme"]);
  assert.match(detail ?? "", /files:read/);
  assert.match(fix ?? "", /OAuth & Permissions/);
});

test("an app token without its right, and Socket Mode switched off, are told", async (t) => {
  const stage = await createSlackStage();
  const { platform, clock, until } = stage;
  t.after(() => platform.close());
  const body = { ok: false, error: "missing_scope", needed: "connections:write" };
  platform.fail({ type: "status", method: "apps.connections.open", status: 200, body });
  const refused = stage.createAdapter();
  await assert.rejects(refused.adapter.start(), { code: "CHANNEL_RIGHT_MISSING", message: /connections:write/ });
  await refused.adapter.stop();

  const { adapter } = stage.createAdapter();
  t.after(() => adapter.stop());
  await adapter.start();
  const gone = { ok: false, error: "not_allowed_token_type" };
  platform.fail({ type: "status", method: "apps.connections.open", status: 200, body: gone });
  platform.fail({ type: "platform", name: "link-disabled" });
  await until(() => adapter.health().state === "failed" && platform.calls("apps.connections.open").length === 3);
  assert.match(adapter.health().fix ?? "", /Socket Mode/);
  // Somebody switches it on again.
  await clock.advance(300_000);
  await until(() => adapter.health().state === "connected");
});

test("a token that is revoked while mom runs: failed with the fix, posts wait, and it comes back", async (t) => {
  const { platform, adapter, clock, until } = await startSlackStage(t);
  platform.fail({ type: "platform", name: "revoke-token" });
  const message = { deliveryId: "d.1" as never, text: "hello" };
  const result = await adapter.sendMessage(platform.chats.owner, message);
  assert.equal(result.type, "retry");
  const { state, detail, fix } = adapter.health();
  assert.equal(state, "failed");
  assert.match(detail ?? "", /token_revoked/);
  assert.match(fix ?? "", /botToken/);
  platform.fail({ type: "platform", name: "restore-token" });
  await clock.advance(300_000);
  await until(() => adapter.health().state === "connected");
  assert.equal((await adapter.sendMessage(platform.chats.owner, message)).type, "sent");
});

test("the socket's pings are answered", async (t) => {
  const { platform } = await startSlackStage(t);
  platform.ping();
  await platform.until(() => platform.pongs === 1);
});
