import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createHealthBook } from "./health.ts";

const nothing = { lastTakenAt: undefined, lagMs: undefined };

test("nothing is told that has not happened", () => {
  const book = createHealthBook({ clock: createFakeClock() });
  assert.deepEqual(book.toHealth(nothing), { state: "stopped", reconnects: 0 });
});

test("tells what has come through, and as whom", async () => {
  const clock = createFakeClock();
  const book = createHealthBook({ clock });
  book.set("connected", { account: "@mom on Acme" });
  await clock.advance(5);
  book.sent();
  book.reconnected();
  assert.deepEqual(book.toHealth({ lastTakenAt: 7, lagMs: 3 }), {
    state: "connected",
    reconnects: 1,
    lastInboundAt: 7,
    lastOutboundAt: clock.now(),
    lagMs: 3,
    account: "@mom on Acme",
  });
});

test("a reason holds until the state is set again; the account stays", () => {
  const book = createHealthBook({ clock: createFakeClock() });
  book.set("connected", { account: "@mom" });
  book.set("failed", { detail: "the token was revoked", fix: "make another one" });
  const { detail, fix, account } = book.toHealth(nothing);
  assert.deepEqual([detail, fix, account], ["the token was revoked", "make another one", "@mom"]);
  book.set("connected");
  assert.equal(book.state, "connected");
  assert.deepEqual(book.toHealth(nothing), { state: "connected", reconnects: 0, account: "@mom" });
});
