import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionKey } from "../../contracts/ids.ts";
import type { SessionType } from "../../contracts/session.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { pickPrincipal } from "./subagent-data.ts";

const owner = {
  channel: { adapter: "slack", channelId: "D1" },
  sender: { id: "U1", username: "ann" },
  sessionKey: "agent:main:main" as SessionKey,
  sessionType: "main",
  agentId: "main",
} as const;

test("what the owner's word starts in a chat of others is that chat's; in a job of the owner's it is the owner's", () => {
  const pick = (type: SessionType) => {
    const session = { sessionKey: `agent:main:${type}:x`, type, agentId: "main" };
    const channel = { adapter: "slack", channelId: "G1" };
    const scope = { session, channel, sender: { id: "U1", username: "ann", isBot: false }, principal: owner };
    return pickPrincipal(scope as unknown as ToolScope).sessionType;
  };
  const types = ["main", "cron", "subagent", "dm", "group", "topic"] as const;
  assert.deepEqual(types.map(pick), ["main", "main", "main", "dm", "group", "topic"]);
});
