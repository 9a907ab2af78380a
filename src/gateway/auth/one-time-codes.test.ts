import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createOneTimeCodes, type Grant } from "./one-time-codes.ts";

const grant: Grant = { role: "operator", scopes: ["read"], byName: "ann", byId: "token" };

test("a code is good once, however it is typed", () => {
  const codes = createOneTimeCodes({ clock: createFakeClock() });
  const { code } = codes.create(grant);
  assert.match(code, /^[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}$/);
  assert.deepEqual(codes.take(` ${code.toUpperCase().replaceAll("-", " ")}`)?.scopes, ["read"]);
  assert.equal(codes.take(code), undefined);
});

test("a code is good for ten minutes", async () => {
  const clock = createFakeClock();
  const codes = createOneTimeCodes({ clock });
  const early = codes.create(grant);
  const late = codes.create(grant);
  assert.equal(early.expiresAt, clock.now() + 600_000);
  await clock.advance(599_999);
  assert.ok(codes.take(early.code));
  await clock.advance(1);
  assert.equal(codes.take(late.code), undefined);
});

test("codes are bounded, and go with who made them", () => {
  const codes = createOneTimeCodes({ clock: createFakeClock() });
  const first = codes.create(grant);
  const made = Array.from({ length: 50 }, (_, n) => codes.create({ ...grant, byId: n === 0 ? "device" : "token" }));
  assert.equal(codes.take(first.code), undefined);
  codes.dropOf("device");
  assert.equal(codes.take(made[0]?.code ?? ""), undefined);
  assert.ok(codes.take(made[1]?.code ?? ""));
});
