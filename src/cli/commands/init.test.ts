/** `mom init` with answers piped in, against each platform: what is asked, checked and written. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import JSON5 from "json5";
import { createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createDiscordPlatform } from "../../../test/fakes/discord/index.ts";
import { createSlackPlatform } from "../../../test/fakes/slack/index.ts";
import { createTelegramPlatform } from "../../../test/fakes/telegram/index.ts";
import { buildDoctorCommand } from "./doctor.ts";
import { buildInitCommand } from "./init.ts";

const makers = { slack: createSlackPlatform, discord: createDiscordPlatform, telegram: createTelegramPlatform };

async function openWorld(t: TestContext) {
  const world = await createCliWorld({ init: buildInitCommand, doctor: buildDoctorCommand });
  t.after(() => world.close());
  const adapters = async () => JSON5.parse(await readFile(join(world.dataDir, "config.json"), "utf8")).adapters;
  return { ...world, adapters };
}

for (const [type, create] of Object.entries(makers)) {
  test(`${type}: a login that the platform knows is written, and doctor agrees`, { timeout: 30_000 }, async (t) => {
    const world = await openWorld(t);
    const platform = await create();
    t.after(() => platform.close());
    const { apiUrl, botToken, appToken } = platform.config as Record<string, string>;
    const tokens = type === "slack" ? [botToken, appToken] : [botToken];
    const answers = [...tokens, platform.people.owner, "team"].join("\n");
    const { code, err } = await world.run(["init", type, "--api-url", apiUrl ?? ""], `${answers}\n`);
    assert.equal(code, 0, err);
    assert.match(err, /knows this login: /);
    for (const token of tokens) assert.ok(token && !err.includes(token), "no token is shown");
    const { team, terminal } = await world.adapters();
    assert.deepEqual(terminal, { type: "cli" }, "what was there stays");
    assert.deepEqual([team.type, team.botToken, team.admins], [type, botToken, [platform.people.owner]]);
    const doctor = await world.run(["doctor", "--json"]);
    const findings: { check: string; level: string; detail: string }[] = JSON.parse(doctor.out).findings;
    assert.equal(findings.find(({ check }) => check === "channel team")?.level, "ok", doctor.out);
  });
}

test("a wrong token is explained, asked for again, and nothing is written when one leaves", async (t) => {
  const world = await openWorld(t);
  const platform = await createTelegramPlatform();
  t.after(() => platform.close());
  const wrong = "700000009:AAnot-the-token-of-any-telegram-bot-no";
  const answers = ["not a token", wrong, "1001", "leave"].join("\n");
  const { code, err } = await world.run(["init", "telegram", "--api-url", platform.apiUrl], `${answers}\n`);
  assert.equal(code, 0);
  assert.match(err, /does not look like it/);
  assert.match(err, /fix: .*BotFather/);
  assert.match(err, /Nothing was written/);
  assert.equal((await world.adapters()).telegram, undefined);
});

test("none, an unknown platform, and answers that end too soon", async (t) => {
  const world = await openWorld(t);
  const none = await world.run(["init"], "none\n");
  assert.equal(none.code, 0);
  assert.match(none.err, /Made .*data with a first config\.json[\s\S]*mom\/offline[\s\S]*The terminal is there/);
  const unknown = await world.run(["init", "telegramm"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /Did you mean telegram\?[\s\S]*CHANNEL_TYPE_UNKNOWN/);
  assert.match((await world.run(["init", "discord"], "")).err, /PROMPT_CANCELLED/);
});
