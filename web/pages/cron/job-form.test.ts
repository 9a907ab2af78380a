/** From a job to its fields and back: nothing that was not touched is changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJobSummary } from "../../../src/gateway/protocol/index.ts";
import { findProblems, startForm, toNewJob, toPatch } from "./job-form.ts";

const daily = { kind: "cron", expr: "0 9 * * *", tz: "Asia/Tokyo" } as const;

const buildJob = (payload: CronJobSummary["payload"], more: Partial<CronJobSummary> = {}): CronJobSummary => ({
  id: "j1",
  name: "News",
  enabled: true,
  createdAtMs: 1,
  updatedAtMs: 1,
  schedule: daily,
  when: "every day at 09:00",
  sessionTarget: payload.kind === "agentTurn" ? "isolated" : "main",
  wakeMode: "now",
  payload,
  home: { channel: { adapter: "webchat", channelId: "main" }, askedBy: { id: "owner", username: "ann" } },
  state: {},
  ...more,
});

const jobs: CronJobSummary[] = [
  buildJob({ kind: "systemEvent", text: "hello" }),
  buildJob({ kind: "systemEvent", text: "hello" }, { wakeMode: "next-heartbeat", description: "d", agentId: "helper" }),
  buildJob({ kind: "agentTurn", message: "look" }),
  buildJob({ kind: "agentTurn", message: "look", deliver: false }),
  buildJob({ kind: "agentTurn", message: "look", deliver: true, channel: "last", bestEffortDeliver: true }),
  buildJob({ kind: "agentTurn", message: "look", deliver: true, channel: "slack", to: "C1", thinking: "high" }),
  buildJob({ kind: "agentTurn", message: "look", deliver: true, model: "big", timeoutSeconds: 60 }),
];

test("a form that nobody touched changes nothing", () => {
  for (const job of jobs) assert.deepEqual(toPatch(startForm(job, "UTC"), job, undefined), {}, JSON.stringify(job));
});

test("what the form does not show stays when something else is changed", () => {
  const [, , , , , job] = jobs;
  assert.ok(job);
  const patch = toPatch({ ...startForm(job, "UTC"), text: "look twice" }, job, undefined);
  const payload = {
    kind: "agentTurn",
    message: "look twice",
    thinking: "high",
    deliver: true,
    channel: "slack",
    to: "C1",
  };
  assert.deepEqual(patch, { payload });
});

test("a reminder that becomes a task runs in a session of its own, and the other way round", () => {
  const [word, , task] = jobs;
  assert.ok(word && task);
  const toTask = toPatch({ ...startForm(word, "UTC"), kind: "task" }, word, undefined);
  assert.deepEqual(toTask, {
    payload: { kind: "agentTurn", message: "hello", deliver: true },
    sessionTarget: "isolated",
  });
  const toWord = toPatch({ ...startForm(task, "UTC"), kind: "word" }, task, daily);
  assert.deepEqual(toWord, {
    schedule: daily,
    payload: { kind: "systemEvent", text: "look" },
    sessionTarget: "main",
  });
});

test("a new job has what was filled in and nothing else", () => {
  const form = { ...startForm(undefined, "UTC"), name: " News ", when: "every day", text: " look " };
  assert.deepEqual(toNewJob(form, daily), {
    name: "News",
    schedule: daily,
    payload: { kind: "agentTurn", message: "look", deliver: true },
  });
  const quiet = { ...form, kind: "word" as const, isAtOnce: false, agentId: "helper", description: "d" };
  assert.deepEqual(toNewJob(quiet, daily), {
    name: "News",
    description: "d",
    agentId: "helper",
    schedule: daily,
    payload: { kind: "systemEvent", text: "look" },
    wakeMode: "next-heartbeat",
  });
});

test("what is missing is named, field by field", () => {
  const empty = startForm(undefined, "UTC");
  assert.deepEqual(Object.keys(findProblems(empty, true)), ["name", "when", "text"]);
  assert.deepEqual(Object.keys(findProblems({ ...empty, answer: "chat" }, false)), ["name", "text", "adapter", "chat"]);
  const [job] = jobs;
  assert.ok(job);
  assert.deepEqual(findProblems(startForm(job, "UTC"), false), {});
});

test("the zone of a job stays its own", () => {
  const [job] = jobs;
  assert.equal(startForm(job, "UTC").tz, "Asia/Tokyo");
  assert.equal(startForm(undefined, "UTC").tz, "UTC");
});
