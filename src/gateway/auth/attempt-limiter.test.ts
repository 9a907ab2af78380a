import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createAttemptLimiter } from "./attempt-limiter.ts";

const fail = (limiter: ReturnType<typeof createAttemptLimiter>, address: string, times: number) => {
  for (let n = 0; n < times; n++) limiter.failed(address);
};

test("an address may fail so often, then it waits, loopback too", async () => {
  const clock = createFakeClock();
  const limiter = createAttemptLimiter({ clock });
  fail(limiter, "127.0.0.1", 9);
  assert.equal(limiter.waitMs("127.0.0.1"), 0);
  limiter.failed("127.0.0.1");
  assert.equal(limiter.waitMs("127.0.0.1"), 60_000);
  assert.equal(limiter.waitMs("192.0.2.7"), 0);
  await clock.advance(59_999);
  assert.equal(limiter.waitMs("127.0.0.1"), 1);
  await clock.advance(1);
  assert.equal(limiter.waitMs("127.0.0.1"), 0);
});

test("many addresses together are limited, too", async () => {
  const clock = createFakeClock();
  const limiter = createAttemptLimiter({ clock });
  for (let n = 0; n < 60; n++) limiter.failed(`192.0.2.${n}`);
  assert.equal(limiter.waitMs("198.51.100.1"), 60_000);
  await clock.advance(60_000);
  assert.equal(limiter.waitMs("198.51.100.1"), 0);
});

test("a whole IPv6 network counts as one address, its neighbour as another", () => {
  const limiter = createAttemptLimiter({ clock: createFakeClock() });
  for (let n = 0; n < 10; n++) limiter.failed(`2001:db8:1:2::${n + 1}`);
  assert.ok(limiter.waitMs("2001:db8:1:2:ffff::1") > 0);
  assert.equal(limiter.waitMs("2001:db8:1:3::1"), 0);
  fail(limiter, "::1", 10);
  assert.ok(limiter.waitMs("::1") > 0);
  assert.equal(limiter.waitMs("fe80::1%eth0"), 0);
});

test("only so many addresses are remembered, the quietest is forgotten", () => {
  const limits = { perAddress: 1, inAll: 1000, windowMs: 60_000, addresses: 2 };
  const limiter = createAttemptLimiter({ clock: createFakeClock() }, limits);
  limiter.failed("a");
  limiter.failed("b");
  limiter.failed("a");
  limiter.failed("c");
  assert.deepEqual(
    ["a", "b", "c"].map((address) => limiter.waitMs(address) > 0),
    [true, false, true],
  );
});
