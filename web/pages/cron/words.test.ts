/** Jobs, runs and beats in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJobSummary, CronRunSummary } from "../../../src/gateway/protocol/index.ts";
import { describeBeat, describeDelivery, describePlace, describeReason, describeRun, describeState } from "./words.ts";

const stateOf = (enabled: boolean, state: CronJobSummary["state"]) =>
  describeState({ enabled, state } as CronJobSummary).text;

test("how a job stands: what runs comes first, then whether it is on, then how it went", () => {
  assert.equal(stateOf(true, { nextRunAtMs: 1 }), "On");
  assert.equal(stateOf(true, {}), "Over");
  assert.equal(stateOf(false, { lastStatus: "error" }), "Paused");
  assert.equal(stateOf(false, { runningAtMs: 1 }), "Running");
  assert.equal(stateOf(true, { nextRunAtMs: 1, lastStatus: "error", failures: 1 }), "Failed");
  assert.equal(stateOf(true, { nextRunAtMs: 1, lastStatus: "error", failures: 4 }), "Failed 4 times");
});

test("how a due time ended", () => {
  const run = (more: Partial<CronRunSummary>) => describeRun({ dueAt: 1, settledAt: 1, state: "ran", ...more }).text;
  assert.deepEqual(
    [
      run({ status: "ok", turnId: "t" }),
      run({ status: "error" }),
      run({ turnId: "t" }),
      run({}),
      run({ state: "missed" }),
      run({ state: "skipped" }),
    ],
    ["Done", "Failed", "Started", "Ran", "Missed", "Skipped"],
  );
});

test("where the answer goes", () => {
  const home = { channel: { adapter: "slack", channelId: "C1" } };
  const told = (payload: CronJobSummary["payload"], wakeMode = "now") =>
    describeDelivery({ payload, home, wakeMode } as CronJobSummary);
  const task = { kind: "agentTurn", message: "m" } as const;
  assert.match(told({ kind: "systemEvent", text: "t" }), /at once/);
  assert.match(told({ kind: "systemEvent", text: "t" }, "next-heartbeat"), /next heartbeat/);
  assert.match(told(task), /^Only told/);
  assert.equal(told({ ...task, deliver: true }), "Posted in slack C1");
  assert.equal(describePlace({ adapter: "webchat", channelId: "main" }), "your own web chat");
  assert.equal(told({ ...task, deliver: true, channel: "last" }), "Posted where you last spoke");
  assert.equal(told({ ...task, deliver: true, channel: "telegram", to: "7" }), "Posted in telegram 7");
});

test("a beat is told by its last outcome; a reason that nobody knows is told as it is", () => {
  const state = { agentId: "main", isEnabled: true, everyMs: 1 };
  assert.equal(describeBeat(state).text, "Not yet");
  assert.equal(describeBeat({ ...state, isEnabled: false }).text, "Off");
  assert.equal(describeBeat({ ...state, last: { ts: 1, agentId: "main", status: "failed" } }).tone, "bad");
  assert.match(describeReason("quiet-hours"), /active hours/);
  assert.equal(describeReason("the moon is full"), "the moon is full");
});
