/** What `mom init` and `mom doctor` say of a Discord login. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDiscordPlatform } from "../../../test/fakes/discord/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { discordConfigSchema } from "./config.ts";
import { checkLogin } from "./login.ts";
import { discordLoginFields } from "./login-fields.ts";

const deps = { clock: createSystemClock() };

test("a good login tells who it is, and which rights are missing", async (t) => {
  const platform = await createDiscordPlatform();
  t.after(() => platform.close());
  const config = discordConfigSchema.parse(platform.config);
  assert.deepEqual(await checkLogin(config, deps), { type: "ok", account: "@mom", warnings: [] });
  platform.allowed.messageContent = false;
  platform.allowed.members = false;
  const report = await checkLogin(config, deps);
  assert.ok(report.type === "ok");
  assert.match(
    report.warnings.map(({ message, fix }) => `${message} ${fix}`).join("\n"),
    /Message Content.*\n.*Members/,
  );
  platform.revokeToken();
  const revoked = await checkLogin(config, deps);
  assert.ok(revoked.type === "failed");
  assert.match(revoked.fix, /Reset Token/);
});

test("what people paste instead of the token is recognised, and nobody is asked", async () => {
  const token = `${"M".repeat(24)}.Gabc12.${"x".repeat(38)}`;
  for (const [botToken, fix] of [
    [`Bot ${token}`, /word "Bot"/],
    [`${token} `, /space/],
    ["1456074443980800777", /application's id/],
    ["a1".repeat(32), /public key/],
    ["A".repeat(32), /client secret/],
    ["hello", /three parts/],
  ] as const) {
    const config = discordConfigSchema.parse({ type: "discord", botToken, apiUrl: "http://127.0.0.1:1/api" });
    const report = await checkLogin(config, deps);
    assert.ok(report.type === "failed", botToken);
    assert.match(report.fix, fix);
  }
  assert.ok(discordLoginFields[0]?.pattern.test(token));
});

test("a platform that does not answer is said, not waited for", async () => {
  const botToken = `${"M".repeat(24)}.Gabc12.${"x".repeat(38)}`;
  const config = discordConfigSchema.parse({ type: "discord", botToken, apiUrl: "http://127.0.0.1:1/api" });
  const report = await checkLogin(config, deps);
  assert.ok(report.type === "failed");
  assert.match(report.message, /out of reach/);
});

test("the config takes ids as text only, and refuses an address that is not safe", () => {
  const parse = (more: object) => discordConfigSchema.safeParse({ type: "discord", botToken: "x", ...more }).success;
  assert.equal(parse({ admins: ["175928847299117063"] }), true);
  assert.equal(parse({ admins: ["ann"] }), false);
  assert.equal(parse({ admins: [175928847299117060] }), false);
  assert.equal(parse({ apiUrl: "http://example.com/api" }), false);
  assert.equal(parse({ nonsense: true }), false);
});
