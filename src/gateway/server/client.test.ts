/** Clients that are let in, over real sockets: requests, events, replay, pace, pings. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import {
  type AnyFrame,
  createDevice,
  createGatewayRig,
  enterAs,
  type GatewayRig,
  type TestSocket,
} from "../../../test/fakes/gateway-rig.ts";
import type { SessionKey } from "../../contracts/ids.ts";

const changed = (rig: GatewayRig, key: string) => rig.gateway.watch.sessionChanged(key as SessionKey);
const edit = (rig: GatewayRig, detail: string) => rig.gateway.watch.configChanged("applied", detail);
const isEvent = (name: string) => (frame: AnyFrame) => frame.event === name;
const details = (socket: TestSocket) =>
  socket.frames.filter(isEvent("config.changed")).map((frame) => frame.payload.detail);
const enterWith = async (rig: GatewayRig, grant: object) => {
  const owner = await rig.enter();
  const { result } = await owner.call("device-pair.code", grant);
  owner.socket.close();
  return enterAs(rig, createDevice(), { code: result.code });
};

test("every client is told the same events with the same numbers", async (t) => {
  const rig = await createGatewayRig(t);
  const [one, two] = [await rig.enter(), await rig.enter()];
  for (let n = 0; n < 20; n++) edit(rig, String(n));
  await Promise.all([one, two].map((client) => client.next((frame) => frame.payload?.detail === "19")));
  assert.deepEqual(one.frames.filter(isEvent("config.changed")), two.frames.filter(isEvent("config.changed")));
  const numbers = one.frames.filter(({ type }) => type === "event").map(({ id }) => Number(id.split("-")[1]));
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, n) => n + (numbers[0] ?? 0)),
  );
});

test("who comes back is sent what was missed, before the answer", async (t) => {
  const rig = await createGatewayRig(t);
  const first = await rig.enter();
  edit(rig, "seen");
  const { id: after } = await first.next(isEvent("config.changed"));
  first.socket.terminate();
  for (const detail of ["a", "b", "c"]) edit(rig, detail);
  const second = await rig.enter();
  const { result } = await second.call("events.subscribe", { after });
  assert.equal(result.isComplete, true);
  assert.deepEqual(details(second), ["a", "b", "c"]);
  assert.equal(second.frames.at(-1).type, "response");
});

test("what is gone, and another life of the server, is admitted", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  const after = client.hello.snapshot.lastEventId;
  for (let n = 0; n <= 2000; n++) changed(rig, "agent:main:main");
  const { result } = await client.call("events.subscribe", { after });
  assert.equal(result.isComplete, false);
  const other = await client.call("events.subscribe", { after: "0123456789ab-5" });
  assert.deepEqual(other.result, { lastEventId: result.lastEventId, isComplete: false });
  const none = await client.call("events.subscribe", { after: result.lastEventId });
  assert.equal(none.result.isComplete, true);
});

test("events of a session go to its followers only, live and replayed", async (t) => {
  const rig = await createGatewayRig(t);
  const [follower, other] = [await rig.enter(), await rig.enter()];
  const { lastEventId: after } = follower.hello.snapshot;
  await follower.call("events.subscribe", { sessions: ["agent:main:main"] });
  await other.call("events.subscribe", { sessions: ["agent:main:dm:x"] });
  rig.house.script = (turn) => turn.end("hello");
  await follower.call("chat.send", { message: "hi", idempotencyKey: "key-0001" });
  await follower.next(isEvent("chat.end"));
  edit(rig, "last");
  await other.next(isEvent("config.changed"));
  const kinds = (socket: TestSocket) =>
    new Set(socket.frames.map(({ event }) => event).filter((name) => /^chat|agent/.test(name)));
  assert.ok(kinds(follower).has("chat.message") && kinds(follower).has("chat.post"));
  assert.deepEqual([...kinds(other)], []);
  await other.call("events.subscribe", { after });
  assert.deepEqual([...kinds(other)], []);
  await other.call("events.subscribe", { sessions: "all", after });
  assert.deepEqual(kinds(other), kinds(follower));
});

test("nobody is told what they may not know", async (t) => {
  const rig = await createGatewayRig(t);
  const reader = await enterWith(rig, { scopes: ["read"] });
  const node = await enterWith(rig, { role: "node" });
  rig.gateway.watch.pairingChanged();
  edit(rig, "x");
  await reader.next(isEvent("config.changed"));
  assert.ok(!reader.frames.some(isEvent("pairing.changed")));
  assert.deepEqual(reader.answer.features.events.includes("pairing.changed"), false);
  const forbidden = await reader.call("events.subscribe", { logs: true });
  assert.equal(forbidden.error.code, "FORBIDDEN");
  await node.call("health");
  assert.deepEqual(
    node.frames.filter(({ type }) => type === "event"),
    [],
  );
});

test("the log is followed by those who ask, as long as they do", async (t) => {
  const rig = await createGatewayRig(t);
  const [client, other] = [await rig.enter(), await rig.enter()];
  const write = (text: string) => rig.house.logs.write({ at: 1, level: "info", text, fields: {} });
  write("before");
  await client.call("events.subscribe", { logs: true });
  const { lastEventId } = (await client.call("events.subscribe", {})).result;
  write("a line");
  const frame = await client.next(isEvent("log"));
  assert.deepEqual([frame.payload.line.text, frame.id], ["a line", lastEventId]);
  await client.call("events.subscribe", { logs: false });
  write("after");
  await client.call("health");
  await other.call("health");
  assert.equal(client.frames.filter(isEvent("log")).length, 1);
  assert.ok(!other.frames.some(isEvent("log")));
});

test("who comes and goes is told together, a second later", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  await rig.enter();
  await rig.enter();
  await rig.clock.advance(1_000);
  const { payload } = await client.next(isEvent("presence"));
  assert.equal(payload.clients.length, 3);
  assert.equal(payload.clients[0].address, "127.0.0.1");
  await client.call("health");
  assert.equal(client.frames.filter(isEvent("presence")).length, 1);
});

test("a node is told to run a command, and its going is noticed", async (t) => {
  const rig = await createGatewayRig(t);
  const owner = await rig.enter();
  const code = (await owner.call("device-pair.code", { role: "node" })).result.code;
  const device = createDevice();
  const node = await rig.dial();
  const said = { id: device.id, publicKey: device.publicKey, code };
  node.hello({ device: said });
  const { nonce } = await node.next();
  node.hello({ device: { ...said, signature: device.sign(nonce, { code }) } }, { caps: ["camera.snap"] });
  assert.equal((await node.next()).identity.role, "node");
  const invoke = { deviceId: device.id, command: "camera.snap", args: {}, idempotencyKey: "key-0001" };
  const answered = owner.call("nodes.invoke", invoke);
  const { payload } = await node.next(isEvent("node.invoke"));
  await node.call("node.result", { invokeId: payload.invokeId, result: { ok: 1 } });
  assert.deepEqual((await answered).result, { result: { ok: 1 } });
  assert.ok(!owner.frames.some(isEvent("node.invoke")));

  const lost = owner.call("nodes.invoke", { ...invoke, idempotencyKey: "key-0002" });
  await node.next(isEvent("node.invoke"));
  node.socket.terminate();
  assert.equal((await lost).error.code, "UNAVAILABLE");
});

test("one who does not read is hung up on, and others are not slowed", async (t) => {
  const rig = await createGatewayRig(t);
  const [slow, quick] = [await rig.enter(), await rig.enter()];
  slow.socket.pause();
  const text = "x".repeat(100_000);
  let told = 0;
  // Kernel buffers take some; then the gateway's own limit is reached.
  while (rig.gateway.stats().dropped === 0 && told < 400) {
    edit(rig, `${told++} ${text}`);
    await quick.next(isEvent("config.changed"));
  }
  assert.equal(rig.gateway.stats().dropped, 1);
  const inAll = details(quick).length;
  edit(rig, "after");
  await quick.next(isEvent("config.changed"));
  assert.equal(details(quick).length, inAll + 1);
  slow.socket.resume();
  assert.equal((await slow.closed).code, 4008);
  assert.ok(details(slow).length < inAll);
});

test("one who never reads the rest is cut off", async (t) => {
  const rig = await createGatewayRig(t);
  const slow = await rig.enter();
  slow.socket.pause();
  for (let told = 0; rig.gateway.stats().dropped === 0 && told < 400; told++) edit(rig, "x".repeat(100_000));
  assert.equal(rig.gateway.stats().clients, 1);
  await rig.clock.advance(5_000);
  while (rig.gateway.stats().clients > 0) await new Promise(setImmediate);
  assert.equal(rig.gateway.stats().connections, 0);
});

test("answers to pings are not piled up for who does not read them", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  client.socket.pause();
  const before = rig.clock.pending;
  for (let n = 0; n < 100_000; n++) client.socket.ping("x".repeat(125));
  // Whoever is hung up on gets a last moment.
  while (rig.clock.pending === before) await new Promise(setImmediate);
  client.socket.resume();
  assert.equal((await client.closed).code, 4008);
});

test("pings that are not answered end a connection, answered ones keep it", async (t) => {
  const rig = await createGatewayRig(t);
  const alive = await rig.enter();
  const dead = await rig.dial({ autoPong: false } as object);
  dead.hello({ token: rig.token });
  await dead.next();
  const pinged = Promise.all([once(alive.socket, "ping"), once(dead.socket, "ping")]);
  await rig.clock.advance(30_000);
  await pinged;
  // The answer has come when an answer to what was asked after it has.
  await alive.call("health");
  await rig.clock.advance(30_000);
  assert.equal((await dead.closed).code, 1006);
  assert.ok((await alive.call("health")).result);
});

test("frames that are no requests are answered in words, twenty of them are enough", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  client.send({ id: "7", type: "request" });
  const answer = await client.next();
  assert.deepEqual([answer.id, answer.error.code], ["7", "INVALID_REQUEST"]);
  for (const text of ["", "{", "null", '"x"', '{"id":7,"type":"request","method":"health"}']) client.socket.send(text);
  client.socket.send(Buffer.from("{}"));
  for (let n = 0; n < 6; n++) assert.equal((await client.next()).id, "");
  assert.ok((await client.call("health")).result);
  for (let n = 0; n < 13; n++) client.send("{}");
  assert.equal((await client.closed).code, 4400);
});

test("a frame that is too large ends the connection", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  client.send({ id: "1", type: "request", method: "health", params: { x: "y".repeat(1024 * 1024) } });
  assert.equal((await client.closed).code, 1009);
});

test("an unknown method, a missing scope and wrong parameters are told apart", async (t) => {
  const rig = await createGatewayRig(t);
  const reader = await enterWith(rig, { scopes: ["read"] });
  assert.equal((await reader.call("nothing")).error.code, "INVALID_REQUEST");
  assert.equal((await reader.call("config.apply")).error.code, "FORBIDDEN");
  assert.equal((await reader.call("sessions.usage", { by: "wrong" })).error.code, "INVALID_REQUEST");
});
