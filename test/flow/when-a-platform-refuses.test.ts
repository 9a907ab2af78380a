/**
 * Logins that are wrong, lack a right, are revoked or used by somebody else: one line with the fix, `mom channels status`
 * knows it, and the other platforms go on.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AdapterHealth } from "../../src/contracts/channel.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createPlatformWorld, type PlatformName, type PlatformWorld } from "./platform-world.ts";
import { waitFor } from "./world.ts";

const everyone: PlatformName[] = ["slack", "discord", "telegram"];

async function open(t: TestContext): Promise<PlatformWorld> {
  const world = await createPlatformWorld({ platforms: everyone });
  t.after(() => world.close());
  return world;
}

/** As `mom channels status` reads it, once it is in this state. */
async function waitForHealth(store: Store, name: string, state: AdapterHealth["state"]): Promise<AdapterHealth> {
  let health: AdapterHealth | undefined;
  await waitFor(async () => {
    health = (await store.kv.get("channel-health", name)) as AdapterHealth | undefined;
    return health?.state === state;
  });
  return health ?? assert.fail();
}

async function assertAnswers(world: PlatformWorld, name: PlatformName, text: string): Promise<void> {
  const platform = world.platforms.get(name) ?? assert.fail();
  platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  await platform.until(() => platform.posts(platform.chats.owner).some((post) => post.text === `echo ${text}`));
}

const badTokens: Record<PlatformName, Record<string, string>> = {
  slack: { botToken: "xoxb-0000000000-notthisone" },
  discord: { botToken: "bm90LXRoaXMtb25l.Gabcde.not-the-token-at-all-no" },
  telegram: { botToken: "700000009:AAnot-the-token-of-any-telegram-bot-no" },
};

for (const name of everyone) {
  test(`a wrong token of ${name} at the start stops nobody else`, { timeout: 60_000 }, async (t) => {
    const world = await open(t);
    await world.configure((adapters) => Object.assign(adapters[name] ?? {}, badTokens[name]));
    const app = await world.start();
    const { detail = "", fix = "" } = await waitForHealth(app.store, name, "failed");
    assert.match(detail, /token/i);
    assert.notEqual(fix, "");
    for (const other of everyone.filter((each) => each !== name)) await assertAnswers(world, other, "still there?");
    const log = await world.readLog();
    assert.match(log, /A channel cannot be had; the others go on/);
    for (const token of Object.values(badTokens[name])) assert.ok(!log.includes(token), "no token in the log");
  });
}

test("rights that are missing are named, with where to get them", { timeout: 60_000 }, async (t) => {
  const world = await open(t);
  world.on("slack").settings.scopes.delete("chat:write");
  world.on("discord").fail({ type: "platform", name: "close-4014" });
  const app = await world.start();
  const slack = await waitForHealth(app.store, "slack", "failed");
  assert.match(`${slack.detail} ${slack.fix}`, /chat:write/);
  const discord = await waitForHealth(app.store, "discord", "failed");
  assert.match(`${discord.detail} ${discord.fix}`, /intent/i);
  await assertAnswers(world, "telegram", "hello");
});

for (const name of everyone) {
  test(`a token of ${name} that is revoked while mom runs`, { timeout: 60_000 }, async (t) => {
    const world = await open(t);
    const app = await world.start();
    await assertAnswers(world, name, "before");
    const platform = world.platforms.get(name) ?? assert.fail();
    if (name === "discord") world.on(name).revokeToken();
    else platform.fail({ type: "platform", name: "revoke-token" });
    platform.fail({ type: "drop-socket" });
    const { fix = "" } = await waitForHealth(app.store, name, "failed");
    assert.notEqual(fix, "");
    for (const other of everyone.filter((each) => each !== name)) await assertAnswers(world, other, "after");
  });
}

test("a second poller on Telegram: said, tried again, and answered once it is gone", { timeout: 60_000 }, async (t) => {
  const world = await open(t);
  const app = await world.start();
  await assertAnswers(world, "telegram", "before");
  world.on("telegram").fail({ type: "platform", name: "second-poller" });
  const { detail = "", fix = "" } = await waitForHealth(app.store, "telegram", "reconnecting");
  assert.match(detail, /another|second|409/i);
  assert.notEqual(fix, "");
  await assertAnswers(world, "slack", "meanwhile");
  world.on("telegram").fail({ type: "platform", name: "second-poller-gone" });
  await assertAnswers(world, "telegram", "after");
});
