import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { arrangeSessions, describeSession, type SessionView } from "./arrange-sessions.ts";

const session = (given: Partial<SessionSummary>): SessionSummary => ({
  sessionKey: "agent:main:main",
  sessionId: "s1",
  type: "main",
  agentId: "main",
  channel: { adapter: "webchat", channelId: "main" },
  lastChannel: { adapter: "webchat", channelId: "main" },
  createdAt: 1,
  updatedAt: 1,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cost: 0,
  isRunning: false,
  ...given,
});

const view: SessionView = { search: "", type: "", agentId: "", sort: "activity", isAscending: false };
const general = session({
  sessionKey: "agent:main:group:slack:C1",
  type: "group",
  label: "General",
  updatedAt: 3,
  cost: 1,
  channel: { adapter: "slack", channelId: "C1" },
});
const dm = session({
  sessionKey: "agent:ops:dm:telegram:42",
  type: "dm",
  agentId: "ops",
  updatedAt: 2,
  cost: 5,
  totalTokens: 9,
  model: "anthropic/claude",
  channel: { adapter: "telegram", channelId: "42" },
});
const main = session({ updatedAt: 1, cost: 2 });
const all = [general, dm, main];

test("the second line says what the name leaves out", () => {
  assert.equal(describeSession(general), "group on slack · C1");
  assert.equal(describeSession(dm), "dm");
  assert.equal(describeSession(session({ type: "cron", sessionKey: "agent:main:cron:daily" })), "cron daily");
});

test("every word of the search must be found, in name, key, model or place", () => {
  assert.deepEqual(arrangeSessions(all, { ...view, search: "telegram CLAUDE" }), [dm]);
  assert.deepEqual(arrangeSessions(all, { ...view, search: "telegram general" }), []);
});

test("type and agent narrow the list", () => {
  assert.deepEqual(arrangeSessions(all, { ...view, type: "group" }), [general]);
  assert.deepEqual(arrangeSessions(all, { ...view, agentId: "main" }), [general, main]);
});

test("the list is sorted either way, and what came is left as it was", () => {
  assert.deepEqual(arrangeSessions(all, { ...view, sort: "cost" }), [dm, main, general]);
  assert.deepEqual(arrangeSessions(all, { ...view, sort: "cost", isAscending: true }), [general, main, dm]);
  assert.deepEqual(arrangeSessions(all, { ...view, sort: "name", isAscending: true }), [dm, general, main]);
  assert.deepEqual(arrangeSessions(all, { ...view, sort: "tokens" })[0], dm);
  assert.deepEqual(all, [general, dm, main]);
});
