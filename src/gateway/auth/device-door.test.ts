/** Devices at the door, over real sockets: pairing, coming back, and everything that must not get in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDevice, createGatewayRig, enterAs, type GatewayRig } from "../../../test/fakes/gateway-rig.ts";

const pair = async (rig: GatewayRig, grant: object = { scopes: ["read", "pairing"] }) => {
  const owner = await rig.enter();
  const { result } = await owner.call("device-pair.code", grant);
  const device = createDevice();
  const entered = await enterAs(rig, device, { code: result.code });
  return { owner, device, ...entered, token: entered.answer.deviceToken as string };
};

test("a code pairs a device at once; afterwards it comes back with its token", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token, answer } = await pair(rig);
  assert.equal(answer.type, "hello-ok");
  assert.deepEqual(answer.identity, { id: device.id, name: "A test", role: "operator", scopes: ["read", "pairing"] });
  const again = await enterAs(rig, device, { token });
  assert.equal(again.answer.type, "hello-ok");
  assert.equal(again.answer.deviceToken, undefined);
});

test("the token is stored as its hash only", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig);
  const stored = JSON.stringify(await rig.house.store.kv.get("gateway-devices", device.id));
  assert.ok(stored.includes("tokenHash"));
  assert.ok(!stored.includes(token));
});

test("a link's code is good once and for ten minutes", async (t) => {
  const rig = await createGatewayRig(t);
  const codeOf = (link: string) => /^http:\/\/127\.0\.0\.1:\d+\/#code=([\w-]+)$/.exec(link)?.[1] ?? "";
  const code = codeOf(await rig.gateway.createLink());
  const first = await enterAs(rig, createDevice(), { code });
  assert.deepEqual(first.answer.identity.scopes, ["read", "write", "admin", "approvals", "pairing"]);
  const second = await enterAs(rig, createDevice(), { code });
  assert.equal(second.answer.error.code, "NOT_PAIRED");
  const late = codeOf(await rig.gateway.createLink());
  await rig.clock.advance(600_000);
  const third = await enterAs(rig, createDevice(), { code: late });
  assert.equal(third.answer.error.code, "NOT_PAIRED");
});

test("an unknown device asks, is let in by an operator, and gets its token once", async (t) => {
  const rig = await createGatewayRig(t);
  const owner = await rig.enter();
  const device = createDevice();
  const asked = await enterAs(rig, device, {}, { scopes: ["admin"] });
  assert.equal(asked.answer.error.code, "NOT_PAIRED");
  const { requestId, deviceId } = asked.answer.error.details;
  assert.equal(deviceId, device.id);
  assert.equal((await asked.closed).code, 4001);
  const told = await owner.next((frame) => frame.event === "device-pair.requested");
  assert.equal(told.payload.request.requestId, requestId);
  const again = await enterAs(rig, device, {});
  assert.equal(again.answer.error.details.requestId, requestId);

  await owner.call("device-pair.approve", { requestId, scopes: ["read"] });
  const entered = await enterAs(rig, device, {}, { scopes: ["admin"], role: "node" });
  assert.deepEqual(entered.answer.identity, { id: device.id, name: "A test", role: "operator", scopes: ["read"] });
  assert.equal(typeof entered.answer.deviceToken, "string");
  const denied = await entered.call("logs.tail", {});
  assert.equal(denied.error.code, "FORBIDDEN");
  // With the key alone it must ask again.
  const keyOnly = await enterAs(rig, device, {});
  assert.equal(keyOnly.answer.error.code, "NOT_PAIRED");
});

test("what a hello wishes for is only a wish, also of a device that is paired", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig, { scopes: ["read"] });
  const entered = await enterAs(rig, device, { token }, { scopes: ["admin", "write"], role: "node" });
  assert.deepEqual(entered.answer.identity.scopes, ["read"]);
  assert.equal(entered.answer.identity.role, "operator");
});

test("a signature for another connection's challenge is refused", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig);
  const listener = await rig.dial();
  listener.hello({ device: { id: device.id, token } });
  const { nonce } = await listener.next();
  const thief = await rig.dial();
  thief.hello({ device: { id: device.id, token } });
  const own = await thief.next();
  assert.notEqual(own.nonce, nonce);
  thief.hello({ device: { id: device.id, token, signature: device.sign(nonce, { token }) } });
  assert.equal((await thief.next()).error.code, "NOT_PAIRED");
  assert.equal((await thief.closed).code, 4001);
});

test("a signature without a challenge, and a second challenge, are refused", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig);
  const early = await rig.dial();
  early.hello({ device: { id: device.id, token, signature: device.sign("", { token }) } });
  assert.equal((await early.next()).error.code, "NOT_PAIRED");
  const twice = await rig.dial();
  twice.hello({ device: { id: device.id, token } });
  assert.equal((await twice.next()).type, "challenge");
  twice.hello({ device: { id: device.id, token } });
  assert.equal((await twice.next()).error.code, "NOT_PAIRED");
});

test("a stolen token is worth nothing without the key", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig);
  const thief = createDevice();
  // With its own key under its own id, it is a stranger who asks.
  const asStranger = await enterAs(rig, thief, { token });
  assert.equal(asStranger.answer.type, "hello-error");
  // Under the victim's id, with its own key or signed by it.
  for (const publicKey of [thief.publicKey, device.publicKey]) {
    const dialled = await rig.dial();
    dialled.hello({ device: { id: device.id, publicKey, token } });
    const { nonce } = await dialled.next();
    const signature = thief.sign(nonce, { id: device.id, token });
    dialled.hello({ device: { id: device.id, publicKey, token, signature } });
    assert.equal((await dialled.next()).error.code, "NOT_PAIRED");
  }
  // As a bearer token over HTTP.
  const { status } = await rig.ask("/metrics", { headers: { authorization: `Bearer ${token}` } });
  assert.equal(status, 401);
});

test("a wrong token of a device that has the key is refused", async (t) => {
  const rig = await createGatewayRig(t);
  const { device } = await pair(rig);
  const { answer } = await enterAs(rig, device, { token: "A".repeat(43) });
  assert.equal(answer.error.code, "NOT_PAIRED");
  assert.equal(answer.error.details, undefined);
});

test("revoking closes live connections at once and takes back what was given", async (t) => {
  const rig = await createGatewayRig(t);
  const paired = await pair(rig, { scopes: ["read", "write", "pairing"] });
  const { owner, device, token } = paired;
  const code = (await paired.call("device-pair.code", { scopes: ["read"] })).result.code;
  const upload = (await paired.call("files.upload", { filename: "a", size: 1 })).result;
  // It does not read that it is over, and goes on talking.
  paired.socket.pause();
  const revoked = await owner.call("device-pair.revoke", { deviceId: device.id });
  assert.deepEqual(revoked.result, { ok: true });
  paired.call("chat.send", { message: "late", idempotencyKey: "key-0001" }).catch(() => undefined);
  paired.socket.resume();
  assert.equal((await paired.closed).code, 4003);
  assert.deepEqual(rig.house.said, []);
  assert.equal((await rig.ask(upload.url, { method: "PUT", body: "x" })).status, 404);
  assert.equal((await enterAs(rig, createDevice(), { code })).answer.type, "hello-error");
  const back = await enterAs(rig, device, { token });
  assert.equal(back.answer.error.code, "NOT_PAIRED");
});

test("at most twenty devices wait, for an hour", async (t) => {
  const rig = await createGatewayRig(t);
  for (let n = 0; n < 20; n++) await enterAs(rig, createDevice());
  const refused = await enterAs(rig, createDevice());
  assert.equal(refused.answer.error.code, "UNAVAILABLE");
  await rig.clock.advance(3_600_000);
  assert.equal((await enterAs(rig, createDevice())).answer.error.code, "NOT_PAIRED");
});

test("names of strangers cannot break out of their line", async (t) => {
  const rig = await createGatewayRig(t);
  const owner = await rig.enter();
  const device = createDevice();
  const dialled = await rig.dial();
  const client = {
    id: "x",
    displayName: `good\u001b[2J\u202Eliam\n${"a".repeat(100)}`,
    version: "1",
    platform: "\u0007p",
    mode: "app",
  };
  const said = { id: device.id, publicKey: device.publicKey };
  dialled.hello({ device: said }, { client });
  const { nonce } = await dialled.next();
  dialled.hello({ device: { ...said, signature: device.sign(nonce) } }, { client });
  const { payload } = await owner.next((frame) => frame.event === "device-pair.requested");
  assert.doesNotMatch(payload.request.name + payload.request.platform, /[\u0000-\u001f\u202e]/);
  assert.ok(payload.request.name.length <= 64);
});

test("a stored device that is unreadable lets nobody in", async (t) => {
  const rig = await createGatewayRig(t);
  const { device, token } = await pair(rig);
  const row = (await rig.house.store.kv.get("gateway-devices", device.id)) as object;
  await rig.house.store.kv.set("gateway-devices", device.id, { ...row, scopes: ["root"] });
  assert.equal((await enterAs(rig, device, { token })).answer.error.code, "NOT_PAIRED");
});
