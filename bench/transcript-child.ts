/**
 * A fresh mom that opens a data directory and makes the first context of a session of it: what stands between a start and
 * the first request when the conversation is long. Started by benches/transcript.ts.
 */
import { createContextLoader } from "../src/agent/context/load-context.ts";
import { createSystemClock } from "../src/base/clock.ts";
import type { SessionKey } from "../src/contracts/ids.ts";
import { buildRoute } from "../src/sessions/index.ts";
import { buildLayout, openStore } from "../src/store/index.ts";
import { silentLog } from "../test/fakes/log.ts";

export interface TranscriptOrders {
  dataDir: string;
  sessionKey: SessionKey;
}

export interface TranscriptResult {
  wallMs: number;
  cpuMs: number;
  /** Of the first context. */
  messages: number;
}

/** As many as the agent asks for. */
const mostEntries = 2000;
const model = { provider: "lab", id: "bench", input: ["text" as const], contextWindow: 128_000 };

const { dataDir, sessionKey }: TranscriptOrders = JSON.parse(process.argv[2] ?? "{}");
const cpuStart = process.cpuUsage();
const start = performance.now();
const store = await openStore({
  layout: buildLayout(dataDir),
  clock: createSystemClock(),
  log: silentLog,
  role: "owner",
  routesOf: (channel) => [buildRoute("main", { type: "main" }, channel)],
});
const contexts = createContextLoader(store);
const { items } = await contexts.load(sessionKey, mostEntries);
const messages = contexts.toMessages(items, model);
const wallMs = performance.now() - start;
const { user, system } = process.cpuUsage(cpuStart);
await store.close();
process.send?.({ wallMs, cpuMs: (user + system) / 1000, messages: messages.length } satisfies TranscriptResult);
process.disconnect();
