/**
 * One life of mom for the crash matrix: the real app in a process of its own, whose store, files, model and adapter are
 * wrapped so that the process kills itself, for real, at a named point. Every point passed is told to the parent.
 */
import { createApp } from "../../src/app/index.ts";
import type { ChannelCapabilities, PlatformAdapter } from "../../src/contracts/channel.ts";
import type { ModelProvider } from "../../src/contracts/model.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createFileSink, createLogger, createRedactor } from "../../src/observability/index.ts";
import type { JsonlFiles } from "../../src/store/index.ts";
import { chatRules, createChatAdapter } from "../fakes/chat-adapter.ts";
import { createShiftedClock } from "../fakes/shifted-clock.ts";

export interface ChildOrders {
  dataDir: string;
  /** Talks to the plain chat server through an adapter of the test's own. Absent: through those of the config. */
  plain?: { chatUrl: string; settles: ChannelCapabilities["settles"] };
  /** `turns.record#2:after`; empty: live on. */
  dieAt: string;
  /** Its clock is ahead by so much. */
  aheadMs?: number;
}

const orders: ChildOrders = JSON.parse(process.argv[2] ?? "{}");
const passed = new Map<string, number>();

/** A point in the life of a turn. The count makes each one distinct, in an order that is the same in every life. */
function pass(name: string): void {
  const [what, when] = name.split(":");
  const count = (passed.get(name) ?? 0) + 1;
  passed.set(name, count);
  const point = `${what}#${count}:${when}`;
  process.send?.({ type: "passed", point });
  if (point === orders.dieAt) process.kill(process.pid, "SIGKILL");
}

type AnyFunction = (...args: never[]) => unknown;

/** The same object, with points before and after the named methods. `after` only where something came back. */
function withPoints<T extends object>(prefix: string, target: T, methods: readonly (keyof T & string)[]): T {
  const wrapped: Record<string, unknown> = {};
  for (const method of methods) {
    const original = target[method] as AnyFunction;
    wrapped[method] = async (...args: never[]) => {
      // A claim that finds nothing is no step of a turn.
      const isClaim = method === "claim";
      if (!isClaim) pass(`${prefix}.${method}:before`);
      const result = await original.apply(target, args);
      if (!isClaim || result) pass(`${prefix}.${method}:after`);
      return result;
    };
  }
  return { ...target, ...wrapped };
}

const wrapStore = (store: Store): Store => ({
  ...store,
  inbox: withPoints("inbox", store.inbox, ["accept"]),
  turns: withPoints("turns", store.turns, ["claim", "record", "absorb", "finish"]),
  outbox: withPoints("outbox", store.outbox, ["claim", "settle", "noteRepeat"]),
  sessions: withPoints("sessions", store.sessions, ["open", "reset", "delete"]),
  due: withPoints("due", store.due, ["put", "change", "settle", "remove"]),
});
const wrapFiles = (files: JsonlFiles): JsonlFiles => withPoints("files", files, ["append"]);
const wrapModels = (models: ModelProvider): ModelProvider => ({
  ...models,
  stream(request) {
    pass("model.ask:before");
    const stream = models.stream(request);
    void stream.result().then(() => pass("model.ask:after"));
    return stream;
  },
});

const clock = createShiftedClock(Date.now() + (orders.aheadMs ?? 0));
const sink = createFileSink(`${orders.dataDir}/state/logs/mom.log`);
const log = createLogger({ clock, redactor: createRedactor(), sinks: [sink] }, { level: "debug" });
const given = ({ chatUrl, settles }: NonNullable<ChildOrders["plain"]>) => {
  const adapter: PlatformAdapter = withPoints("adapter", createChatAdapter({ url: chatUrl, settles }), [
    "sendMessage",
    "settle",
  ]);
  return { adapter, rules: chatRules };
};
const app = await createApp({
  dataDir: orders.dataDir,
  version: "0.0.0",
  env: { PATH: process.env["PATH"], HOME: orders.dataDir },
  clock,
  log,
  adapters: orders.plain ? [given(orders.plain)] : [],
  wrapStore,
  wrapFiles,
  wrapModels,
});
/** Waits for the turn of a message to be over, posts and all. */
async function settle(messageId: string): Promise<void> {
  const turns = await app.store.turns.list({ limit: 100 });
  const turn = turns.find((each) => each.message.id === messageId);
  if (turn) await app.whenOver(turn.id);
  process.send?.({ type: "settled", id: messageId });
}

process.on("message", async (message: "stop" | { type: "settle"; id: string }) => {
  if (typeof message === "object") return settle(message.id);
  await app.stop();
  await log.close();
  process.disconnect();
});
process.send?.({ type: "ready" });
