import assert from "node:assert/strict";
import { test } from "node:test";
import { pickInterrupt } from "./interrupt.ts";

const idle = { isBusy: false, hasText: false, nowMs: 10_000 };
const fresh = { warnedAtMs: undefined, isStopping: false };

test("stops work first, even with text in the editor", () => {
  assert.equal(pickInterrupt(fresh, { ...idle, isBusy: true, hasText: true }), "stop");
});
test("then clears the editor", () => assert.equal(pickInterrupt(fresh, { ...idle, hasText: true }), "clear"));
test("then warns, and leaves at a second press within two seconds", () => {
  assert.equal(pickInterrupt(fresh, idle), "warn");
  assert.equal(pickInterrupt({ ...fresh, warnedAtMs: 8_500 }, idle), "leave");
  assert.equal(pickInterrupt({ ...fresh, warnedAtMs: 7_999 }, idle), "warn");
});
test("work that does not stop cannot hold anyone", () => {
  const stopping = { warnedAtMs: undefined, isStopping: true };
  assert.equal(pickInterrupt(stopping, { ...idle, isBusy: true }), "warn");
  assert.equal(pickInterrupt({ ...stopping, warnedAtMs: 9_000 }, { ...idle, isBusy: true }), "leave");
});
