import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionId, SessionKey } from "../../contracts/ids.ts";
import { buildLocalTimeFormat } from "./local-time.ts";
import { buildSystemPrompt, type PromptFacts } from "./system-prompt.ts";

const channel = { adapter: "terminal", channelId: "terminal" };
const facts: PromptFacts = {
  session: {
    sessionId: "s" as SessionId,
    sessionKey: "agent:main:main" as SessionKey,
    type: "main",
    agentId: "main",
    createdAt: 0,
    updatedAt: 0,
    channel,
    lastChannel: channel,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    cost: 0,
  },
  tools: [],
  workspaceDir: "/workspace",
  channelFolder: "channels/terminal/terminal",
  users: [{ username: "ann", displayName: "Ann" }],
  model: "lab/m1",
  adapterType: "cli",
  host: { name: "box", os: "linux", arch: "x64", node: "v24" },
  timeZone: "Europe/Vienna",
  localTime: "2026-07-01T14:30+02:00",
};

test("the time is the last line, and everything before it is the same a minute later", () => {
  const now = buildSystemPrompt(facts);
  const later = buildSystemPrompt({ ...facts, localTime: "2026-07-01T14:31+02:00" });
  assert.match(now, /\nCurrent time: 2026-07-01T14:30\+02:00 \(Europe\/Vienna\)$/);
  const withoutTime = (prompt: string) => prompt.slice(0, prompt.lastIndexOf("\n"));
  assert.equal(withoutTime(now), withoutTime(later));
});

test("local times carry the offset of their zone and day", () => {
  assert.equal(buildLocalTimeFormat("UTC")(Date.UTC(2026, 0, 1)), "2026-01-01T00:00+00:00");
  assert.equal(buildLocalTimeFormat("Asia/Kolkata")(Date.UTC(2026, 0, 1)), "2026-01-01T05:30+05:30");
  assert.equal(buildLocalTimeFormat("Europe/Vienna")(Date.UTC(2026, 6, 1)), "2026-07-01T02:00+02:00");
});
