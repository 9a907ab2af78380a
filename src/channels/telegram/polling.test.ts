/** The connection to Telegram: what is acknowledged when, and what happens when Telegram or the network does not play along. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemory, openStage } from "../../../test/fakes/telegram/rig.ts";
import { telegramConfigSchema } from "./config.ts";
import { createOffset } from "./offset.ts";

const offsets = (calls: { method: string; params: Record<string, unknown> }[]) =>
  calls.filter(({ method }) => method === "getUpdates").map(({ params }) => Number(params["offset"]));

test("a message is acknowledged only when it was taken", async (context) => {
  let refusals = 3;
  const stage = await openStage(context, {
    handle: async () => {
      if (refusals-- > 0) throw new Error("the disk is full");
    },
  });
  const { platform, adapter } = stage;
  await adapter.start();
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "keep this" });
  await stage.until(() => refusals < 3);
  const highest = Math.max(...offsets(platform.calls));
  assert.equal(platform.unacknowledged, 1);
  await stage.until(() => stage.heard.length === 1, 500);
  await stage.until(() => platform.unacknowledged === 0);
  assert.ok(Math.max(...offsets(platform.calls)) > highest);
  assert.equal(stage.heard[0]?.text, "keep this");
});

test("killed in between, nothing is lost and what was taken is not offered again", async (context) => {
  const memory = createMemory();
  let isHeld = false;
  const first = await openStage(context, {
    memory,
    handle: ({ text }) => {
      if (text !== "second") return Promise.resolve();
      isHeld = true;
      return new Promise(() => undefined);
    },
  });
  const { platform } = first;
  const say = (text: string) => platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  await first.adapter.start();
  say("first");
  await first.until(() => first.heard.length === 1 && platform.unacknowledged === 0 && platform.isPolled);
  say("second");
  let looks = 0;
  await first.until(() => isHeld && ++looks > 20);
  await first.adapter.stop();

  const second = await openStage(context, { memory, platform, clock: first.clock });
  await second.adapter.start();
  assert.equal((await second.next()).text, "second");
  say("third");
  assert.equal((await second.next()).text, "third");
  assert.equal(second.heard.length, 2);
});

test("what was taken just before a crash is not asked for again", async (context) => {
  const memory = createMemory();
  const first = await openStage(context, { memory });
  const { platform } = first;
  const say = (text: string) => platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  await first.adapter.start();
  await first.until(() => platform.isPolled);
  // The poll that would acknowledge it is refused, and then mom is gone.
  say("taken");
  platform.fail({ type: "status", method: "getUpdates", status: 502 });
  await first.next();
  await first.until(() => platform.calls.filter(({ method }) => method === "getUpdates").length === 3);
  await first.adapter.stop();
  assert.equal(platform.unacknowledged, 1);

  const second = await openStage(context, { memory, platform, clock: first.clock });
  await second.adapter.start();
  say("new");
  assert.equal((await second.next()).text, "new");
});

test("chats do not wait for each other, and each keeps its order", async (context) => {
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await openStage(context, { handle: ({ text }) => (text === "a1" ? blocked : Promise.resolve()) });
  const { platform, adapter } = stage;
  for (const [userId, text] of [
    [platform.people.owner, "a1"],
    [platform.people.owner, "a2"],
    [platform.people.other, "b1"],
    [platform.people.other, "b2"],
  ] as const) {
    platform.say({ channelId: userId, userId, text });
  }
  await adapter.start();
  await stage.until(() => stage.heard.length === 2);
  assert.deepEqual(
    stage.heard.map(({ text }) => text),
    ["b1", "b2"],
  );
  assert.equal(platform.unacknowledged, 4);
  release();
  await stage.until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    stage.heard.map(({ text }) => text),
    ["b1", "b2", "a1", "a2"],
  );
});

test("a second poller is told with its remedy, and mom goes on when it is gone", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  platform.fail({ type: "platform", name: "second-poller" });
  await stage.until(() => adapter.health().state === "reconnecting");
  const { detail, fix } = adapter.health();
  assert.match(detail ?? "", /Another process reads this bot's messages/);
  assert.match(fix ?? "", /BotFather/);
  platform.fail({ type: "platform", name: "second-poller-gone" });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "still there?" });
  await stage.until(() => stage.heard.length === 1, 1_000);
  assert.equal(adapter.health().state, "connected");
  assert.equal(adapter.health().detail, undefined);
  assert.equal(adapter.health().reconnects, 1);
});

test("a second poller at the start is waited out", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  platform.fail({ type: "platform", name: "second-poller" });
  const starting = adapter.start();
  await stage.until(() => adapter.health().fix !== undefined);
  assert.equal(adapter.health().state, "reconnecting");
  platform.fail({ type: "platform", name: "second-poller-gone" });
  await stage.until(() => adapter.health().state === "connected", 1_000);
  await starting;
});

test("a webhook is taken away at the start, without what waits; one that comes later is told", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  platform.state.webhookUrl = "https://elsewhere.example/hook";
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "waiting" });
  await adapter.start();
  assert.equal((await stage.next()).text, "waiting");
  assert.ok(stage.log.lines.some(({ fields }) => fields["host"] === "elsewhere.example"));
  platform.state.webhookUrl = "https://elsewhere.example/hook";
  platform.fail({ type: "drop-socket" });
  await stage.until(() => /webhook was set/.test(adapter.health().detail ?? ""), 1_000);
  assert.equal(adapter.health().state, "reconnecting");
});

test("a wrong token is final", async (context) => {
  for (const botToken of [
    "700000001:AAnother-token-that-nobody-gave-out",
    "123456789:AAnother-token-that-nobody-gave-out",
  ]) {
    const stage = await openStage(context, { config: { botToken } });
    await assert.rejects(stage.adapter.start(), { code: "CHANNEL_LOGIN_REFUSED" });
    assert.equal(stage.adapter.health().state, "failed");
    assert.doesNotMatch(JSON.stringify(stage.log.lines), /AAnother/);
  }
});

test("a token that is revoked while mom runs is told; posts wait for a new one", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  platform.fail({ type: "platform", name: "revoke-token" });
  await stage.until(() => adapter.health().state === "failed");
  assert.match(adapter.health().fix ?? "", /BotFather/);
  const result = await adapter.sendMessage(platform.chats.owner, { deliveryId: "d.1" as never, text: "x" });
  assert.equal(result.type, "retry");
  platform.fail({ type: "platform", name: "restore-token" });
  await stage.until(() => adapter.health().state === "connected", 5_000);
});

test("while Telegram is out of reach mom goes on trying, and stop ends it at once", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await platform.close();
  const starting = adapter.start();
  const looked = async (isDone: () => boolean) => {
    for (let n = 0; n < 1_000 && !isDone(); n++) await stage.clock.advance(100);
    assert.ok(isDone());
  };
  await looked(() => stage.log.lines.filter(({ text }) => /cannot be reached/.test(text)).length >= 3);
  assert.equal(adapter.health().state, "reconnecting");
  assert.match(adapter.health().detail ?? "", /ECONNREFUSED/);
  await adapter.stop();
  await starting;
  assert.equal(adapter.health().state, "stopped");
  assert.equal(stage.clock.pending, 0);
});

test("a hiccup at the start is survived", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  platform.fail({ type: "status", method: "getMe", status: 502, body: "<html>Bad Gateway</html>" });
  platform.fail({ type: "cut", method: "getMe" });
  platform.fail({ type: "status", method: "getUpdates", status: 429, retryAfterMs: 4_000 });
  const starting = adapter.start();
  await stage.until(() => adapter.health().state === "connected", 1_000);
  await starting;
});

test("a connection that is cut comes back by itself", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  await stage.until(() => platform.isPolled);
  platform.fail({ type: "drop-socket" });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "and now?" });
  await stage.until(() => stage.heard.length === 1, 1_000);
  assert.equal(adapter.health().reconnects, 1);
});

test("a deaf connection is noticed and replaced", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  await stage.until(() => platform.isPolled);
  platform.fail({ type: "platform", name: "deaf" });
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text: "hello?" });
  await stage.clock.advance(170_000);
  assert.equal(stage.heard.length, 0);
  assert.ok(!platform.calls.slice(5).some(({ method }) => method === "getWebhookInfo"));
  await stage.until(() => stage.heard.length === 1, 5_000);
  assert.ok(stage.log.lines.some(({ text }) => /is replaced/.test(text)));
  assert.equal(adapter.health().reconnects, 1);
});

test("silence alone replaces nothing", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  await stage.until(() => platform.isPolled);
  const asked = () => platform.calls.filter(({ method }) => method === "getWebhookInfo").length;
  const before = asked();
  await stage.until(() => asked() === before + 2, 60_000);
  assert.equal(platform.calls.filter(({ method }) => method === "getUpdates").length, 2);
});

test("stop ends the open poll at once and leaves nothing behind", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter, clock } = stage;
  await adapter.start();
  await stage.until(() => platform.isPolled);
  const before = clock.now();
  await adapter.stop();
  assert.equal(clock.now(), before);
  assert.equal(clock.pending, 0);
  await platform.until(() => !platform.isPolled);
});

test("events that come twice, late or in another order are all passed on", async (context) => {
  const stage = await openStage(context);
  const { platform, adapter } = stage;
  await adapter.start();
  const say = (text: string) => platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  platform.fail({ type: "duplicate" });
  say("twice");
  platform.fail({ type: "reorder" });
  say("one");
  say("two");
  platform.fail({ type: "late" });
  say("three");
  say("four");
  await stage.until(() => stage.heard.length === 6);
  assert.deepEqual(
    stage.heard.map(({ text }) => text),
    ["twice", "twice", "two", "one", "three", "four"],
  );
  assert.equal(stage.heard[0]?.id, stage.heard[1]?.id);
});

test("the offset is trusted only for the same bot and for a few days", async (context) => {
  const { clock, log, memory } = await openStage(context);
  const kept = createOffset({ clock, log, memory }, 1);
  await kept.moveTo(900);
  const read = async (botId: number) => {
    const offset = createOffset({ clock, log, memory }, botId);
    await offset.load();
    return offset.next;
  };
  assert.equal(await read(1), 900);
  assert.equal(await read(2), 0);
  await clock.advance(4 * 24 * 3_600_000);
  assert.equal(await read(1), 0);
});

test("the config says what is wrong with a token or an id", () => {
  const good = { type: "telegram", botToken: "123456789:AAEhBP0av28wEqSVbIEb_-0Kz4bJ5F5sR5w" };
  assert.equal(telegramConfigSchema.safeParse(good).success, true);
  assert.equal(telegramConfigSchema.safeParse({ ...good, botToken: "mybot" }).success, false);
  assert.equal(telegramConfigSchema.safeParse({ ...good, admins: ["@ann"] }).success, false);
  assert.equal(telegramConfigSchema.safeParse({ ...good, apiUrl: "http://example.org" }).success, false);
  assert.deepEqual(telegramConfigSchema.parse(good).groups.allow, []);
});
