/**
 * A leap year of more than two hundred schedules in thirteen zones, on the real store and scheduler: every due time once,
 * compared with a table that is worked out another way (`test/fakes/cron-oracle.ts`). Quiet, with a crash every week, and with
 * two processes at the same clock.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { buildWall, listDueTimes } from "../../test/fakes/cron-oracle.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createMemoryFolder } from "../../test/fakes/memory-folder.ts";
import { errandAdapter } from "../base/errand-adapter.ts";
import type { Clock } from "../contracts/clock.ts";
import type { CronSchedule } from "../contracts/cron.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { DueClock, DueHandler, Scheduler } from "../contracts/schedule.ts";
import type { Letter, Store } from "../contracts/store.ts";
import { buildLayout, openStore } from "../store/index.ts";
import type { Times } from "./recurrence/cron-times.ts";
import { createTimes } from "./recurrence/times.ts";
import { createScheduler } from "./scheduler.ts";

const startMs = Date.UTC(2028, 0, 1);
const endMs = Date.UTC(2029, 0, 1);
const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

const zones = [
  ...["Europe/Vienna", "America/New_York", "America/Santiago", "America/St_Johns", "Asia/Beirut", "Asia/Kathmandu"],
  ...["Africa/Cairo", "Africa/Casablanca", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Chatham"],
  // Two hours at a time.
  ...["Antarctica/Troll", "UTC"],
];
/** Most are about the nights in which clocks change: Sundays, and in Cairo Fridays. */
const expressions = [
  ...["30 2 * 3-4,9-11 *", "0 0 * 4,9-10 *", "0 3 * 3,4 1-5", "0,30 2 * 3-4,9-10 6,0", "15 1,2 * 3,4,10,11 SUN"],
  ...["45 1 * * FRI,SUN", "0 0 29 2 *", "59 23 31 12 *", "0 12 13 * FRI", "5-55/25 0-4 28-31 3,10 *"],
  ...["*/20 2 * 3,9,10 SUN", "30 * 26,29 3,10 *", "*/30 0-3 * 4,10 FRI,SUN", "10 1-3 * 4,11 SUN", "30 15 2 * 10 *"],
  ...["0 0 1 * *", "0 9 L * *"],
];

interface Planned {
  id: string;
  times: Times;
  /** Due times by the other reckoning. */
  expected: number[];
}

let plan: Planned[];
before(() => {
  plan = [];
  const add = (id: string, schedule: CronSchedule, expected: number[]) =>
    plan.push({ id, times: createTimes(schedule, startMs), expected });
  for (const tz of zones) {
    const wall = buildWall(tz, startMs, endMs);
    for (const expr of expressions) {
      add(`${tz} ${expr}`, { kind: "cron", expr, tz }, listDueTimes(expr, wall, startMs));
    }
  }
  for (const hours of [25, 36, 100, 24 * 30]) {
    const everyMs = hours * 3600_000;
    const anchorMs = startMs + 17 * 60_000 + 123;
    const count = Math.ceil((endMs - anchorMs) / everyMs);
    const expected = Array.from({ length: count }, (_, n) => anchorMs + n * everyMs);
    add(`every ${hours}`, { kind: "every", everyMs, anchorMs }, expected);
  }
  for (const day of [0, 59, 86, 365]) {
    const atMs = startMs + day * dayMs + 1;
    add(`at ${day}`, { kind: "at", atMs }, [atMs]);
  }
});

/** A clock that leaps from one due time to the next: what lies between would be the same look at nothing, every half minute. */
interface LeapingClock extends Clock {
  leapTo(atMs: number): Promise<void>;
}

function createLeapingClock(fromMs = startMs): LeapingClock {
  let nowMs = fromMs;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: () => Promise.reject(new Error("nobody sleeps here")),
    after(delayMs, run) {
      const timer = { at: nowMs + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async leapTo(atMs) {
      nowMs = atMs;
      for (const timer of [...timers].filter(({ at }) => at <= nowMs)) {
        timers.delete(timer);
        timer.run();
      }
      // Everything that follows happens without waiting for the system.
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

/** Where a process dies: before the end of a due time is written, after it is and before anybody was told, or at rest. */
type Death = "before" | "after" | "at rest";

interface Process {
  store: Store;
  scheduler: Scheduler;
  dieNext(death: Death): void;
  isDead(): boolean;
  /** The dead process's lock goes with it. */
  bury(): Promise<void>;
}

interface ProcessDeps {
  dir: string;
  clock: Clock;
  role?: "owner" | "guest";
  handler?: DueHandler;
  /** Somebody else had ended it. */
  onConflict?: () => void;
}

async function startProcess({ dir, clock, role = "owner", onConflict, handler }: ProcessDeps): Promise<Process> {
  let death: Death | undefined;
  let isDead = false;
  // What a dead process waits for never comes.
  const never = new Promise<never>(() => {});
  const ownClock: Clock = { ...clock, after: (delayMs, run) => clock.after(delayMs, () => isDead || run()) };
  const layout = buildLayout(dir);
  const store = await openStore({ layout, clock: ownClock, log: silentLog, role, routesOf: () => [] });
  const due: DueClock = {
    ...store.due,
    async settle(item, end, at) {
      if (isDead || death === "before") isDead = true;
      if (isDead) return never;
      const settled = await store.due.settle(item, end, at);
      if (settled === undefined) onConflict?.();
      if (death === "after") isDead = true;
      return isDead ? never : settled;
    },
  };
  const scheduler = createScheduler({ due, clock: ownClock, log: silentLog, kv: store.kv });
  scheduler.register("cron", handler ?? createHandler());
  return {
    store,
    scheduler,
    dieNext(next) {
      death = next;
      isDead = next === "at rest";
    },
    isDead: () => isDead,
    bury: () => store.close(),
  };
}

/** Each due time becomes a letter that is only heard, into a chat of its schedule's own; then the next one, however late it is. */
function createHandler(): DueHandler {
  const times = new Map(plan.map((each) => [each.id, each.times]));
  let count = 0;
  return {
    async decide({ id, dueAt = 0 }, nowMs) {
      const dueNext = times.get(id)?.next(dueAt);
      const next = dueNext === undefined ? {} : { dueAt: dueNext };
      return { type: "settle", state: "ran", next, letters: [buildLetter(id, dueAt, nowMs, ++count)] };
    },
  };
}

/** Its id is new each time: the inbox must not hide a due time that was ended twice. */
const buildLetter = (id: string, dueAt: number, nowMs: number, count: number): Letter => ({
  adapter: errandAdapter,
  message: {
    id: `${count} ${nowMs}`,
    channelId: id,
    timestamp: new Date(dueAt).toISOString(),
    sender: { id: "U1", username: "ann", isBot: false },
    text: String(nowMs - dueAt),
    attachments: [],
    isMention: false,
  },
  verdict: { type: "heard" },
});

async function putAll(store: Store, planned = plan, fromMs = startMs): Promise<void> {
  for (const { id, times } of planned) {
    const dueAt = times.next(fromMs - 1);
    await store.due.put({ source: "cron", id, data: null, ...(dueAt !== undefined && { dueAt }) });
  }
}

/** What the inbox has, schedule by schedule, against the table. */
async function compare(store: Store, planned = plan): Promise<{ total: number; latestMs: number }> {
  let total = 0;
  let latestMs = 0;
  for (const { id, expected } of planned) {
    const channel = { adapter: errandAdapter, channelId: id };
    const letters = await store.inbox.unseen("s" as SessionKey, channel, Number.MAX_SAFE_INTEGER, 100_000);
    assert.deepEqual(
      letters.map(({ ts }) => ts),
      expected.map((at) => new Date(at).toISOString()),
      id,
    );
    const ledger = await store.due.ledger({ source: "cron", id, limit: 1000 });
    assert.deepEqual(
      ledger.map(({ dueAt, state }) => `${dueAt} ${state}`),
      expected
        .slice(-200)
        .reverse()
        .map((at) => `${at} ran`),
      id,
    );
    total += expected.length;
    latestMs = Math.max(latestMs, ...letters.map(({ text }) => Number(text)));
  }
  return { total, latestMs };
}

/** A part of the year; the end is not in it. */
const cut = (planned: readonly Planned[], fromMs: number, toMs: number): Planned[] =>
  planned.map((each) => ({ ...each, expected: each.expected.filter((at) => at >= fromMs && at < toMs) }));

/** On to the next due time, at most to `untilMs`. */
async function leap({ store }: Process, clock: LeapingClock, untilMs: number): Promise<void> {
  await clock.leapTo(Math.min(untilMs, (await store.due.nextDueAt(clock.now())) ?? untilMs));
}

test("through a year, every due time of every schedule comes once, and on time", async (context) => {
  const dir = await createMemoryFolder(context);
  const clock = createLeapingClock();
  const process = await startProcess({ dir, clock });
  await putAll(process.store);
  await process.scheduler.start();
  while (clock.now() < endMs - 1) await leap(process, clock, endMs - 1);
  const { total, latestMs } = await compare(process.store);
  assert.ok(plan.length > 200);
  assert.ok(total > 5000, `${total} due times`);
  assert.equal(latestMs, 0);
  context.diagnostic(`${plan.length} schedules, ${total} due times`);
  await process.scheduler.stop();
  await process.store.close();
});

test("with a crash every week it is the same year", async (context) => {
  const dir = await createMemoryFolder(context);
  const clock = createLeapingClock();
  const deaths: Death[] = ["before", "after", "at rest"];
  const died = new Map<Death, number>();
  let process = await startProcess({ dir, clock });
  await putAll(process.store);
  await process.scheduler.start();
  for (let week = 1; clock.now() < endMs - 1; week++) {
    const crashMs = Math.min(startMs + week * weekMs, endMs - 1);
    while (clock.now() < crashMs) await leap(process, clock, crashMs);
    const death = deaths[week % 3] ?? "before";
    process.dieNext(death);
    while (!process.isDead() && clock.now() < endMs - 1) await leap(process, clock, endMs - 1);
    if (process.isDead()) died.set(death, (died.get(death) ?? 0) + 1);
    // Down for a while: one of these weeks in three for days.
    await clock.leapTo(Math.min(endMs - 1, clock.now() + (death === "at rest" ? 2.3 * dayMs : 60_000)));
    await process.bury();
    process = await startProcess({ dir, clock });
    await process.scheduler.start();
  }
  const { latestMs } = await compare(process.store);
  assert.ok(latestMs > 2 * dayMs, "what was due while it was down came late");
  assert.deepEqual(
    deaths.map((death) => (died.get(death) ?? 0) > 10),
    [true, true, true],
  );
  await process.scheduler.stop();
  await process.store.close();
});

test("two processes at the same clock end every due time once between them", async (context) => {
  const dir = await createMemoryFolder(context);
  const fromMs = Date.UTC(2028, 9, 20);
  const toMs = Date.UTC(2028, 10, 10);
  const clock = createLeapingClock(fromMs);
  const handler = createHandler();
  // Both have made up their minds before either writes.
  const slow: DueHandler = {
    async decide(item, nowMs) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return handler.decide(item, nowMs);
    },
  };
  let conflicts = 0;
  const onConflict = () => void conflicts++;
  const owner = await startProcess({ dir, clock, handler: slow, onConflict });
  const guest = await startProcess({ dir, clock, handler: slow, onConflict, role: "guest" });
  await putAll(owner.store, plan, fromMs);
  const serve = () => Promise.all([owner.scheduler.start(), guest.scheduler.start()]);
  await serve();
  while (clock.now() < toMs - 1) {
    await leap(owner, clock, toMs - 1);
    await serve();
  }
  const { total } = await compare(owner.store, cut(plan, fromMs, toMs));
  assert.ok(total > 500, `${total} due times`);
  assert.ok(conflicts > total / 2, `${conflicts} of ${total} were decided by both`);
  for (const { scheduler, store } of [guest, owner]) {
    await scheduler.stop();
    await store.close();
  }
});

for (const [zone, fromMs] of [
  ["Europe/Vienna", Date.UTC(2028, 2, 25, 12)],
  ["Europe/Vienna", Date.UTC(2028, 9, 28, 12)],
  ["Australia/Lord_Howe", Date.UTC(2028, 3, 1, 3)],
] as const) {
  test(`in ${zone}, half minute by half minute from ${new Date(fromMs).toISOString()}`, async (context) => {
    const dir = await createMemoryFolder(context);
    const clock = createFakeClock(fromMs);
    const process = await startProcess({ dir, clock });
    const planned = plan.filter(({ id }) => id.startsWith(`${zone} `));
    await putAll(process.store, planned, fromMs);
    await process.scheduler.start();
    await clock.advance(dayMs - 1);
    const { total, latestMs } = await compare(process.store, cut(planned, fromMs, fromMs + dayMs));
    assert.ok(total > 10, `${total} due times`);
    assert.equal(latestMs, 0);
    await process.scheduler.stop();
    await process.store.close();
  });
}
