/** `mom init` and `mom doctor` ask Telegram about a login; and the menu of commands, which is set after one. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createTelegramPlatform, type TelegramPlatformOptions } from "../../../test/fakes/telegram/index.ts";
import { createMemory, openStage } from "../../../test/fakes/telegram/rig.ts";
import { telegramConfigSchema } from "./config.ts";
import { telegramChannel } from "./index.ts";
import { telegramLoginFields } from "./login-fields.ts";

async function check(
  context: TestContext,
  options: TelegramPlatformOptions & { token?: string; webhook?: string; isClosed?: true },
) {
  const platform = await createTelegramPlatform(options);
  context.after(() => platform.close());
  platform.state.webhookUrl = options.webhook ?? "";
  if (options.isClosed) await platform.close();
  const config = { ...platform.config, ...(options.token !== undefined && { botToken: options.token }) };
  const report = await telegramChannel.login?.check(telegramConfigSchema.parse(config), {
    clock: createFakeClock(),
    log: silentLog,
  });
  return report ?? assert.fail();
}

test("a good login has a name and nothing to complain about", async (context) => {
  assert.deepEqual(await check(context, {}), { type: "ok", account: "@mom_test_bot", warnings: [] });
});

test("privacy mode and somebody else's webhook are warnings with steps", async (context) => {
  const report = await check(context, { isPrivacyOn: true, webhook: "https://hooks.example/secret-path" });
  assert.ok(report.type === "ok");
  const [privacy, webhook] = report.warnings;
  assert.match(privacy?.fix ?? "", /\/setprivacy to @BotFather/);
  assert.match(webhook?.message ?? "", /hooks\.example/);
  assert.doesNotMatch(JSON.stringify(report), /secret-path/);
});

test("a wrong token and a server that is not there are told apart", async (context) => {
  const wrong = await check(context, { token: "700000001:AAwrong-token-that-nobody-ever-gave-out" });
  assert.ok(wrong.type === "failed");
  assert.match(wrong.message, /does not accept this bot token/);
  assert.match(wrong.fix, /BotFather/);
  const gone = await check(context, { isClosed: true });
  assert.ok(gone.type === "failed");
  assert.match(gone.message, /cannot be reached/);
  assert.doesNotMatch(JSON.stringify([wrong, gone]), /AA/);
});

test("mom init asks for what is needed", () => {
  const [token, admins] = telegramLoginFields;
  assert.match("123456789:AAEhBP0av28wEqSVbIEb_-0Kz4bJ5F5sR5w", token?.pattern ?? /^$/);
  assert.deepEqual([token?.isSecret, admins?.key, admins?.isList], [true, "admins", true]);
});

test("the menu is set when it is new, and only then", async (context) => {
  const memory = createMemory();
  const commands = [
    { name: "new-session", summary: "Begin anew" },
    { name: "model", summary: "Choose a model", usage: "<name>" },
    { name: "ünfit", summary: "Not in Telegram's menu" },
  ];
  const first = await openStage(context, { memory, commands });
  const { platform, clock } = first;
  const sets = () => platform.calls.filter(({ method }) => method === "setMyCommands").length;
  await first.adapter.start();
  await first.until(() => sets() === 1);
  assert.deepEqual(platform.state.commands, [
    { command: "new_session", description: "Begin anew" },
    { command: "model", description: "Choose a model (<name>)" },
  ]);
  await first.until(() => platform.isPolled);
  await first.adapter.stop();

  const again = await openStage(context, { memory, commands, platform, clock });
  await again.adapter.start();
  await again.until(() => platform.isPolled);
  await again.adapter.stop();
  assert.equal(sets(), 1);
  const changed = await openStage(context, { memory, commands: commands.slice(1), platform, clock });
  await changed.adapter.start();
  await changed.until(() => platform.state.commands.length === 1);
});
