import assert from "node:assert/strict";
import { test } from "node:test";
import { queueConfig, routesConfig, sessionsConfig } from "./config.ts";
import { needsReset } from "./needs-reset.ts";
import { pickAgent } from "./pick-agent.ts";
import { pickQueueMode } from "./pick-queue-mode.ts";
import { buildSessionKey, type SessionName } from "./session-key.ts";

const channel = { adapter: "slack-acme", channelId: "C1" };
const keys: [agentId: string, name: SessionName, key: string][] = [
  ["main", { type: "main" }, "agent:main:main"],
  ["work", { type: "main" }, "agent:work:main"],
  ["main", { type: "dm", channel }, "agent:main:dm:slack-acme:C1"],
  ["main", { type: "group", channel }, "agent:main:group:slack-acme:C1"],
  ["main", { type: "topic", channel, topicId: "7" }, "agent:main:topic:slack-acme:C1:7"],
  ["main", { type: "subagent", childId: "a1" }, "agent:main:subagent:a1"],
  ["main", { type: "cron", jobId: "j1" }, "agent:main:cron:j1"],
  [
    "main",
    { type: "group", channel: { adapter: "a", channelId: "x:y#beside%3A" } },
    "agent:main:group:a:x%3Ay%23beside%253A",
  ],
];
for (const [agentId, name, key] of keys) {
  test(`session key ${key}`, () => assert.equal(buildSessionKey(agentId, name), key));
}

test("no channel id can pose as another session", () => {
  const dm = buildSessionKey("main", { type: "dm", channel: { adapter: "a:b", channelId: "c" } });
  const other = buildSessionKey("main", { type: "dm", channel: { adapter: "a", channelId: "b:c" } });
  assert.notEqual(dm, other);
});

test("the first route whose parts all match names the agent", () => {
  const routes = routesConfig.parse([
    { adapter: "slack", sender: "U1", agent: "boss" },
    { adapter: "slack", channel: "C1", agent: "work" },
    { sender: "U9", agent: "family" },
  ]);
  const pick = (adapter: string, channelId: string, senderId: string) =>
    pickAgent(routes, { adapter, channelId, senderId });
  assert.equal(pick("slack", "C1", "U1"), "boss");
  assert.equal(pick("slack", "C1", "U2"), "work");
  assert.equal(pick("telegram", "C1", "U1"), "main");
  assert.equal(pick("telegram", "x", "U9"), "family");
});

test("the queue mode of the session, the adapter's name, its type, everybody's", () => {
  const config = queueConfig.parse({ byChannel: { slack: "collect", "slack-acme": "followup" } });
  const acme = { name: "slack-acme", type: "slack" };
  assert.equal(pickQueueMode(config, acme, { queueMode: "interrupt" }), "interrupt");
  assert.equal(pickQueueMode(config, acme, {}), "followup");
  assert.equal(pickQueueMode(config, { name: "other", type: "slack" }, undefined), "collect");
  assert.equal(pickQueueMode(config, { name: "t", type: "telegram" }, undefined), "steer");
});

const at = (day: number, hour: number, minute = 0) => new Date(2026, 4, day, hour, minute).getTime();
const resets: [name: string, rules: object, last: number, now: number, expected: boolean][] = [
  ["no rule", {}, at(1, 1), at(9, 9), false],
  ["idle long enough", { resetAfterIdleMinutes: 60 }, at(1, 10), at(1, 11), true],
  ["not idle long enough", { resetAfterIdleMinutes: 60 }, at(1, 10), at(1, 10, 59), false],
  ["before the hour of the same day", { resetAtHour: 4 }, at(1, 1), at(1, 3, 59), false],
  ["the hour has passed since", { resetAtHour: 4 }, at(1, 3, 59), at(1, 4), true],
  ["used after the hour", { resetAtHour: 4 }, at(1, 5), at(2, 3), false],
  ["the next day after the hour", { resetAtHour: 4 }, at(1, 5), at(2, 4, 1), true],
  ["days later, before the hour", { resetAtHour: 4 }, at(1, 5), at(3, 1), true],
];
for (const [name, rules, last, now, expected] of resets) {
  test(`a conversation begins anew: ${name}`, () => {
    assert.equal(needsReset(sessionsConfig.parse(rules), last, now), expected);
  });
}
