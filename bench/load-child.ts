/**
 * One life of mom under load: the real app in a process of its own, bundled like the product, talking to a platform in
 * memory. Each session sends its next message when the last one is answered and the receipt is written. Started by run-load.ts.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createApp } from "../src/app/index.ts";
import { createSystemClock } from "../src/base/clock.ts";
import type { Store } from "../src/contracts/store.ts";
import { createFileSink, createLogger, createRedactor } from "../src/observability/index.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { replyText } from "./reply-text.ts";

export interface LoadOrders {
  dataDir: string;
  /** Turns in a session of their own before anything is measured, so that the code is compiled. */
  warmUpTurns: number;
  /** Where the load comes from: the owner's one direct chat, or so many groups at once, each a session. */
  load: { type: "direct" } | { type: "groups"; count: number };
  turnsPerSession: number;
  /** What is said, in turn and with a number behind it. Absent: always the same short words. */
  texts?: string[];
}

export interface TurnCost {
  /** From handing the message in to the reply being posted. */
  replyMs: number;
  /** To the receipt being on disk. */
  doneMs: number;
  /** CPU time of the whole process until then: the turn's own only where one session runs alone. */
  cpuMs: number;
}

export interface LoadResult {
  wallMs: number;
  cpuMs: number;
  /** The longest that one turn of the event loop took. */
  longestStallMs: number;
  /** Turns in order, by session. */
  sessions: TurnCost[][];
}

interface Waiting {
  onReply(): void;
  onDone(): void;
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const orders: LoadOrders = JSON.parse(process.argv[2] ?? "{}");
const waiting = new Map<string, Waiting>();

const platform = createMemoryAdapter((channelId, text) => {
  // A failure is posted too, and sooner than an answer: it must not pass for a fast turn.
  if (text !== replyText) fail(`mom answered ${JSON.stringify(text)}`);
  waiting.get(channelId)?.onReply();
});

function watchReceipts(store: Store): Store {
  const settle: Store["outbox"]["settle"] = async (delivery, result) => {
    await store.outbox.settle(delivery, result);
    if (result.type !== "sent") fail(`a post ended as ${result.type}: ${result.error}`);
    waiting.get(delivery.channel.channelId)?.onDone();
  };
  return { ...store, outbox: { ...store.outbox, settle } };
}

const cpuMsSince = (start: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

async function takeTurn(channelId: string, text: string): Promise<TurnCost> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  let replyMs = 0;
  const done = new Promise<TurnCost>((resolve) => {
    waiting.set(channelId, {
      onReply: () => {
        replyMs = performance.now() - start;
      },
      onDone: () => resolve({ replyMs, doneMs: performance.now() - start, cpuMs: cpuMsSince(cpuStart) }),
    });
  });
  await platform.say(channelId, text);
  return done;
}

async function runSession(channelId: string, turns: number, texts = ["hello"]): Promise<TurnCost[]> {
  const costs: TurnCost[] = [];
  for (let n = 1; n <= turns; n++) {
    costs.push(await takeTurn(channelId, `${texts[(n - 1) % texts.length]} number ${n}`));
  }
  return costs;
}

async function measure({ load, turnsPerSession, texts }: LoadOrders): Promise<LoadResult> {
  const channels = load.type === "direct" ? ["D1"] : Array.from({ length: load.count }, (_each, n) => `G${n + 1}`);
  const stalls = monitorEventLoopDelay({ samplePerIteration: true });
  // The first turn of the loop would otherwise have begun before the monitor.
  await new Promise((resolve) => setImmediate(resolve));
  stalls.enable();
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  const sessions = await Promise.all(channels.map((channelId) => runSession(channelId, turnsPerSession, texts)));
  const result = { wallMs: performance.now() - start, cpuMs: cpuMsSince(cpuStart), sessions };
  stalls.disable();
  return { ...result, longestStallMs: stalls.max / 1e6 };
}

const clock = createSystemClock();
const sink = createFileSink(`${orders.dataDir}/state/logs/mom.log`);
const log = createLogger({ clock, redactor: createRedactor(), sinks: [sink] }, { level: "info" });
const app = await createApp({
  dataDir: orders.dataDir,
  version: "0.0.0",
  env: { PATH: process.env["PATH"], HOME: orders.dataDir },
  clock,
  log,
  adapters: [platform],
  onlyGiven: true,
  wrapStore: watchReceipts,
});
await runSession("G-warm-up", orders.warmUpTurns);
process.send?.(await measure(orders));
await app.stop();
await log.close();
process.disconnect();
