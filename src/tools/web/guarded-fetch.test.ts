/** The guarded fetch against real servers: redirects, limits on time and size, what is sent along, TLS names. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { startWebSite } from "../../../test/fakes/web-site.ts";
import { createAddressGuard } from "../../base/address-guard.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Clock } from "../../contracts/clock.ts";
import { createGuardedFetch, type WebRequest } from "./guarded-fetch.ts";

const limits = { maxBytes: 100_000, timeoutMs: 10_000 };

async function open(t: TestContext, { clock = createSystemClock() }: { clock?: Clock } = {}) {
  const site = await startWebSite(t);
  const other = await startWebSite(t);
  const guard = createAddressGuard({ allow: [site.allowEntry, other.allowEntry] });
  const web = createGuardedFetch({ guard, clock });
  t.after(() => web.close());
  const get = (path: string, request: Partial<WebRequest> = {}) =>
    web.fetch(site.url + path, { ...limits, ...request });
  const text = async (path: string) => new TextDecoder().decode((await get(path)).body);
  return { site, other, get, text };
}

test("gives status, headers and body of any answer", async (t) => {
  const { site, get } = await open(t);
  site.put("/a", { status: 418, headers: { "x-a": "1" }, body: "tea" });
  const answer = await get("/a");
  assert.deepEqual([answer.url, answer.status, answer.headers.get("x-a")], [`${site.url}/a`, 418, "1"]);
  assert.equal(new TextDecoder().decode(answer.body), "tea");
});

test("says who asks, and sends no cookies back", async (t) => {
  const { site, get } = await open(t);
  site.put("/a", { headers: { "set-cookie": "id=1" } });
  await get("/a");
  await get("/a", { headers: { "x-own": "yes" } });
  const headers = site.requests[1]?.headers;
  assert.match(headers?.["user-agent"] ?? "", /mom/);
  assert.equal(headers?.["x-own"], "yes");
  assert.equal(headers?.cookie, undefined);
});

test("follows redirects of every kind, relative ones too", async (t) => {
  const { site, other, get } = await open(t);
  const statuses = [301, 302, 303, 307, 308];
  statuses.forEach((status, i) => {
    site.put(`/${i}`, { status, headers: { location: i === 4 ? `${other.url}/end` : `./${i + 1}` } });
  });
  other.put("/end", { body: "here" });
  const answer = await get("/0");
  assert.equal(answer.url, `${other.url}/end`);
  assert.equal(site.requests.length, 5);
});

test("gives up after five redirects", async (t) => {
  const { site, get } = await open(t);
  site.put("/a", { status: 302, headers: { location: "/a" } });
  await assert.rejects(get("/a"), { code: "WEB_REDIRECTS" });
  assert.equal(site.requests.length, 6);
});

test("takes a redirect without a place for an answer, and one to rubbish for none", async (t) => {
  const { site, get } = await open(t);
  site.put("/a", { status: 302 });
  assert.equal((await get("/a")).status, 302);
  site.put("/b", { status: 302, headers: { location: "http://[x/" } });
  await assert.rejects(get("/b"), { code: "ADDRESS_INVALID" });
});

test("carries the caller's headers to the same origin only", async (t) => {
  const { site, other, get } = await open(t);
  site.put("/a", { status: 302, headers: { location: "/b" } });
  site.put("/b", { status: 302, headers: { location: `${other.url}/c` } });
  other.put("/c", {});
  await get("/a", { headers: { authorization: "Bearer x", "x-subscription-token": "y" } });
  assert.equal(site.requests[1]?.headers.authorization, "Bearer x");
  assert.equal(other.requests[0]?.headers.authorization, undefined);
  assert.equal(other.requests[0]?.headers["x-subscription-token"], undefined);
});

test("sends a POST once", async (t) => {
  const { site, get } = await open(t);
  site.put("/a", { status: 307, headers: { location: "/b" } });
  assert.equal((await get("/a", { method: "POST", body: "{}" })).status, 307);
  assert.deepEqual(
    site.requests.map(({ method, path }) => `${method} ${path}`),
    ["POST /a"],
  );
});

test("unpacks what is packed", async (t) => {
  const { site, text } = await open(t);
  site.put("/gzip", { headers: { "content-encoding": "gzip" }, body: gzipSync("packed") });
  site.put("/br", { headers: { "content-encoding": "br" }, body: brotliCompressSync("packed") });
  assert.equal(await text("/gzip"), "packed");
  assert.equal(await text("/br"), "packed");
});

test("stops at the size limit: announced, streamed, and unpacked", async (t) => {
  const { site, get } = await open(t);
  const tooBig = { code: "WEB_TOO_BIG", message: /larger than 98 KB/ };
  site.put("/announced", { body: Buffer.alloc(100_001) });
  site.put("/bomb", { headers: { "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(50_000_000)) });
  let written = 0;
  const closed = Promise.withResolvers<void>();
  site.put("/endless", {
    serve(response) {
      const write = () => {
        if (response.destroyed) return;
        written += 10_000;
        response.write(Buffer.alloc(10_000), write);
      };
      response.on("close", () => closed.resolve());
      write();
    },
  });
  await assert.rejects(get("/announced"), tooBig);
  await assert.rejects(get("/bomb"), tooBig);
  await assert.rejects(get("/endless"), tooBig);
  await closed.promise;
  assert.ok(written < 50_000_000);
  site.put("/fits", { body: Buffer.alloc(100_000) });
  assert.equal((await get("/fits")).body.length, 100_000);
});

test("stops when the time is over: silent from the start, or in the middle", async (t) => {
  const clock = createFakeClock();
  const { site, get } = await open(t, { clock });
  for (const path of ["/silent", "/halfway"]) {
    const asked = Promise.withResolvers<void>();
    site.put(path, {
      serve(response) {
        if (path === "/halfway") response.write("half");
        asked.resolve();
      },
    });
    const refusal = assert.rejects(get(path), { code: "WEB_TIMED_OUT", message: /within 10 s/ });
    await asked.promise;
    await clock.advance(9_999);
    assert.equal(clock.pending, 1);
    await clock.advance(1);
    await refusal;
  }
});

test("stops when aborted", async (t) => {
  const { site, get } = await open(t);
  await assert.rejects(get("/a", { signal: AbortSignal.abort() }), { code: "ABORTED" });
  const stop = new AbortController();
  site.put("/silent", { serve: () => stop.abort() });
  await assert.rejects(get("/silent", { signal: stop.signal }), { code: "ABORTED" });
});

test("says why a host could not be reached", async (t) => {
  const { site, get } = await open(t);
  site.put("/cut", { serve: (response) => response.destroy() });
  await assert.rejects(get("/cut"), { code: "WEB_UNREACHABLE", retryable: true });
  const closed = createGuardedFetch({
    guard: createAddressGuard({ allow: ["127.0.0.1"] }),
    clock: createSystemClock(),
  });
  t.after(() => closed.close());
  await assert.rejects(closed.fetch("http://127.0.0.1:2/", limits), {
    code: "WEB_UNREACHABLE",
    message: /ECONNREFUSED/,
  });
});

test("connects to the checked address, and asks TLS for the name", async (t) => {
  const asked: string[] = [];
  const server = createTlsServer({
    SNICallback(name, done) {
      asked.push(name);
      done(new Error("no certificate here"));
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const guard = createAddressGuard({ resolve, allow: ["secure.example"] });
  const web = createGuardedFetch({ guard, clock: createSystemClock() });
  t.after(() => web.close());
  await assert.rejects(web.fetch(`https://secure.example:${port}/`, limits), { code: "WEB_UNREACHABLE" });
  assert.deepEqual(asked, ["secure.example"]);
});
