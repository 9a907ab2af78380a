import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createGatewayHouse, mainKey } from "../../../test/fakes/gateway-house.ts";
import { someUsage } from "../../../test/fakes/house-turns.ts";
import { goodToken, readToken, serveRoutes } from "../../../test/fakes/route-server.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import { createHealthRoutes } from "./health-routes.ts";
import { formatMetrics } from "./prometheus.ts";

const stats = () => ({ connections: 3, clients: 2, events: 40, dropped: 1 });

async function createScene(t: TestContext, change: (house: GatewayHouse) => Partial<GatewayHouse> = () => ({})) {
  const clock = createFakeClock();
  const scene = await createGatewayHouse(t, { clock });
  const house = { ...scene.house, ...change(scene.house) };
  const url = await serveRoutes(t, createHealthRoutes({ house, stats, clock }));
  return { ...scene, fake: scene, clock, url };
}

interface Parsed {
  type: string;
  samples: { labels: Record<string, string>; value: number }[];
}

/** The text format as its specification has it: HELP and TYPE first, one block per metric, nothing that was not announced. */
function parseMetrics(text: string): Map<string, Parsed> {
  assert.ok(text.endsWith("\n"), "the last line has no end");
  const metrics = new Map<string, Parsed>();
  const seen = new Set<string>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const head = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/.exec(line);
    if (head) {
      const [, kind, name = "", rest = ""] = head;
      if (kind === "HELP") {
        assert.ok(!metrics.has(name), `${name} comes twice`);
        assert.doesNotMatch(rest.replace(/\\[\\n]/g, ""), /\\/);
        metrics.set(name, { type: "", samples: [] });
        current = name;
      } else {
        assert.equal(name, current);
        assert.match(rest, /^(gauge|counter)$/);
        assert.match(name, rest === "counter" ? /_total$/ : /^(?!.*_total$)/);
        metrics.set(name, { type: rest, samples: [] });
      }
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line);
    assert.ok(sample, `not a sample: ${line}`);
    const [, name = "", inner = "", value = ""] = sample;
    const metric = metrics.get(name);
    assert.ok(metric && name === current && metric.type !== "", `${name} was not announced`);
    assert.ok(!seen.has(`${name}{${inner}}`), `${name}{${inner}} comes twice`);
    seen.add(`${name}{${inner}}`);
    metric.samples.push({ labels: parseLabels(inner), value: Number(value.replace("Inf", "Infinity")) });
  }
  return metrics;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== "") {
    const pair = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.exec(rest);
    assert.ok(pair, `not a label: ${rest}`);
    const [whole, name = "", value = ""] = pair;
    labels[name] = value.replace(/\\([\\"n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
    rest = rest.slice(whole.length);
  }
  return labels;
}

describe("/healthz", () => {
  test("answers while mom lives, and tells strangers nothing", async (t) => {
    const { url, fake } = await createScene(t);
    fake.isReady = false;
    const response = await fetch(`${url}/healthz`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: "ok" });
  });
});

describe("/readyz", () => {
  test("is 503 until the first turn will be fast", async (t) => {
    const { url, fake } = await createScene(t);
    fake.isReady = false;
    const early = await fetch(`${url}/readyz`);
    assert.equal(early.status, 503);
    assert.deepEqual(await early.json(), { status: "not ready", reason: "starting" });
    fake.isReady = true;
    const late = await fetch(`${url}/readyz`);
    assert.equal(late.status, 200);
    assert.deepEqual(await late.json(), { status: "ready" });
  });

  test("is 503 while the house cannot say how it is, and does not say why", async (t) => {
    let asked = 0;
    let isBroken = true;
    const { url, clock } = await createScene(t, (house) => ({
      status() {
        asked++;
        return isBroken ? Promise.reject(new Error("/home/owner/data is full")) : house.status();
      },
    }));
    const first = await fetch(`${url}/readyz`);
    assert.equal(first.status, 503);
    assert.deepEqual(await first.json(), { status: "not ready", reason: "store" });
    isBroken = false;
    assert.equal((await fetch(`${url}/readyz`)).status, 503, "asked again at once");
    assert.equal(asked, 1);
    await clock.advance(1_000);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal(asked, 2);
  });

  test("does not wait for ever", async (t) => {
    const asked = Promise.withResolvers<void>();
    const { url, clock } = await createScene(t, () => ({
      status() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    }));
    const response = fetch(`${url}/readyz`);
    await asked.promise;
    await clock.advance(2_000);
    assert.equal((await response).status, 503);
  });
});

describe("/metrics", () => {
  const read = async (url: string, token = readToken) => {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  };

  test("are for operators only", async (t) => {
    const { url } = await createScene(t);
    assert.equal((await read(url, "wrong")).status, 401);
    assert.equal((await read(url, goodToken)).status, 200);
  });

  test("are in the format, and what they are called is what they say", async (t) => {
    const { url, store, house, fake } = await createScene(t);
    const model = 'odd "model"\\with\nlines';
    for (const [name, times] of [["mom/big", 2] as const, [model, 1] as const]) {
      for (let n = 0; n < times; n++) {
        await store.usage.record({
          sessionKey: mainKey,
          agentId: "main",
          sender: "cli:1",
          model: name,
          usage: someUsage,
        });
      }
    }
    fake.channels.push({
      ...fake.channels[0],
      name: "tg",
      type: "telegram",
      label: "T",
      access: "",
      state: "failed",
      reconnects: 1,
    });
    const to = { type: "named" as const, agentId: "main", name: "user-a" };
    await house.say({ messageId: "1", deviceName: "d", isAdmin: false, text: "Hello", attachments: [], to });

    const { type, text } = await read(url);
    assert.equal(type, "text/plain; version=0.0.4; charset=utf-8");
    const metrics = parseMetrics(text);
    const value = (name: string, labels: Record<string, string> = {}) =>
      metrics
        .get(name)
        ?.samples.find((sample) => Object.entries(labels).every(([key, of]) => sample.labels[key] === of))?.value;
    assert.deepEqual(metrics.get("mom_info")?.samples, [{ labels: { version: "1.2.3", model: "mom/big" }, value: 1 }]);
    assert.equal(value("mom_ready"), 1);
    assert.equal(value("mom_uptime_seconds"), 60);
    assert.equal(value("mom_event_loop_worst_stall_seconds"), 0.003);
    assert.equal(value("mom_turns", { state: "running" }), 1);
    assert.equal(value("mom_turns", { state: "failed" }), 0);
    assert.equal(value("mom_posts_pending"), 0);
    assert.deepEqual(
      [value("mom_adapter_up", { adapter: "slack" }), value("mom_adapter_up", { adapter: "tg" })],
      [1, 0],
    );
    assert.deepEqual(
      ["connections", "clients", "events_total", "events_dropped_total"].map((name) => value(`mom_gateway_${name}`)),
      [3, 2, 40, 1],
    );
    assert.equal(value("mom_model_calls_total", { model: "mom/big" }), 2);
    assert.equal(value("mom_model_tokens_total", { model, kind: "output" }), someUsage.output);
    assert.equal(value("mom_model_tokens_total", { model, kind: "cache_read" }), someUsage.cacheRead);
    assert.equal(value("mom_model_cost_dollars_total", { model: "mom/big" }), 0.6);
    assert.equal(metrics.get("process_cpu_seconds_total")?.type, "counter");
    for (const name of ["process_resident_memory_bytes", "nodejs_heap_size_used_bytes", "process_cpu_seconds_total"]) {
      assert.ok((value(name) ?? 0) > 0, name);
    }
  });

  test("add up models beyond the first hundred", async (t) => {
    const { url, store } = await createScene(t);
    for (let n = 0; n < 103; n++) {
      const usage = { ...someUsage, cost: { ...someUsage.cost, total: n } };
      await store.usage.record({ sessionKey: mainKey, agentId: "main", sender: "cli:1", model: `m${n}`, usage });
    }
    const calls = parseMetrics((await read(url)).text).get("mom_model_calls_total")?.samples ?? [];
    assert.equal(calls.length, 101);
    assert.deepEqual(calls.at(-1), { labels: { model: "other" }, value: 3 });
  });
});

test("odd values have their own words, and what nobody measured is left out", () => {
  const text = formatMetrics([
    { name: "a", help: "one\\two\nthree", type: "gauge", samples: [{ value: Number.NaN }] },
    {
      name: "b",
      help: "h",
      type: "gauge",
      samples: [{ value: Number.POSITIVE_INFINITY }, { labels: { x: "1" }, value: 1e21 }],
    },
    { name: "c", help: "h", type: "gauge", samples: [] },
  ]);
  assert.match(text, /^# HELP a one\\\\two\\nthree\n/);
  const metrics = parseMetrics(text);
  assert.deepEqual([...metrics.keys()], ["a", "b"]);
  assert.deepEqual(
    metrics.get("b")?.samples.map(({ value }) => value),
    [Number.POSITIVE_INFINITY, 1e21],
  );
});
