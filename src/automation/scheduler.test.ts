/** The scheduler on the real store: who is asked when, what a failing or waiting handler holds up, and clocks that jump. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock, type FakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createMemoryFolder } from "../../test/fakes/memory-folder.ts";
import type { DueClock, DueHandler, DueItem, DueSource, OccurrenceEnd, Scheduler } from "../contracts/schedule.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { createScheduler } from "./scheduler.ts";

type Decision = Awaited<ReturnType<DueHandler["decide"]>>;

interface Scene {
  /** The wall jumps by this; timers do not notice. */
  jump(ms: number): void;
  clock: FakeClock;
  store: Store;
  scheduler: Scheduler;
  put(id: string, inMs: number, source?: DueSource): Promise<DueItem>;
  /** A new process on the same folder. */
  restart(): Promise<Scene>;
}

async function createScene(context: TestContext, wrap = (due: DueClock) => due): Promise<Scene> {
  const dir = await createMemoryFolder(context);
  const fake = createFakeClock();
  let shiftMs = 0;
  const clock: FakeClock = {
    ...fake,
    now: () => fake.now() + shiftMs,
    get pending() {
      return fake.pending;
    },
  };
  const open = async (): Promise<Scene> => {
    const store = await openStore({
      layout: buildLayout(dir),
      clock,
      log: silentLog,
      role: "owner",
      routesOf: () => [],
    });
    const scheduler = createScheduler({ due: wrap(store.due), clock, log: silentLog, kv: store.kv });
    const close = async () => {
      await scheduler.stop();
      await store.close();
    };
    let isClosed = false;
    context.after(() => (isClosed ? undefined : close()));
    return {
      clock,
      store,
      scheduler,
      jump(ms) {
        shiftMs += ms;
      },
      put: (id, inMs, source = "cron") => store.due.put({ source, id, dueAt: clock.now() + inMs, data: null }),
      async restart() {
        isClosed = true;
        await close();
        return open();
      },
    };
  };
  return open();
}

/** Ends what it is asked for, and remembers that. */
function createHandler(decide?: (item: DueItem, nowMs: number) => Promise<Decision> | Decision) {
  const asked: string[] = [];
  const ended: string[] = [];
  const handler: DueHandler = {
    async decide(item, nowMs) {
      asked.push(item.id);
      return decide ? decide(item, nowMs) : over;
    },
    settled: ({ id }) => void ended.push(id),
  };
  return { ...handler, asked, ended };
}
const over: Decision = { type: "settle", state: "ran", next: null };
const again = (dueAt: number): Decision => ({ type: "settle", state: "ran", next: { dueAt } });
const hourMs = 3600_000;

test("what is due is ended when its time comes, not before, and goes on", async (context) => {
  const { clock, store, scheduler, put } = await createScene(context);
  const start = clock.now();
  const times: number[] = [];
  const handler = createHandler(({ dueAt = 0 }, nowMs) => {
    times.push(nowMs - start);
    return again(dueAt + 100_000);
  });
  scheduler.register("cron", handler);
  await put("a", 45_000);
  await scheduler.start();
  await clock.advance(44_999);
  assert.deepEqual(times, []);
  await clock.advance(300_000);
  assert.deepEqual(times, [45_000, 145_000, 245_000]);
  assert.deepEqual(handler.ended, ["a", "a", "a"]);
  assert.equal((await store.due.ledger({ limit: 9 })).length, 3);
});

test("what came due while nobody looked is served at the start, soonest first", async (context) => {
  const first = await createScene(context);
  await first.put("b", 2000);
  await first.put("a", 1000);
  await first.put("later", hourMs);
  const { clock, scheduler } = await first.restart();
  await clock.advance(60_000);
  const handler = createHandler();
  scheduler.register("cron", handler);
  await scheduler.start();
  assert.deepEqual(handler.ended, ["a", "b"]);
});

test("what is put on the clock later is noticed when the scheduler is woken, else within half a minute", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const handler = createHandler();
  scheduler.register("cron", handler);
  await scheduler.start();
  await clock.advance(1000);
  await put("woken", 10);
  scheduler.wake();
  await clock.advance(10);
  assert.deepEqual(handler.ended, ["woken"]);
  await put("unheard", 10);
  await clock.advance(30_000);
  assert.deepEqual(handler.ended, ["woken", "unheard"]);
});

test("one that waits is asked again at its time or when woken, and holds up nobody", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const start = clock.now();
  const asked: string[] = [];
  const handler = createHandler(({ id }, nowMs) => {
    asked.push(`${id} ${nowMs - start}`);
    if (id === "waits" && nowMs - start < 7000) return { type: "wait", untilMs: start + 7000 };
    if (id === "quiet" && nowMs - start < 8000) return { type: "wait" };
    return over;
  });
  scheduler.register("cron", handler);
  await put("waits", 1000);
  await put("quiet", 1001);
  await put("next", 1002);
  await scheduler.start();
  await clock.advance(6000);
  assert.deepEqual(asked, ["waits 1000", "quiet 1001", "next 1002"]);
  await clock.advance(1500);
  assert.deepEqual(asked.slice(3), ["waits 7000"]);
  await clock.advance(20_000);
  assert.equal(asked.length, 4, "one that named no time is left alone");
  scheduler.wake();
  await clock.advance(0);
  assert.deepEqual(asked.slice(4), ["quiet 27500"]);
  assert.deepEqual(handler.ended, ["next", "waits", "quiet"]);
});

test("a wake that comes while a handler makes up its mind is not lost", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  let isFree = false;
  const handler = createHandler(async () => {
    const decision: Decision = isFree ? over : { type: "wait", untilMs: clock.now() + hourMs };
    isFree = true;
    scheduler.wake();
    return decision;
  });
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await clock.advance(20);
  assert.deepEqual([handler.asked, handler.ended], [["a", "a"], ["a"]]);
});

test("a handler that wakes the scheduler whenever it is asked is not asked in a circle", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const handler = createHandler(() => {
    scheduler.wake();
    return { type: "wait" };
  });
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await clock.advance(1000);
  assert.equal(handler.asked.length, 51);
});

test("many that come due together do not keep the event loop for themselves", async (context) => {
  const scene = await createScene(context);
  let spentMs = 0;
  let rests = 0;
  const clock = {
    ...scene.clock,
    monotonic: () => spentMs,
    sleep: async () => void rests++,
  };
  const scheduler = createScheduler({ due: scene.store.due, clock, log: silentLog, kv: scene.store.kv });
  const many = createHandler(() => {
    spentMs += 5;
    return over;
  });
  scheduler.register("cron", many);
  for (let n = 0; n < 100; n++) await scene.put(`i${n}`, 0);
  await scheduler.start();
  assert.deepEqual([many.ended.length, rests], [100, 25]);
  // One that catches up, due time by due time.
  rests = 0;
  const late = createHandler(({ dueAt = 0 }) => {
    spentMs += 5;
    return again(dueAt + 1);
  });
  scheduler.register("event", late);
  await scene.put("late", -99, "event");
  await scheduler.start();
  await scheduler.stop();
  assert.deepEqual([late.ended.length, rests], [100, 25]);
});

test("an item that was changed is asked for at once, whatever it waited for", async (context) => {
  const { clock, store, scheduler, put } = await createScene(context);
  const handler = createHandler(({ data }, nowMs) => (data ? over : { type: "wait", untilMs: nowMs + hourMs }));
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await store.due.change("cron", "a", ({ dueAt }) => ({ data: "go", ...(dueAt !== undefined && { dueAt }) }));
  await clock.advance(30_000);
  assert.deepEqual(handler.ended, ["a"]);
});

test("a handler that fails is put off for longer and longer, and the others run on time", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const start = clock.now();
  const tries: number[] = [];
  const handler = createHandler(({ id, dueAt = 0 }, nowMs) => {
    if (id === "good") return again(dueAt + 10_000);
    tries.push((nowMs - start) / 1000);
    scheduler.wake();
    throw new Error("broken");
  });
  scheduler.register("cron", handler);
  await put("bad", 0);
  await put("good", 10_000);
  await scheduler.start();
  await clock.advance(2000_000);
  assert.deepEqual(tries, [0, 5, 15, 35, 75, 155, 315, 635, 1235, 1835]);
  assert.equal(handler.ended.length, 200);
});

test("a due time whose end cannot be written is tried again, and told of once", async (context) => {
  let failures = 2;
  const { clock, scheduler, put } = await createScene(context, (due) => ({
    ...due,
    async settle(item, end, at) {
      if (failures-- > 0) throw new Error("the disk is full");
      return due.settle(item, end, at);
    },
  }));
  const handler = createHandler();
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await clock.advance(60_000);
  assert.deepEqual([handler.asked.length, handler.ended], [3, ["a"]]);
});

test("a clock that cannot be read is read again", async (context) => {
  let failures = 2;
  const { clock, scheduler, put } = await createScene(context, (due) => ({
    ...due,
    async due(now, after) {
      if (failures-- > 0) throw new Error("busy");
      return due.due(now, after);
    },
  }));
  const handler = createHandler();
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await clock.advance(10_000);
  assert.deepEqual(handler.ended, ["a"]);
});

test("a next time that does not come after this one is not followed in a circle", async (context) => {
  const { clock, store, scheduler, put } = await createScene(context);
  const handler = createHandler(({ dueAt = 0 }) => again(dueAt));
  scheduler.register("cron", handler);
  await put("a", 0);
  await scheduler.start();
  await clock.advance(4000);
  assert.equal(handler.asked.length, 1);
  assert.deepEqual(await store.due.ledger({ limit: 9 }), []);
});

test("a source is asked for one item at a time, and no source waits for another", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  let atOnce = 0;
  let most = 0;
  const slow = createHandler(async () => {
    most = Math.max(most, ++atOnce);
    await clock.sleep(10_000);
    atOnce--;
    return over;
  });
  const quick = createHandler(({ dueAt = 0 }) => again(dueAt + 1000));
  scheduler.register("subagent", slow);
  scheduler.register("cron", quick);
  for (const id of ["a", "b", "c"]) await put(id, 0, "subagent");
  await put("q", 1000);
  void scheduler.start();
  await clock.advance(15_000);
  assert.deepEqual([slow.ended, quick.ended.length], [["a"], 15]);
  await clock.advance(20_000);
  assert.deepEqual([slow.ended, most], [["a", "b", "c"], 1]);
});

test("what nobody knows is left as it is", async (context) => {
  const { clock, store, scheduler, put } = await createScene(context);
  await put("x", 0, "event");
  scheduler.register("cron", createHandler());
  await scheduler.start();
  await clock.advance(hourMs);
  assert.equal((await store.due.list("event")).length, 1);
});

test("a crowd that waits does not hide who comes after it", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const handler = createHandler(({ id }) => (id.startsWith("w") ? { type: "wait" } : over));
  scheduler.register("cron", handler);
  for (let n = 0; n < 1100; n++) await put(`w${n}`, 0);
  await put("last", 5);
  await scheduler.start();
  await clock.advance(5);
  assert.deepEqual(handler.ended, ["last"]);
  assert.equal(handler.asked.length, 1101);
});

test("stopping waits for what is under way, and nobody is asked after it", async (context) => {
  const { clock, store, scheduler, put } = await createScene(context);
  const handler = createHandler(async () => {
    await clock.sleep(1000);
    return over;
  });
  scheduler.register("cron", handler);
  await put("a", 0);
  await put("b", 0);
  const started = scheduler.start();
  await clock.advance(10);
  let isStopped = false;
  const stopped = scheduler.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(500);
  assert.equal(isStopped, false);
  await clock.advance(500);
  await Promise.all([stopped, started]);
  assert.deepEqual([handler.asked, handler.ended], [["a"], ["a"]]);
  const pending = clock.pending;
  scheduler.wake();
  await clock.advance(hourMs);
  assert.equal(clock.pending, pending);
  assert.deepEqual(handler.asked, ["a"]);
  assert.equal((await store.due.list("cron")).length, 1);
  const resumed = scheduler.start();
  await clock.advance(1000);
  await resumed;
  assert.deepEqual(handler.ended, ["a", "b"]);
});

test("a machine that slept is caught up with within half a minute", async (context) => {
  const { clock, scheduler, put, jump } = await createScene(context);
  const handler = createHandler();
  scheduler.register("cron", handler);
  await put("a", 3 * hourMs);
  await scheduler.start();
  await clock.advance(1000);
  jump(5 * hourMs);
  await clock.advance(30_000);
  assert.deepEqual(handler.ended, ["a"]);
});

test("a clock that is turned back is told of once, and waits that were set by it end", async (context) => {
  const { clock, scheduler, put, jump } = await createScene(context);
  const told: number[] = [];
  const handler = createHandler((_, nowMs) => (told.length === 0 ? { type: "wait", untilMs: nowMs + hourMs } : over));
  const clockTurnedBack = async (nowMs: number) => void told.push(nowMs);
  scheduler.register("cron", { ...handler, clockTurnedBack });
  scheduler.register("event", createHandler());
  await put("a", -2 * hourMs);
  await scheduler.start();
  await clock.advance(1000);
  jump(-1500);
  await clock.advance(60_000);
  assert.equal(told.length, 0, "time servers do that");
  jump(-hourMs);
  await clock.advance(60_000);
  assert.equal(told.length, 1);
  assert.ok(Math.abs((told[0] ?? 0) - clock.now()) <= 60_000);
  assert.deepEqual(handler.ended, ["a"]);
});

test("a clock that was turned back while mom was down is noticed at the start, also after a crash", async (context) => {
  const told: string[] = [];
  const handlerOf = (name: string, fails = 0): DueHandler => ({
    ...createHandler(),
    async clockTurnedBack() {
      told.push(name);
      if (fails-- > 0) throw new Error("not now");
    },
  });
  const first = await createScene(context);
  first.scheduler.register("cron", handlerOf("first"));
  await first.scheduler.start();
  await first.clock.advance(1000);
  const second = await first.restart();
  second.jump(-600_000);
  second.scheduler.register("cron", handlerOf("second", 99));
  await second.scheduler.start();
  assert.deepEqual(told, ["second"]);
  const third = await second.restart();
  third.scheduler.register("cron", handlerOf("third", 1));
  await third.scheduler.start();
  assert.deepEqual(told, ["second", "third"], "whom the last process could not tell is told by this one");
  await third.clock.advance(30_000);
  assert.deepEqual(told, ["second", "third", "third"]);
  const fourth = await third.restart();
  fourth.scheduler.register("cron", handlerOf("fourth"));
  await fourth.scheduler.start();
  assert.equal(told.length, 3);
});

test("what was settled is told with its letters, and a listener that fails stops nothing", async (context) => {
  const { clock, scheduler, put } = await createScene(context);
  const message = {
    channelId: "C1",
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U1", username: "ann", isBot: false },
    text: "x",
    attachments: [],
    isMention: false,
  };
  const told: [string, OccurrenceEnd["state"], string[]][] = [];
  scheduler.register("cron", {
    decide: async ({ id }) => ({
      ...over,
      letters: [{ adapter: "slack", message: { ...message, id: `cron:${id}` }, verdict: { type: "heard" } }],
    }),
    settled({ id }, end, accepted) {
      told.push([id, end.state, accepted.map(({ type }) => type)]);
      throw new Error("a listener fails");
    },
  });
  await put("a", 0);
  await put("b", 0);
  await scheduler.start();
  await clock.advance(1000);
  assert.deepEqual(told, [
    ["a", "ran", ["accepted"]],
    ["b", "ran", ["accepted"]],
  ]);
});
