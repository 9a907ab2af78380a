/** Whose rights a turn's tools have, and in which chat they work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionKey } from "../../test/fakes/command-house.ts";
import type { TurnContext } from "../contracts/agent.ts";
import type { Errand } from "../contracts/errand.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { SessionType } from "../contracts/session.ts";
import { buildScope } from "./build-scope.ts";

const here = { adapter: "slack", channelId: "G1" };
const asked = { adapter: "home", channelId: "D1" };

function scopeOf(type: SessionType, errandType?: Errand["type"]) {
  const principal = { channel: asked, sender: { id: "U1", username: "ann" }, sessionKey, sessionType: "main" as const };
  const errand: Errand | undefined = errandType && {
    type: errandType,
    id: "1",
    principal: { ...principal, agentId: "main" },
    tools: ["read"],
  };
  const message: ChannelMessage = {
    id: "m",
    channelId: "x",
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U2", username: "bob", isBot: false },
    text: "do",
    attachments: [],
    isMention: true,
    ...(errand && { errand }),
  };
  // Only these are looked at.
  const context = {
    turn: { id: "t1", route: { channel: here } },
    session: { type },
    adapter: errand ? asked.adapter : here.adapter,
  } as unknown as TurnContext;
  const adapter = (name: string) => ({ type: `${name}-type`, owners: name === "home" ? ["U1"] : [], capabilities: [] });
  const {
    channel,
    adapterType,
    sender,
    isAdmin,
    principal: whose,
    only,
  } = buildScope({ adapter }, { message, context, model: "lab/m" });
  return [channel.channelId, adapterType, sender.id, isAdmin, whose?.sessionType, only];
}

test("who speaks in a chat works there with their own rights", () => {
  assert.deepEqual(scopeOf("group"), ["G1", "slack-type", "U2", false, undefined, undefined]);
});

test("an errand works in the chat and with the rights of whoever it is for", () => {
  for (const [type, errand] of [
    ["cron", "cron"],
    ["subagent", "subagent"],
    ["cron", "relay"],
    ["subagent", "relay"],
  ] as const) {
    assert.deepEqual(scopeOf(type, errand), ["D1", "home-type", "U1", true, "main", ["read"]], `${type} ${errand}`);
  }
});

test("a word from another session is heard where that session lives, with the rights of who sent it", () => {
  assert.deepEqual(scopeOf("group", "relay"), ["G1", "slack-type", "U1", true, "main", ["read"]]);
});
