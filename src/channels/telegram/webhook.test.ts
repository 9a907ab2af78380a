/** Telegram calls mom: what it is told when, who else may not call, and what happens when one of the two is not there. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createTelegramPlatform, type TelegramPlatform } from "../../../test/fakes/telegram/index.ts";
import { createMemory, openStage, type StageOptions } from "../../../test/fakes/telegram/rig.ts";
import { createFakeWebhooks } from "../../../test/fakes/webhooks.ts";
import type { Webhooks } from "../../contracts/gateway.ts";
import { createTelegramClient } from "./client.ts";
import { telegramConfigSchema } from "./config.ts";
import { updateTypes } from "./inbound.ts";
import { telegramChannel } from "./index.ts";
import { createWebhook } from "./webhook.ts";

const webhook = { url: "https://mom.example/hooks/telegram-telegram", secret: "a-secret_that-nobody-guesses" };

/** A Telegram that reaches the hooks, and an adapter that wants to be called. */
async function openWebhookStage(context: TestContext, options: StageOptions = {}) {
  const webhooks = await createFakeWebhooks(context);
  const clock = createFakeClock();
  const reach = (url: string) => url.replace("https://mom.example", webhooks.url);
  const platform = await createTelegramPlatform({ now: clock.now, reach });
  context.after(() => platform.close());
  const begin = (more: StageOptions = {}) =>
    openStage(context, { platform, clock, webhooks, config: { webhook }, ...options, ...more });
  return { webhooks, platform, begin, clock };
}

const methodsOf = ({ calls }: TelegramPlatform) => calls.map(({ method }) => method);
const sayTo = (platform: TelegramPlatform, text: string) =>
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });

test("Telegram is told the address, the secret and what is wanted, and brings messages; nobody polls", async (context) => {
  const { webhooks, platform, begin } = await openWebhookStage(context);
  const stage = await begin();
  await stage.adapter.start();
  assert.equal(stage.adapter.health().state, "connected");
  assert.deepEqual(webhooks.openNames, ["telegram-telegram"]);
  const set = platform.calls.find(({ method }) => method === "setWebhook");
  assert.deepEqual(set?.params, {
    url: webhook.url,
    secret_token: webhook.secret,
    allowed_updates: [...updateTypes],
    max_connections: 20,
  });
  sayTo(platform, "one");
  sayTo(platform, "two");
  platform.say({ channelId: platform.chats.group, userId: platform.people.other, text: "three", mention: true });
  await stage.until(() => platform.unacknowledged === 0);
  assert.deepEqual(stage.heard.map(({ text }) => text).sort(), ["one", "three", "two"]);
  const direct = stage.heard.filter(({ channelId }) => channelId === platform.chats.owner);
  assert.deepEqual(
    direct.map(({ text }) => text),
    ["one", "two"],
  );
  assert.ok(!methodsOf(platform).includes("getUpdates") && !methodsOf(platform).includes("deleteWebhook"));
  assert.ok(webhooks.answered.every(({ status }) => status === 200));
});

test("a call without the secret, or with another, is refused before its body is read", async (context) => {
  const { webhooks, begin } = await openWebhookStage(context);
  const stage = await begin();
  await stage.adapter.start();
  const forged = JSON.stringify({
    update_id: 1,
    message: { message_id: 1, date: 1, chat: { id: 1001, type: "private" }, from: { id: 1001 }, text: "rm -rf" },
  });
  const secrets = [undefined, "", "wrong", `${webhook.secret}x`, webhook.secret.slice(1), webhook.secret.toUpperCase()];
  for (const secret of secrets) {
    const response = await fetch(`${webhooks.url}/hooks/telegram-telegram`, {
      method: "POST",
      body: forged,
      headers: secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret },
    });
    assert.equal(response.status, 401, String(secret));
  }
  assert.ok(webhooks.answered.every(({ bodyBytes }) => bodyBytes === 0));
  assert.deepEqual(stage.heard, []);
  assert.equal(stage.adapter.health().lastInboundAt, undefined);
});

test("what is no update is refused, and a bad one holds nothing up", async (context) => {
  const { webhooks, platform, begin } = await openWebhookStage(context);
  const stage = await begin();
  await stage.adapter.start();
  const headers = { "x-telegram-bot-api-secret-token": webhook.secret };
  const post = async (body: string) =>
    (await fetch(`${webhooks.url}/hooks/telegram-telegram`, { method: "POST", body, headers })).status;
  for (const body of ["", "{", "null", "[]", "7", '{"update_id":"1"}', '{"update_id":1.5}']) {
    assert.equal(await post(body), 400, body);
  }
  assert.equal(await post('{"update_id":1,"message":{"chat":null}}'), 200, "skipped, as a poll would");
  sayTo(platform, "still there?");
  assert.equal((await stage.next()).text, "still there?");
});

test("an update is answered with 200 when it was taken; until then Telegram is told that it was not, and brings it again", async (context) => {
  const taken = Promise.withResolvers<void>();
  let offers = 0;
  const handle = () => {
    offers++;
    return taken.promise;
  };
  const { webhooks, platform, begin } = await openWebhookStage(context, { handle });
  const stage = await begin();
  await stage.adapter.start();
  sayTo(platform, "keep this");
  await stage.until(() => webhooks.answered.filter(({ status }) => status === 500).length === 2, 1_000);
  assert.equal(platform.unacknowledged, 1);
  assert.equal(offers, 1, "it waits for the app once, however often it is brought");
  taken.resolve();
  await stage.until(() => platform.unacknowledged === 0, 100);
  assert.equal(webhooks.answered.at(-1)?.status, 200);
  // The inbox knows it by its id, should it have come once more after it was taken.
  assert.deepEqual(
    [...new Set(stage.heard.map(({ id, text }) => `${id} ${text}`))],
    [`${stage.heard[0]?.id} keep this`],
  );
});

test("an update that is brought again while it is being taken is not taken twice, and there is an end to what waits", async () => {
  const clock = createFakeClock();
  let hook: Parameters<Webhooks["open"]>[1] | undefined;
  const webhooks: Webhooks = {
    open(_name, opened) {
      hook = opened;
      return () => undefined;
    },
  };
  const taken: number[] = [];
  const source = createWebhook({
    name: "telegram",
    // Telegram does not answer; it calls all the same.
    client: createTelegramClient({ botToken: "123456789:AAE", apiUrl: "http://127.0.0.1:1" }),
    clock,
    log: silentLog,
    webhooks,
    config: webhook,
    updateTypes,
    take(update) {
      taken.push(update.update_id);
      return new Promise(() => undefined);
    },
    onConnected: () => undefined,
    onFailed: () => undefined,
  });
  const starting = source.start();
  const bring = (id: number) => hook?.handle({ path: "", headers: {}, body: Buffer.from(`{"update_id":${id}}`) });
  const answers = [bring(7), bring(7)];
  await clock.advance(50_000);
  assert.deepEqual(await Promise.all(answers), [{ status: 500 }, { status: 500 }]);
  assert.deepEqual(taken, [7]);
  for (let id = 1_001; id <= 1_999; id++) void bring(id);
  assert.deepEqual(await bring(2_000), { status: 503 });
  assert.equal(taken.length, 1_000);
  source.stop();
  await starting;
});

test("one that the app refuses for a while is taken in the end, in the same call", async (context) => {
  let refusals = 3;
  const handle = async () => {
    if (refusals-- > 0) throw new Error("the disk is full");
  };
  const { webhooks, platform, begin } = await openWebhookStage(context, { handle });
  const stage = await begin();
  await stage.adapter.start();
  sayTo(platform, "keep this");
  await stage.until(() => platform.unacknowledged === 0, 500);
  assert.equal(stage.heard.length, 1);
  assert.deepEqual(
    webhooks.answered.map(({ status }) => status),
    [200],
  );
});

test("stopped in between, the hook is closed, the webhook stays, and the next mom gets what waits", async (context) => {
  const { webhooks, platform, begin } = await openWebhookStage(context);
  let isHeld = false;
  const hold = () => {
    isHeld = true;
    return new Promise<void>(() => undefined);
  };
  const first = await begin({ handle: hold });
  await first.adapter.start();
  sayTo(platform, "second");
  await first.until(() => isHeld);
  await first.adapter.stop();
  assert.deepEqual(webhooks.openNames, []);
  assert.equal(platform.state.webhookUrl, webhook.url);
  await first.until(() => webhooks.answered.some(({ status }) => status === 404));
  assert.deepEqual(first.heard, []);
  assert.equal(first.clock.pending, 0);
  assert.equal(first.adapter.health().state, "stopped");

  const second = await begin();
  await second.adapter.start();
  assert.equal((await second.next()).text, "second");
  await second.until(() => platform.unacknowledged === 0);
});

test("from polling to a webhook and back: each way sets or removes it, and nothing is lost", async (context) => {
  const { platform, begin } = await openWebhookStage(context);
  const memory = createMemory();
  const heard: string[] = [];
  const run = async (config: Record<string, unknown>, text: string) => {
    const stage = await begin({ memory, config });
    sayTo(platform, text);
    const starting = stage.adapter.start();
    await stage.until(() => stage.heard.some((message) => message.text === text));
    await starting;
    await stage.until(() => platform.unacknowledged === 0);
    heard.push(...stage.heard.map((message) => message.text));
    await stage.adapter.stop();
    return platform.state.webhookUrl;
  };
  assert.equal(await run({}, "polled"), "");
  assert.equal(await run({ webhook }, "called"), webhook.url);
  assert.equal(await run({}, "polled again"), "");
  assert.deepEqual(heard, ["polled", "called", "polled again"]);
  assert.ok(!platform.calls.some(({ params }) => params["drop_pending_updates"] === true));
});

test("without a gateway there is no webhook, and it says what to do", () => {
  const config = telegramConfigSchema.parse({
    type: "telegram",
    botToken: "123456789:AAEhBP0av28wEqSVbIEb_-0Kz4bJ5F5sR5w",
    webhook,
  });
  const deps = { clock: createFakeClock(), log: silentLog, memory: createMemory(), commands: () => [] };
  assert.throws(() => telegramChannel.createAdapter("telegram", config, deps as never), {
    code: "WEBHOOK_NEEDS_GATEWAY",
    hint: /gateway\.enabled/,
  });
});

test("the config wants https and a secret that Telegram takes and nobody guesses", () => {
  const good = { type: "telegram", botToken: "123456789:AAEhBP0av28wEqSVbIEb_-0Kz4bJ5F5sR5w", webhook };
  const isGood = (change: object) =>
    telegramConfigSchema.safeParse({ ...good, webhook: { ...webhook, ...change } }).success;
  assert.equal(isGood({}), true);
  for (const url of [
    "http://mom.example/hooks/x",
    "mom.example",
    "https://u:p@mom.example/",
    "https://mom.example/#x",
  ]) {
    assert.equal(isGood({ url }), false, url);
  }
  for (const secret of ["", "short", "with spaces in it, really", "ümläüte-sind-keine-gut", "x".repeat(257)]) {
    assert.equal(isGood({ secret }), false, secret);
  }
  assert.equal(telegramConfigSchema.safeParse({ ...good, webhook: { url: webhook.url } }).success, false);
});

test("a hiccup of Telegram's is survived; an address that it does not take is told with its remedy", async (context) => {
  const { platform, begin } = await openWebhookStage(context);
  const stage = await begin({
    config: { webhook: { ...webhook, url: "https://mom.example:18800/hooks/telegram-telegram" } },
  });
  platform.fail({ type: "status", method: "setWebhook", status: 502 });
  const starting = stage.adapter.start();
  await stage.until(() => stage.adapter.health().state === "failed", 1_000);
  const { detail, fix } = stage.adapter.health();
  assert.match(detail ?? "", /only on ports 80, 88, 443 or 8443/);
  assert.match(fix ?? "", /port 443/);
  await stage.adapter.stop();
  await starting;
});

test("a proxy that leads nowhere is noticed, and so is that it leads to mom again", async (context) => {
  const { platform, begin, webhooks } = await openWebhookStage(context);
  const stage = await begin();
  const away = { ...webhook, url: "https://mom.example/hooks/elsewhere" };
  const lost = await begin({ config: { webhook: away } });
  await lost.adapter.start();
  sayTo(platform, "hello?");
  await lost.until(() => lost.adapter.health().state === "reconnecting", 5_000);
  assert.match(lost.adapter.health().detail ?? "", /has 1 updates .* cannot deliver: Wrong response .* 404/);
  assert.match(lost.adapter.health().fix ?? "", /reverse proxy/);
  await lost.adapter.stop();
  assert.ok(webhooks.answered.some(({ path }) => path === "/hooks/elsewhere"));

  await stage.adapter.start();
  assert.equal((await stage.next()).text, "hello?");
  platform.state.webhookUrl = away.url;
  sayTo(platform, "and now?");
  await stage.until(() => /Another program/.test(stage.adapter.health().detail ?? ""), 5_000);
  assert.equal(stage.adapter.health().state, "reconnecting");
  assert.equal(platform.state.webhookUrl, away.url, "it is not fought for");
  platform.state.webhookUrl = "";
  await stage.until(() => stage.heard.length === 2, 5_000);
  assert.equal(platform.state.webhookUrl, webhook.url);
  assert.deepEqual([stage.adapter.health().state, stage.adapter.health().reconnects], ["connected", 1]);
});

test("a token that is revoked is told; silence alone is not", async (context) => {
  const { platform, begin } = await openWebhookStage(context);
  const stage = await begin();
  await stage.adapter.start();
  const asked = () => methodsOf(platform).filter((method) => method === "getWebhookInfo").length;
  await stage.until(() => asked() >= 2, 10_000);
  assert.equal(stage.adapter.health().state, "connected");
  platform.fail({ type: "platform", name: "revoke-token" });
  await stage.until(() => stage.adapter.health().state === "failed", 10_000);
  assert.match(stage.adapter.health().fix ?? "", /BotFather/);
  platform.fail({ type: "platform", name: "restore-token" });
  await stage.until(() => stage.adapter.health().state === "connected", 10_000);
});

test("a login check knows its own webhook, and what Telegram says of it", async (context) => {
  const { platform } = await openWebhookStage(context);
  const config = telegramConfigSchema.parse({ ...platform.config, webhook });
  const check = async () => {
    const report = await telegramChannel.login?.check(config, { clock: createFakeClock(), log: silentLog });
    return report?.type === "ok" ? report.warnings.map(({ message }) => message) : assert.fail();
  };
  platform.state.webhookUrl = "https://another.example/secret-path";
  assert.match((await check()).join(), /another program .*another\.example/);
  platform.state.webhookUrl = webhook.url;
  assert.deepEqual(await check(), []);
  sayTo(platform, "hello?");
  await platform.until(() => platform.state.webhookError !== undefined);
  assert.match((await check()).join(), /1 updates .* cannot deliver/);
});
