/** What can be measured of a running mom, for `/metrics`. */
import type { Gateway, GatewayHouse } from "../../contracts/gateway.ts";
import type { UsageTotal } from "../../contracts/store.ts";
import type { Metric, Sample } from "./prometheus.ts";

export interface MetricsDeps {
  house: Pick<GatewayHouse, "version" | "status" | "isReady"> & {
    store: Pick<GatewayHouse["store"], "turns" | "usage">;
  };
  stats: Gateway["stats"];
}

/** Models with numbers of their own; the cheapest of the rest are added up as `other`. */
const mostModels = 100;

export async function collectMetrics({ house, stats }: MetricsDeps): Promise<Metric[]> {
  const { store } = house;
  const [status, turns, usage] = await Promise.all([house.status(), store.turns.counts(), store.usage.totals("model")]);
  const { heapUsed, heapTotal, rss } = process.memoryUsage();
  const cpu = process.cpuUsage();
  const gateway = stats();
  return [
    gauge("mom_info", "Version and default model of this mom; always 1.", [
      { labels: { version: house.version, model: status.model }, value: 1 },
    ]),
    gauge("mom_ready", "1 when the first turn will be fast.", house.isReady() ? 1 : 0),
    gauge("mom_uptime_seconds", "Seconds since the start.", status.uptimeMs / 1000),
    gauge(
      "mom_event_loop_worst_stall_seconds",
      "The longest time that the event loop was held.",
      status.worstStallMs / 1000,
    ),
    gauge("process_resident_memory_bytes", "Resident memory size.", rss),
    gauge("nodejs_heap_size_used_bytes", "Heap in use.", heapUsed),
    gauge("nodejs_heap_size_total_bytes", "Heap set aside.", heapTotal),
    counter("process_cpu_seconds_total", "CPU time spent, user and system.", (cpu.user + cpu.system) / 1e6),
    gauge(
      "mom_turns",
      "Turns in the database by state; finished ones until they are pruned.",
      Object.entries(turns).map(([state, value]) => ({ labels: { state }, value })),
    ),
    gauge("mom_posts_pending", "Posts that have not left yet.", status.pendingPosts),
    gauge(
      "mom_adapter_up",
      "1 for a chat platform that is connected.",
      status.adapters.map(({ name, state }) => ({ labels: { adapter: name }, value: state === "connected" ? 1 : 0 })),
    ),
    gauge("mom_gateway_connections", "Open connections to the gateway.", gateway.connections),
    gauge("mom_gateway_clients", "Clients that are let in.", gateway.clients),
    counter("mom_gateway_events_total", "Events told to clients.", gateway.events),
    counter("mom_gateway_events_dropped_total", "Events that a client was too slow for.", gateway.dropped),
    ...buildUsage(foldRest(usage)),
  ];
}

function buildUsage(totals: readonly UsageTotal[]): Metric[] {
  const perModel = (pick: (total: UsageTotal) => number): Sample[] =>
    totals.map((total) => ({ labels: { model: total.key }, value: pick(total) }));
  const tokens = totals.flatMap(({ key: model, input, output, cacheRead, cacheWrite }) => [
    { labels: { model, kind: "input" }, value: input },
    { labels: { model, kind: "output" }, value: output },
    { labels: { model, kind: "cache_read" }, value: cacheRead },
    { labels: { model, kind: "cache_write" }, value: cacheWrite },
  ]);
  return [
    counter(
      "mom_model_calls_total",
      "Calls of a model.",
      perModel(({ calls }) => calls),
    ),
    counter("mom_model_tokens_total", "Tokens by model and kind.", tokens),
    counter(
      "mom_model_cost_dollars_total",
      "What a model cost, US dollars.",
      perModel(({ cost }) => cost),
    ),
  ];
}

/** A label with endless values would fill the other side's memory. */
function foldRest(totals: readonly UsageTotal[]): UsageTotal[] {
  if (totals.length <= mostModels) return [...totals];
  const byCost = totals.toSorted((a, b) => b.cost - a.cost || b.calls - a.calls);
  const other: UsageTotal = { key: "other", calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  for (const total of byCost.slice(mostModels)) {
    other.calls += total.calls;
    other.input += total.input;
    other.output += total.output;
    other.cacheRead += total.cacheRead;
    other.cacheWrite += total.cacheWrite;
    other.cost += total.cost;
  }
  return [...byCost.slice(0, mostModels), other];
}

type Values = number | readonly Sample[];
const toSamples = (values: Values): readonly Sample[] => (typeof values === "number" ? [{ value: values }] : values);
const gauge = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: "gauge",
  samples: toSamples(values),
});
const counter = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: "counter",
  samples: toSamples(values),
});
