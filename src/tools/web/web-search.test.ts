/** web_search against servers in the form of each provider: results, failures, what is remembered, what is not set up. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import { searchKey, startSearchServer } from "../../../test/fakes/search-server.ts";
import { textOf } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createImageWork } from "../kit/image-work.ts";
import { type WebConfig, webConfig } from "./config.ts";
import { createWebTools } from "./create-web-tools.ts";

/** Asked for nothing here, so that its thread never starts. */
const imageWork = createImageWork({ clock: createSystemClock() });

type SearchConfig = WebConfig["search"];
type Params = { query: string; numResults?: number; recency?: "day" | "week" | "month" | "year" };

async function open(t: TestContext, search: SearchConfig = {}) {
  const server = await startSearchServer();
  const clock = createWaitlessClock();
  const log = createRecordingLog();
  const config = webConfig.parse({ search: { apiKey: searchKey, baseUrl: server.url, ...search } });
  const tools = createWebTools({ clock, log, config, imageWork });
  t.after(async () => {
    await tools.close();
    await server.close();
  });
  const run = (params: Params, signal = new AbortController().signal) =>
    tools.searchTool.execute("call", params, signal, () => undefined);
  return { server, clock, log, run };
}

for (const provider of ["brave", "perplexity", "searxng"] as const) {
  test(`${provider}: numbered results in plain words, marked as from outside`, async (t) => {
    const { server, run } = await open(t, { provider });
    const result = await run({ query: "blue whales", numResults: 3 });
    const [mark = "", ...lines] = textOf(result).split("\n");
    assert.match(mark, /^<outside source="[\w ]+, search results" mark="\w+">$/);
    assert.deepEqual(lines.slice(0, 4), [
      "1. Result 1 & blue whales",
      "   https://site1.example/page?n=1",
      "   2026-11-16 · About blue whales: it's number 1",
      "",
    ]);
    assert.equal(textOf(result).match(/^\d+\. /gm)?.length, 3);
    assert.ok(result.outside?.endsWith("search results"));
    assert.deepEqual(result.details.urls.length, 3);
    assert.equal(server.seen[0]?.query, "blue whales");
  });

  test(`${provider}: eight results unless told otherwise, and none at all`, async (t) => {
    const { run } = await open(t, { provider });
    assert.equal((await run({ query: "a" })).details.urls.length, 8);
    const nothing = await run({ query: "nothing" });
    assert.equal(textOf(nothing), 'Nothing was found for "nothing".');
    assert.equal(nothing.outside, undefined);
  });

  test(`${provider}: an answer that is none`, async (t) => {
    const { server, log, run } = await open(t, { provider });
    for (const body of ["<html>hello</html>", "{}", '{"results":5,"web":{"results":{}}}', "null"]) {
      server.faults.push({ status: 200, body });
      await assert.rejects(run({ query: `q ${body}` }), { code: "SEARCH_MALFORMED" });
    }
    assert.equal(log.lines.filter(({ level }) => level === "warn").length, 4);
  });

  test(`${provider}: overloaded, it is asked again a little later, and then given up`, async (t) => {
    const { server, clock, run } = await open(t, { provider });
    server.faults.push({ status: 503 }, { status: 500 });
    assert.equal((await run({ query: "a" })).details.urls.length, 8);
    assert.equal(clock.waits.length, 2);
    server.faults.push({ status: 502 }, { status: 502 }, { status: 502 });
    await assert.rejects(run({ query: "b" }), { code: "SEARCH_UNAVAILABLE", retryable: true });
    assert.equal(server.seen.length, 6);
  });
}

test("recency in each provider's words", async (t) => {
  for (const [provider, word] of [
    ["brave", "pw"],
    ["perplexity", "week"],
    ["searxng", "week"],
  ] as const) {
    const { server, run } = await open(t, { provider });
    await run({ query: "a", recency: "week" });
    assert.equal(server.seen[0]?.recency, word);
  }
});

test("a refused key is the operator's to mend, and told in the log", async (t) => {
  for (const provider of ["brave", "perplexity"] as const) {
    const { server, log, run } = await open(t, { provider, apiKey: "wrong" });
    await assert.rejects(run({ query: "a" }), { code: "SEARCH_KEY_REFUSED", hint: /tools\.web\.search\.apiKey/ });
    server.faults.push({ status: 402 });
    await assert.rejects(run({ query: "a" }), { code: "SEARCH_KEY_REFUSED", message: /no credit/ });
    assert.equal(log.lines.length, 2);
    assert.ok(!JSON.stringify(log.lines).includes("wrong"));
  }
  const { server, run } = await open(t, { provider: "searxng" });
  server.faults.push({ status: 403 });
  await assert.rejects(run({ query: "a" }), { code: "SEARCH_REFUSED", hint: /search\.formats/ });
  server.faults.push({ status: 400, body: "bad\nquery" });
  await assert.rejects(run({ query: "a" }), { code: "SEARCH_REFUSED", message: /400\): bad query/ });
});

test("too many searches: waits as long as asked, unless that is too long", async (t) => {
  const { server, clock, run } = await open(t, { provider: "brave" });
  server.faults.push(
    { status: 429, headers: { "x-ratelimit-reset": "1, 86400" } },
    { status: 429, headers: { "retry-after": "2" } },
  );
  assert.equal((await run({ query: "a" })).details.urls.length, 8);
  assert.deepEqual(clock.waits, [1000, 2000]);
  server.faults.push({ status: 429, headers: { "retry-after": "60" } });
  await assert.rejects(run({ query: "b" }), { code: "SEARCH_RATE_LIMITED", hint: "Try again in 60 s." });
});

test("an answer is remembered for its minutes", async (t) => {
  const { server, clock, run } = await open(t, { provider: "brave" });
  await run({ query: "a" });
  await run({ query: "a" });
  assert.equal(server.seen.length, 1);
  await run({ query: "a", numResults: 9 });
  clock.later(15 * 60_000);
  await run({ query: "a" });
  assert.equal(server.seen.length, 3);
});

test("stops when aborted, also while it waits", async (t) => {
  const { server, clock, run } = await open(t, { provider: "brave" });
  await assert.rejects(run({ query: "a" }, AbortSignal.abort()), { code: "ABORTED" });
  server.faults.push({ status: 503 });
  const stop = new AbortController();
  clock.onWait = () => stop.abort();
  await assert.rejects(run({ query: "a" }, stop.signal), { code: "ABORTED" });
  assert.equal(server.seen.length, 1);
});

test("picks the provider that has what it needs", async (t) => {
  const { server, run } = await open(t);
  await run({ query: "a" });
  assert.equal(server.seen[0]?.provider, "brave");
  const own = createWebTools({
    clock: createFakeClock(),
    log: createRecordingLog(),
    imageWork,
    config: webConfig.parse({ search: { baseUrl: `${server.url}/` } }),
  });
  t.after(() => own.close());
  await own.searchTool.execute("call", { query: "b" }, new AbortController().signal, () => undefined);
  assert.equal(server.seen[1]?.provider, "searxng");
});

test("says exactly how to set a provider up", async () => {
  for (const search of [{}, { provider: "brave" }, { provider: "perplexity" }, { provider: "searxng", apiKey: "x" }]) {
    const config = webConfig.parse({ search });
    const { searchTool } = createWebTools({ clock: createFakeClock(), log: createRecordingLog(), config, imageWork });
    const call = searchTool.execute("call", { query: "a" }, new AbortController().signal, () => undefined);
    await assert.rejects(call, {
      code: "SEARCH_NOT_SET_UP",
      hint: /tools\.web\.search: \{ provider: "brave", apiKey:/,
    });
  }
});

test("the provider's address opens nothing for pages", async (t) => {
  const { server } = await open(t);
  const config = webConfig.parse({ search: { baseUrl: server.url } });
  const tools = createWebTools({ clock: createFakeClock(), log: createRecordingLog(), config, imageWork });
  t.after(() => tools.close());
  const call = tools.fetchTool.execute("c", { url: server.url }, new AbortController().signal, () => undefined);
  await assert.rejects(call, { code: "ADDRESS_REFUSED" });
});

test("is declared in few words", () => {
  const config = webConfig.parse({});
  const tools = createWebTools({ clock: createFakeClock(), log: createRecordingLog(), config, imageWork });
  for (const { name, description, parameters } of [tools.searchTool, tools.fetchTool]) {
    const bytes = JSON.stringify({ name, description, parameters }).length;
    assert.ok(bytes <= 600, `${name} has ${bytes}`);
  }
});

test("refuses a config that means nothing", () => {
  assert.equal(webConfig.safeParse({ allowPrivate: ["http://x"] }).success, false);
  assert.equal(webConfig.safeParse({ allowPrivate: ["10.0.0.0/8", "*.corp", "nas.lan:5000"] }).success, true);
  assert.equal(webConfig.safeParse({ search: { baseUrl: "ftp://x" } }).success, false);
  assert.equal(webConfig.safeParse({ search: { key: "x" } }).success, false);
});

/** Real time for what the network does; waits before another try are over at once, and remembered. */
function createWaitlessClock() {
  const real = createSystemClock();
  let laterMs = 0;
  const clock = {
    ...real,
    waits: [] as number[],
    onWait: () => {},
    monotonic: () => real.monotonic() + laterMs,
    later(ms: number) {
      laterMs += ms;
    },
    async sleep(delayMs: number, signal?: AbortSignal) {
      clock.waits.push(delayMs);
      clock.onWait();
      signal?.throwIfAborted();
    },
  };
  return clock;
}
