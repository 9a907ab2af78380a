/** Strangers at the WebSocket: how much, how long, how many, how often. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createDevice, createGatewayRig } from "../../../test/fakes/gateway-rig.ts";

test("token and password let an operator in; a wrong one, or none, does not", async (t) => {
  const rig = await createGatewayRig(t, { config: { auth: { password: "correct horse" } } });
  const byToken = await rig.enter();
  assert.equal(byToken.hello.identity.id, "token");
  assert.deepEqual(byToken.hello.identity.scopes, ["read", "write", "admin", "approvals", "pairing"]);
  assert.equal(byToken.hello.snapshot.needsSetup, true);
  assert.equal((await rig.enter({ password: "correct horse" })).hello.identity.id, "password");
  for (const auth of [undefined, {}, { token: "" }, { token: `${rig.token}x` }, { password: "wrong horse" }]) {
    const dialled = await rig.dial();
    dialled.hello(auth);
    assert.equal((await dialled.next()).error.code, "NOT_PAIRED");
    assert.equal((await dialled.closed).code, 4001);
  }
});

test("a password that is not set is no password", async (t) => {
  const rig = await createGatewayRig(t);
  await assert.rejects(rig.enter({ password: "" }), { message: "not let in" });
});

test("a new token in the file ends connections of the old one", async (t) => {
  const rig = await createGatewayRig(t);
  const old = await rig.enter();
  await writeFile(join(rig.stateDir, "gateway-token"), "another-token-of-some-length");
  await rig.clock.advance(1_000);
  await assert.rejects(rig.enter(), { message: "not let in" });
  assert.equal((await old.closed).code, 4003);
  await rig.enter({ token: "another-token-of-some-length" });
});

test("guessing is limited on loopback, and the right token is refused meanwhile", async (t) => {
  const rig = await createGatewayRig(t);
  for (let n = 0; n < 10; n++) await assert.rejects(rig.enter({ token: `guess ${n}` }));
  const blocked = await rig.dial();
  blocked.hello({ token: rig.token });
  const { error } = await blocked.next();
  assert.equal(error.code, "UNAVAILABLE");
  assert.equal(error.retryable, true);
  assert.equal(error.retryAfterMs, 60_000);
  // The same door for everybody: HTTP is blocked, too.
  const bearer = { headers: { authorization: `Bearer ${rig.token}` } };
  const answer = await rig.ask("/metrics", bearer);
  assert.equal(answer.status, 429);
  assert.equal(answer.headers["retry-after"], "60");
  await rig.clock.advance(60_000);
  await rig.enter();
  assert.equal((await rig.ask("/metrics", bearer)).status, 200);
});

test("a dummy device beside the guess does not skip the limiter", async (t) => {
  const rig = await createGatewayRig(t);
  const { id, publicKey } = createDevice();
  const guess = (token: string) => ({ token, device: { id, publicKey } });
  for (let n = 0; n < 10; n++) {
    const guessing = await rig.dial();
    guessing.hello(guess(`guess ${n}`));
    assert.equal((await guessing.next()).error?.code, "NOT_PAIRED");
  }
  const blocked = await rig.dial();
  blocked.hello(guess(rig.token));
  assert.equal((await blocked.next()).error.code, "UNAVAILABLE");
});

test("codes and signatures are guesses, too", async (t) => {
  const rig = await createGatewayRig(t);
  for (let n = 0; n < 10; n++) {
    const device = createDevice();
    const dialled = await rig.dial();
    const said = { id: device.id, publicKey: device.publicKey, code: `guess-${n}` };
    dialled.hello({ device: said });
    const { nonce } = await dialled.next();
    dialled.hello({
      device: { ...said, signature: n % 2 ? device.sign(nonce) : device.sign(nonce, { code: said.code }) },
    });
    assert.equal((await dialled.next()).error.code, "NOT_PAIRED");
  }
  const blocked = await rig.dial();
  blocked.hello({ token: rig.token });
  assert.equal((await blocked.next()).error.code, "UNAVAILABLE");
});

test("of many guesses at once no more are looked at", async (t) => {
  const rig = await createGatewayRig(t);
  const dialled = await Promise.all(Array.from({ length: 40 }, () => rig.dial()));
  for (const [n, stranger] of dialled.entries()) stranger.hello({ token: `guess ${n}` });
  const codes = await Promise.all(dialled.map(async (stranger) => (await stranger.next()).error.code));
  assert.equal(codes.filter((code) => code === "NOT_PAIRED").length, 10);
});

test("a hello is small", async (t) => {
  const rig = await createGatewayRig(t);
  const large = await rig.dial();
  large.hello({ token: "x".repeat(17_000) });
  // One that never ends is not even put together: after the first bytes that are too many nothing is read.
  const endless = await rig.dial();
  for (let n = 0; n < 5; n++) endless.socket.send("x".repeat(8_000), { fin: false });
  while (rig.gateway.stats().connections > 0) await rig.clock.advance(100);
  assert.equal((await large.closed).code, 1009);
  assert.equal((await endless.closed).code, 1009);
});

test("a hello comes soon, or never", async (t) => {
  const rig = await createGatewayRig(t);
  const silent = await rig.dial();
  await rig.clock.advance(9_999);
  const inTime = await rig.dial();
  inTime.hello({ token: rig.token });
  assert.equal((await inTime.next()).type, "hello-ok");
  await rig.clock.advance(1);
  assert.equal((await silent.closed).code, 4000);
  await rig.clock.advance(15_000);
  assert.ok((await inTime.call("health")).result);
});

test("strangers are bounded; the oldest makes room, those who are in are not touched", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  const strangers = await Promise.all(Array.from({ length: 100 }, () => rig.dial()));
  assert.equal(rig.gateway.stats().connections, 101);
  assert.equal(await rig.dialStatus({}), 503);
  await rig.clock.advance(1_000);
  const late = await rig.dial();
  late.hello({ token: rig.token });
  assert.equal((await late.next()).type, "hello-ok");
  await strangers[0]?.closed;
  assert.ok((await client.call("health")).result);
  assert.equal(rig.gateway.stats().clients, 2);
});

test("a version that the server does not speak is refused with the one that it speaks", async (t) => {
  const rig = await createGatewayRig(t);
  for (const range of [
    { minProtocol: 2, maxProtocol: 3 },
    { minProtocol: 2, maxProtocol: 9, somethingNew: true },
  ]) {
    const dialled = await rig.dial();
    dialled.hello({ token: rig.token }, range);
    const { type, error } = await dialled.next();
    assert.equal(type, "hello-error");
    assert.equal(error.code, "INVALID_REQUEST");
    assert.match(error.message, /speaks protocol 1 only/);
  }
  const wide = await rig.enter(undefined, { minProtocol: 1, maxProtocol: 7 });
  assert.equal(wide.hello.protocol, 1);
});

test("whatever is no hello is refused in words", async (t) => {
  const rig = await createGatewayRig(t);
  const bad = ["", "{", "null", "[]", "1", '{"type":"request","id":"1","method":"health"}', '{"type":"hello"}'];
  for (const text of bad) {
    const dialled = await rig.dial();
    dialled.socket.send(text);
    assert.equal((await dialled.next()).error.code, "INVALID_REQUEST", text);
    assert.equal((await dialled.closed).code, 4000);
  }
  const binary = await rig.dial();
  binary.socket.send(Buffer.from("{}"));
  assert.equal((await binary.next()).error.code, "INVALID_REQUEST");
});

test("a second frame before the answer to the first is refused", async (t) => {
  const rig = await createGatewayRig(t);
  const dialled = await rig.dial();
  dialled.hello({ token: rig.token });
  dialled.hello({ token: rig.token });
  assert.equal((await dialled.next()).error.code, "INVALID_REQUEST");
  assert.equal((await dialled.closed).code, 4000);
});

test("connections beyond the limit are refused", async (t) => {
  const httpTimes = { headersTimeoutMs: 1e6, checkEveryMs: 1e6, keepAliveMs: 1e6 };
  const rig = await createGatewayRig(t, { config: { maxConnections: 10 }, httpTimes });
  const clients = await Promise.all(Array.from({ length: 10 }, () => rig.enter()));
  const eleventh = await rig.connect();
  const [isGone] = await Promise.all([once(eleventh, "close").then(() => true), eleventh.resume()]);
  assert.equal(isGone, true);
  clients[0]?.socket.close();
  await clients[0]?.closed;
});
