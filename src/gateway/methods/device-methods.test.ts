/** Letting devices in: nobody can grant more than they hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, type GatewayDesk, operatorWith } from "../../../test/fakes/gateway-desk.ts";
import type { DeviceRequest, Scope } from "../protocol/index.ts";

function ask({ devices }: GatewayDesk, requestId: string, more: Partial<DeviceRequest>) {
  const device = { deviceId: `device of ${requestId}`, name: "phone", platform: "ios", address: "127.0.0.1" };
  const times = { createdAt: 1, expiresAt: 2 };
  devices.asking.push({ requestId, ...device, ...times, role: "operator", scopes: ["read"], ...more });
}

test("a device gets what it asks for, or what it is given instead", async (t) => {
  const desk = await createGatewayDesk(t);
  ask(desk, "q1", { scopes: ["read", "write"] });
  ask(desk, "q2", { scopes: ["admin"] });
  const first = await desk.call("device-pair.approve", { requestId: "q1" });
  assert.deepEqual([first.scopes, first.approvedBy], [["read", "write"], "token"]);
  const second = await desk.call("device-pair.approve", { requestId: "q2", scopes: ["read"] });
  assert.deepEqual(second.scopes, ["read"]);
  assert.deepEqual((await desk.call("device-pair.list", {})).devices.length, 2);
  assert.equal((await desk.refuse("device-pair.approve", { requestId: "q1" })).code, "NOT_FOUND");
});

test("who holds only pairing and reading grants no more than that", async (t) => {
  const desk = await createGatewayDesk(t);
  const { refuse, call, devices, contextOf } = desk;
  const context = contextOf(operatorWith("pairing", "read"));
  for (const scopes of [["admin"], ["read", "write"], ["approvals", "pairing"]] as Scope[][]) {
    ask(desk, "q1", { scopes });
    const missing = scopes.filter((scope) => scope !== "read" && scope !== "pairing");
    for (const params of [{ requestId: "q1" }, { requestId: "q1", scopes }]) {
      const { code, message, details } = await refuse("device-pair.approve", params, context);
      assert.deepEqual([code, details], ["FORBIDDEN", { missing }]);
      assert.ok(missing.every((scope) => message.includes(scope)));
    }
    assert.equal((await refuse("device-pair.code", { scopes }, context)).code, "FORBIDDEN");
    assert.deepEqual([devices.known, devices.granted], [[], []]);
    devices.asking.length = 0;
  }
  ask(desk, "q1", { scopes: ["admin", "read"] });
  const device = await call("device-pair.approve", { requestId: "q1", scopes: ["read"] }, context);
  assert.deepEqual(device.scopes, ["read"], "less than was asked for can be given");
});

test("a code lets in with what its maker holds, or less", async (t) => {
  const { call, devices, contextOf } = await createGatewayDesk(t);
  await call("device-pair.code", {});
  await call("device-pair.code", {}, contextOf(operatorWith("pairing", "write")));
  await call("device-pair.code", { role: "node" }, contextOf(operatorWith("pairing")));
  await call("device-pair.code", { scopes: ["read"] });
  assert.deepEqual(devices.granted, [
    { role: "operator", scopes: ["read", "write", "admin", "approvals", "pairing"], by: "token" },
    { role: "operator", scopes: ["write", "pairing"], by: "operator-pairing-write" },
    { role: "node", scopes: [], by: "operator-pairing" },
    { role: "operator", scopes: ["read"], by: "token" },
  ]);
});

test("devices are sent away and their trust ended, one's own too", async (t) => {
  const desk = await createGatewayDesk(t);
  const { call, refuse, contextOf } = desk;
  ask(desk, "q1", {});
  ask(desk, "q2", { scopes: ["pairing"] });
  assert.deepEqual(await call("device-pair.reject", { requestId: "q1" }), { ok: true });
  assert.equal((await refuse("device-pair.reject", { requestId: "q1" })).code, "NOT_FOUND");
  const { deviceId } = await call("device-pair.approve", { requestId: "q2" });
  const own = contextOf({ id: deviceId, name: "phone", role: "operator", scopes: ["pairing"] });
  assert.deepEqual(await call("device-pair.revoke", { deviceId }, own), { ok: true });
  assert.equal((await refuse("device-pair.revoke", { deviceId })).code, "NOT_FOUND");
});

test("nobody sends away who holds more, but everybody themselves", async (t) => {
  const desk = await createGatewayDesk(t);
  const { call, refuse, contextOf, devices } = desk;
  ask(desk, "q1", { scopes: ["admin", "pairing"] });
  ask(desk, "q2", { scopes: ["read"] });
  const strong = await call("device-pair.approve", { requestId: "q1" });
  const weak = await call("device-pair.approve", { requestId: "q2" });
  const pairer = contextOf(operatorWith("pairing", "read"));
  const refused = await refuse("device-pair.revoke", { deviceId: strong.deviceId }, pairer);
  assert.deepEqual([refused.code, refused.details], ["FORBIDDEN", { missing: ["admin"] }]);
  assert.equal(devices.known.length, 2);
  assert.deepEqual(await call("device-pair.revoke", { deviceId: weak.deviceId }, pairer), { ok: true });
  const own = contextOf({ id: strong.deviceId, name: "phone", role: "operator", scopes: ["pairing"] });
  assert.deepEqual(await call("device-pair.revoke", { deviceId: strong.deviceId }, own), { ok: true });
});
