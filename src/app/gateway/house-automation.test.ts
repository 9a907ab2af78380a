/** What the gateway is given of jobs, heartbeats, subagents and memory, and what it is told of jobs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import type { CronJob, CronService } from "../../contracts/cron.ts";
import type { ErrandHandler } from "../../contracts/errand-ports.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Memory } from "../../contracts/memory.ts";
import type { DueHandler } from "../../contracts/schedule.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Subagents } from "../../contracts/subagent.ts";
import { buildHouseAutomation, tellOfJobs } from "./house-automation.ts";

const mainKey = "agent:main:main" as SessionKey;
const daily = { kind: "cron", expr: "0 9 * * *", tz: "UTC" } as const;
const place = { channel: { adapter: "webchat", channelId: "main" }, sender: { id: "owner", username: "ann" } };
const session = { sessionKey: mainKey, chosenModel: "big" } as SessionEntry;

const build = (rooms: Parameters<typeof buildHouseAutomation>[0], indexed: string[] = []) =>
  buildHouseAutomation(rooms, {
    clock: createFakeClock(1000),
    mainSessionKey: () => mainKey,
    onMemory: (agentId) => void indexed.push(agentId),
    models: { resolve: async () => ({ type: "unavailable", message: "none" }) },
    standIn: async ({ sessionKey }) => (sessionKey === mainKey ? { ...place, session } : undefined),
  });

/** Only what a test calls. */
const asService = (service: Partial<CronService>) => service as CronService;

test("a room that is not there is not offered", () => {
  assert.deepEqual(build({}), {});
});

test("a job made through the gateway is at home in the owner's own chat", async () => {
  const service = asService({ add: async (job) => ({ ...job, id: "j1" }) as CronJob });
  const { cron } = build({ cron: { service, listTimes: () => [], checkSchedule: () => undefined } });
  const payload = { kind: "systemEvent", text: "hello" } as const;
  const job = await cron?.add({ name: "a", schedule: daily, payload });
  assert.deepEqual(job?.home, { channel: place.channel, askedBy: place.sender });
});

test("words are shown back as a schedule that was checked, with the next times beside it", async () => {
  const asked: unknown[] = [];
  const service = asService({
    parseWhen(text, tz) {
      asked.push([text, tz]);
      return daily;
    },
    describe: () => "every day at 09:00 (UTC); next: Thu 2026-01-01 09:00",
  });
  const { cron } = build({
    cron: {
      service,
      listTimes: (...args) => [args[1], args[3]],
      checkSchedule(schedule) {
        asked.push(schedule);
        if (schedule.kind === "at") throw new Error("past");
      },
    },
  });
  const shown = await cron?.preview("every day at 9", { times: 3, tz: "UTC" });
  assert.deepEqual(shown, { schedule: daily, text: "every day at 09:00 (UTC)", next: [1000, 3] });
  assert.deepEqual(asked, [["every day at 9", "UTC"], daily]);
  await assert.rejects(async () => cron?.preview({ kind: "at", atMs: 1 }, { times: 1 }), /past/);
});

test("a subagent is asked for by whoever stands in the session, with their rights; nowhere else", async () => {
  const scopes: unknown[] = [];
  const { subagents } = build({
    subagents: {
      spawn: async (scope: unknown, task: unknown) => void scopes.push([scope, task]),
    } as unknown as Subagents,
  });
  const by = { sessionKey: mainKey, deviceName: "laptop", isAdmin: false };
  const task = { task: "look", callId: "gateway-1" };
  await subagents?.spawn(by, task);
  const sender = { ...place.sender, isBot: false };
  const scope = { session, turnId: "gateway-1", channel: place.channel, adapterType: "webchat", sender, model: "" };
  assert.deepEqual(scopes, [[{ ...scope, isAdmin: false }, task]]);
  assert.equal(await subagents?.spawn({ ...by, sessionKey: "no:such" as SessionKey }, task), undefined);
  assert.equal(scopes.length, 1);
});

test("who looks at the index is told when it is brought up to date, also where that fails", async () => {
  const told: string[] = [];
  const { memory } = build({ memory: { index: async () => assert.fail("no room") } as unknown as Memory }, told);
  await assert.rejects(async () => memory?.index("main"), /no room/);
  assert.deepEqual(told, ["main", "main"]);
});

test("the gateway is told of everything that happens to a job, after it has", async () => {
  const told: (string | undefined)[] = [];
  let isThere = true;
  const cron = tellOfJobs(
    {
      ...asService({
        add: async () => ({ id: "added" }) as CronJob,
        update: async (id) => ({ id }) as CronJob,
        remove: async () => isThere,
        run: async (_id, mode) => ({ ran: mode === "force" }),
      }),
      handler: { decide: async () => ({ type: "wait" }) } satisfies DueHandler,
      errands: { end: async () => ({ deliveries: [], letters: [] }) } satisfies ErrandHandler,
    },
    { cronChanged: (id) => void told.push(id) },
  );
  await cron.add({} as CronJob);
  await cron.update("changed", {});
  await cron.remove("removed");
  isThere = false;
  await cron.remove("not there");
  await cron.run("run", "force");
  await cron.run("not due", "due");
  cron.handler.settled?.({ id: "due" } as never, {} as never, []);
  await cron.errands.ended?.({ id: "over" } as never, {} as never, {} as never);
  assert.deepEqual(told, ["added", "changed", "removed", "run", "due", "over"]);
});
