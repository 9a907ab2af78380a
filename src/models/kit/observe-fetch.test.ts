/** What the observing fetch notes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { observeFetch, parseRetryAfter, type SeenResponse } from "./observe-fetch.ts";

const nowMs = Date.UTC(2026, 0, 1);

test("Retry-After in all its forms", () => {
  const parse = (headers: Record<string, string>) => parseRetryAfter(new Headers(headers), nowMs);
  assert.equal(parse({ "retry-after": "7" }), 7000);
  assert.equal(parse({ "retry-after": "1.5" }), 1500);
  assert.equal(parse({ "retry-after-ms": "250", "retry-after": "7" }), 250);
  assert.equal(parse({ "retry-after": new Date(nowMs + 20_000).toUTCString() }), 20_000);
  assert.equal(parse({ "retry-after": new Date(nowMs - 20_000).toUTCString() }), 0);
  assert.equal(parse({ "retry-after": "soon" }), undefined);
  assert.equal(parse({ "retry-after": "-5x" }), undefined);
  assert.equal(parse({}), undefined);
});

test("rate limit headers count for a 429 alone, and after Retry-After", async () => {
  const see = async (status: number, headers: Record<string, string>) => {
    const seen: SeenResponse = {};
    await observeFetch(async () => new Response("", { status, headers }), createFakeClock(nowMs), seen)("http://x");
    return seen.retryAfterMs;
  };
  const limits = { "x-ratelimit-reset-requests": "6m0s" };
  assert.equal(await see(429, limits), 360_000);
  assert.equal(await see(429, { ...limits, "retry-after": "2" }), 2000);
  assert.equal(await see(200, limits), undefined);
});

test("a response and a failed connection are noted and passed on", async () => {
  const seen: SeenResponse = {};
  const response = new Response("x", { status: 429, headers: { "retry-after": "3", "content-type": "text/plain" } });
  assert.equal(await observeFetch(async () => response, createFakeClock(nowMs), seen)("http://x"), response);
  assert.deepEqual(seen, { status: 429, retryAfterMs: 3000, contentType: "text/plain" });

  const failed: SeenResponse = {};
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const failing = observeFetch(
    () => Promise.reject(new TypeError("fetch failed", { cause })),
    createFakeClock(nowMs),
    failed,
  );
  await assert.rejects(failing("http://x"), /fetch failed/);
  assert.deepEqual(failed, { networkCode: "ECONNREFUSED" });
});
