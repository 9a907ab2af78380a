/**
 * The gateway of the built program: turns over its OpenAI-compatible HTTP interface, one after another and sixteen sessions at
 * once; a thousand idle and a hundred busy WebSocket clients; and how soon the web page can be used.
 */
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { GatewayClient } from "../../src/gateway/client/index.ts";
import type { Bench } from "../bench.ts";
import { connectClient } from "../connect-client.ts";
import { type Cost, type Figure, summarise, summariseCosts } from "../figure.ts";
import { replyText } from "../reply-text.ts";
import { type Product, startProduct } from "../start-product.ts";
import type { Workshop } from "../workshop.ts";

const skippedTurns = 50;
const sessionCount = 16;
const idleClients = 1000;
const busyClients = 100;

interface Stage {
  product: Product;
  token: string;
  agent: Agent;
}

export const gatewayBench: Bench = {
  name: "gateway",
  summary: "turns over HTTP, many WebSocket clients, the web page",
  needsBuild: true,
  async run(workshop) {
    const gateway = { port: 0, http: { openai: true } };
    const dataDir = await workshop.createDataDir(workshop.model.url, { gateway });
    const product = await startProduct(workshop, dataDir);
    const token = (await readFile(join(dataDir, "state", "gateway-token"), "utf8")).trim();
    const stage: Stage = { product, token, agent: new Agent({ keepAlive: true }) };
    try {
      return [
        await measureWarmTurn(stage, workshop.times(200, 20)),
        await measureParallel(stage, workshop.times(40, 5)),
        ...(await measureClients(stage, workshop)),
        ...(await measurePage(stage, workshop.times(7, 2))),
      ];
    } finally {
      stage.agent.destroy();
      await product.stop();
    }
  },
};

function ask({ product, token, agent }: Stage, user: string): Promise<void> {
  const body = JSON.stringify({ model: "mom", user, messages: [{ role: "user", content: "hello" }] });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const call = request(`${product.url}/v1/chat/completions`, { method: "POST", headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => (text.includes(replyText) ? resolve() : reject(new Error(`no reply: ${text}`))));
    });
    call.on("error", reject);
    call.end(body);
  });
}

async function measureWarmTurn(stage: Stage, turns: number): Promise<Figure> {
  const costs: Cost[] = [];
  for (let n = 0; n < skippedTurns + turns; n++) {
    const cpuStart = stage.product.readCpuMs();
    const start = performance.now();
    await ask(stage, "one");
    const wallMs = performance.now() - start;
    const cpuEnd = stage.product.readCpuMs();
    costs.push({ wallMs, cpuMs: cpuStart === undefined || cpuEnd === undefined ? undefined : cpuEnd - cpuStart });
  }
  return {
    name: "gateway: warm turn over HTTP",
    ...summariseCosts(costs.slice(skippedTurns)),
    target: { atMost: 12 },
    note: "CPU is read in steps of 10 ms",
  };
}

async function measureParallel(stage: Stage, turnsEach: number): Promise<Figure> {
  const talk = async (session: number) => {
    for (let n = 0; n < turnsEach; n++) await ask(stage, `session-${session}`);
  };
  const all = () => Promise.all(Array.from({ length: sessionCount }, (_, session) => talk(session)));
  await all();
  const start = performance.now();
  await all();
  const rate = (sessionCount * turnsEach) / ((performance.now() - start) / 1000);
  return {
    name: `gateway: ${sessionCount} sessions at once over HTTP`,
    unit: "turns/s",
    value: summarise([rate]),
    target: { atLeast: 100 },
  };
}

async function connectMany(stage: Stage, count: number, onEvent = () => {}): Promise<GatewayClient[]> {
  const clients: GatewayClient[] = [];
  // As many at a time as may be waiting to be let in.
  while (clients.length < count) {
    const batch = Math.min(50, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: batch }, () => connectClient(stage, onEvent)))));
  }
  return clients;
}

async function measureClients(stage: Stage, workshop: Workshop): Promise<Figure[]> {
  const turns = workshop.times(100, 10);
  const before = stage.product.readMemoryMiB();
  const idle = await connectMany(stage, workshop.times(idleClients, 100));
  const after = stage.product.readMemoryMiB();
  const withIdle = await timeTurns(stage, turns);
  let events = 0;
  const busy = await connectMany(stage, workshop.times(busyClients, 10), () => events++);
  for (const client of busy) client.follow("all");
  await Promise.all(busy.map((client) => client.call("health", {})));
  const withBusy = await timeTurns(stage, turns);
  for (const client of [...idle, ...busy]) client.stop();
  return [
    ...(before === undefined || after === undefined
      ? []
      : [
          {
            name: `gateway: memory of ${idle.length} idle clients`,
            unit: "MiB" as const,
            value: summarise([after - before]),
          },
        ]),
    { name: `gateway: warm turn beside ${idle.length} idle clients`, unit: "ms", value: summarise(withIdle) },
    {
      name: `gateway: warm turn told to ${busy.length} clients`,
      unit: "ms",
      value: summarise(withBusy),
      note: `${Math.round(events / turns)} events a turn in all; the clients share the machine`,
    },
  ];
}

async function timeTurns(stage: Stage, turns: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < turns; n++) {
    const start = performance.now();
    await ask(stage, "one");
    times.push(performance.now() - start);
  }
  return times;
}

/** From the address to a box that takes what is typed, in a browser that has the page for the first time. */
async function measurePage({ product, token }: Stage, times: number): Promise<Figure[]> {
  const samples: number[] = [];
  const client = await connectClient({ product, token }, () => undefined);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    await client.call("setup.finish", { idempotencyKey: crypto.randomUUID() });
    for (let n = 0; n < times; n++) {
      const { code } = await client.call("device-pair.code", {});
      const context = await browser.newContext();
      const page = await context.newPage();
      const start = performance.now();
      await page.goto(`${product.url}/#code=${code}`, { waitUntil: "commit" });
      await page.getByRole("textbox", { name: /message/i }).waitFor({ state: "visible" });
      samples.push(performance.now() - start);
      await context.close();
    }
  } finally {
    client.stop();
    await browser.close();
  }
  return [{ name: "gateway: web page can be used", unit: "ms", value: summarise(samples), target: { atMost: 1000 } }];
}
