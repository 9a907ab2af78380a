/** Discord's own tools against the server: what is done, and what the model reads when it is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDiscordStage } from "../../../test/fakes/discord/stage.ts";
import type { DiscordAdapter } from "./adapter.ts";
import { discordGates } from "./config.ts";
import { discordTools } from "./tools.ts";

const run = (adapter: DiscordAdapter, name: string, params: Record<string, unknown>) => {
  const tool = discordTools.find((each) => each.name === name) ?? assert.fail(name);
  return tool.run(adapter, params);
};

test("roles are given and taken, members kicked and banned", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter } = open();
  const { guildId } = platform;
  const userId = platform.people.other;
  const roleId = "1456074443980800777";
  assert.match(await run(adapter, "discord_add_role", { guildId, userId, roleId }), /has the role/);
  await run(adapter, "discord_remove_role", { guildId, userId, roleId });
  await run(adapter, "discord_kick_member", { guildId, userId, reason: "Spam, was für ein Ärger" });
  await run(adapter, "discord_ban_member", { guildId, userId, deleteMessageDays: 7 });
  assert.deepEqual(platform.memberChanges, [
    { type: "add-role", userId, roleId },
    { type: "remove-role", userId, roleId },
    { type: "kick", userId, reason: "Spam, was für ein Ärger" },
    { type: "ban", userId, deleteMessageSeconds: 604_800 },
  ]);
});

test("what Discord refuses is said in words, and ids are ids", async (t) => {
  const { platform, open } = await createDiscordStage(t);
  const { adapter } = open();
  const { guildId, botId } = platform;
  await assert.rejects(run(adapter, "discord_kick_member", { guildId, userId: botId }), {
    code: "CHANNEL_ACTION_FAILED",
    message: /permission/,
  });
  await assert.rejects(run(adapter, "discord_kick_member", { guildId: "../..", userId: botId }), {
    code: "CHANNEL_ACTION_FAILED",
    message: /no id/,
  });
  assert.deepEqual(platform.memberChanges, []);
});

test("moderation is closed unless the config opens it, and every tool has a gate", () => {
  assert.equal(discordGates["moderation"]?.isOffUnlessSet, true);
  assert.equal(discordGates["roles"]?.isOffUnlessSet, undefined);
  assert.deepEqual(
    discordTools.map(({ name, gate, isOutward }) => [name, gate in discordGates && gate, isOutward]),
    [
      ["discord_add_role", "roles", true],
      ["discord_remove_role", "roles", true],
      ["discord_kick_member", "moderation", true],
      ["discord_ban_member", "moderation", true],
    ],
  );
});
