/** The client against a small gateway of real sockets: let in or not, calls, events, drops and what is made good after them. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createFakeClock, type FakeClock } from "../../../test/fakes/clock.ts";
import { createFakeGateway, type FakeGateway } from "../../../test/fakes/gateway-server.ts";
import { type EventFrame, GatewayFault, signedText } from "../protocol/index.ts";
import { createBackOff } from "./back-off.ts";
import type { Auth, ClientOptions, ClientState } from "./client-types.ts";
import { createGatewayClient } from "./create-gateway-client.ts";

const main = "agent:main:main";
const limit = { timeout: 20_000 };
const noClient = () => undefined;

let gateway: FakeGateway;
let clock: FakeClock;
let stop: () => void = noClient;
beforeEach(async () => {
  gateway = await createFakeGateway();
  clock = createFakeClock();
});
afterEach(async () => {
  stop();
  stop = noClient;
  await gateway.close();
});

function connect(more: Partial<ClientOptions> & { auth?: Auth } = {}) {
  const seen = { states: [] as ClientState[], events: [] as EventFrame[], gaps: 0, problems: [] as string[] };
  const client = createGatewayClient({
    url: gateway.socketUrl,
    hello: {
      client: { id: "test", version: "1", platform: "test", mode: "cli" },
      getAuth: async () => more.auth ?? { token: "secret" },
    },
    onState: (state) => void seen.states.push(state),
    onEvent: (frame) => void seen.events.push(frame),
    onGap: () => {
      seen.gaps += 1;
    },
    onProblem: (problem) => void seen.problems.push(problem),
    clock,
    random: () => 0.5,
    ...more,
  });
  stop = client.stop;
  client.start();
  return { client, seen };
}

const until = async (isTrue: () => boolean) => {
  const end = performance.now() + 10_000;
  while (!isTrue()) {
    assert.ok(performance.now() < end, "it did not come to be");
    await new Promise((resolve) => setImmediate(resolve));
  }
};
const isOpen = (client: { state: ClientState }) => () => client.state.type === "open";
/** The client has noticed that it was dropped, has waited and is there again. */
async function comeBack(client: { state: ClientState }) {
  await until(() => client.state.type === "waiting");
  if (client.state.type === "waiting") await clock.advance(client.state.retryAt - clock.now());
  await until(isOpen(client));
}
const post = (turnId: string) => ({ turnId, deliveryId: turnId, channel: { adapter: "webchat", channelId: "main" } });
const turnsOf = (events: EventFrame[]) => events.map(({ payload }) => (payload as { turnId?: string }).turnId);
const isRetryable = (error: unknown) =>
  error instanceof GatewayFault && error.code === "UNAVAILABLE" && error.retryable;

test("says hello with its token, calls, and is told what the server answers", limit, async () => {
  gateway.answers["chat.abort"] = ({ sessionKey }) => ({ stopped: sessionKey === main ? 2 : 0 });
  const { client, seen } = connect();
  assert.deepEqual(await client.call("chat.abort", { sessionKey: main }), { stopped: 2 });
  assert.deepEqual(
    seen.states.map(({ type }) => type),
    ["connecting", "open"],
  );
  const [hello] = gateway.connections[0]?.hellos ?? [];
  assert.deepEqual([hello?.auth, hello?.minProtocol, hello?.client.mode], [{ token: "secret" }, 1, "cli"]);
  await assert.rejects(client.call("logs.tail", {}), { name: "GatewayFault", code: "NOT_FOUND" });
});

test("a device signs its challenge and keeps the token that it is given", limit, async () => {
  const tokens: string[] = [];
  const publicKey = { x: "x", y: "y" };
  gateway.hello = { deviceToken: "device-token" };
  const { client } = connect({
    auth: { device: { id: "d1", publicKey, code: "c1", sign: async (text) => `signed:${text}` } },
    onDeviceToken: (token) => void tokens.push(token),
  });
  await until(isOpen(client));
  assert.deepEqual(tokens, ["device-token"]);
  assert.deepEqual(
    gateway.connections[0]?.hellos.map(({ auth }) => auth?.device),
    [
      { id: "d1", publicKey, code: "c1" },
      { id: "d1", publicKey, code: "c1", signature: `signed:${signedText("nonce-1", { id: "d1", code: "c1" })}` },
    ],
  );
});

test("wrong credentials end it, a device that waits to be approved asks again", limit, async () => {
  gateway.refuse(() => ({ code: "NOT_PAIRED", message: "no" }));
  const { client, seen } = connect();
  await until(() => client.state.type === "refused");
  await assert.rejects(client.call("health", {}), { code: "NOT_PAIRED" });
  await clock.advance(600_000);
  assert.equal(gateway.connections.length, 1);

  gateway.refuse(() => ({ code: "NOT_PAIRED", message: "wait", details: { requestId: "r1", deviceId: "d1" } }));
  client.start();
  await until(() => client.state.type === "refused");
  await clock.advance(5_000);
  await until(() => gateway.connections.length === 3);
  gateway.refuse(undefined);
  await until(() => clock.pending > 0);
  await clock.advance(5_000);
  await until(isOpen(client));
  assert.ok(seen.states.filter(({ type }) => type === "connecting").length === 2);
});

test("a server that asks to wait is not asked before", limit, async () => {
  gateway.refuse(() => ({ code: "UNAVAILABLE", message: "slow down", retryable: true, retryAfterMs: 20_000 }));
  const { client } = connect();
  await until(() => client.state.type === "waiting");
  gateway.refuse(undefined);
  await clock.advance(19_999);
  assert.equal(gateway.connections.length, 1);
  await clock.advance(1_000);
  await until(isOpen(client));
});

test("a revoked client does not come back by itself", limit, async () => {
  const { client } = connect();
  await until(isOpen(client));
  gateway.drop(4003);
  await until(() => client.state.type === "refused");
  await clock.advance(600_000);
  assert.equal(gateway.connections.length, 1);
});

test("tries are further and further apart while nobody answers, and calls fail in time", limit, async () => {
  await gateway.close();
  const { client, seen } = connect();
  const failed = assert.rejects(client.call("health", {}), isRetryable);
  const waits: number[] = [];
  for (let tries = 0; tries < 7; tries += 1) {
    await until(() => client.state.type === "waiting");
    const waitMs = client.state.type === "waiting" ? client.state.retryAt - clock.now() : 0;
    waits.push(waitMs);
    await clock.advance(waitMs);
  }
  assert.deepEqual(waits, [600, 1_200, 2_400, 4_800, 9_600, 18_000, 18_000]);
  await failed;
  assert.deepEqual(seen.problems, []);
});

test("a thousand that are dropped at once do not come back at once", () => {
  const waits = Array.from({ length: 1_000 }, () => createBackOff(Math.random).nextMs());
  const inOneTenth = Math.max(...Array.from({ length: 10 }, (_, at) => waits.filter((ms) => ms >> 7 === at).length));
  assert.ok(Math.max(...waits) <= 1_000 && inOneTenth < 300, String(inOneTenth));
});

test("after a drop it follows again and is told once, and in order, what it missed", limit, async () => {
  const { client, seen } = connect();
  client.follow([main]);
  await until(() => gateway.requested("events.subscribe").length === 1);
  gateway.tell("chat.post", post("t1"), main);
  gateway.tell("chat.post", post("other"), "agent:main:dm:x");
  await until(() => seen.events.length === 1);
  gateway.drop();
  gateway.keep("chat.post", post("t2"), main);
  gateway.keep("pairing.changed", {});
  // Told live, before the client has asked for what it missed: it must not overtake.
  gateway.answers["events.subscribe"] = ({ sessions, after }, { socket }) => {
    delete gateway.answers["events.subscribe"];
    const life = after?.split("-")[0];
    const frame = (number: number, turnId: string) => ({
      id: `${life}-${number}`,
      type: "event",
      at: 1,
      event: "chat.post",
      payload: post(turnId),
      sessionKey: String(sessions),
    });
    for (const [number, turnId] of [
      [6, "t4"],
      [3, "t2"],
      [5, "t3"],
      [6, "t4"],
    ] as const)
      socket.send(JSON.stringify(frame(number, turnId)));
    return { lastEventId: `${life}-6`, isComplete: true };
  };
  await comeBack(client);
  await until(() => seen.events.length === 4);
  assert.deepEqual(turnsOf(seen.events), ["t1", "t2", "t3", "t4"]);
  const [, second] = gateway.requested("events.subscribe");
  assert.deepEqual(second?.params, { sessions: [main], after: seen.events[0]?.id });
  assert.equal(seen.gaps, 0);
});

test("what a server of another life cannot tell any more is a gap", limit, async () => {
  const { client, seen } = connect();
  client.follow("all");
  await until(() => gateway.requested("events.subscribe").length === 1);
  gateway.tell("chat.post", post("t1"), main);
  gateway.tell("chat.post", post("t2"), main);
  await until(() => seen.events.length === 2);
  gateway.restart();
  gateway.drop();
  gateway.keep("chat.post", post("t3"), main);
  await comeBack(client);
  await until(() => seen.gaps === 1);
  gateway.tell("chat.post", post("t4"), main);
  await until(() => seen.events.length === 4);
  assert.deepEqual(turnsOf(seen.events), ["t1", "t2", "t3", "t4"]);
});

test("a call with an idempotency key survives one drop, any other fails and may be tried again", limit, async () => {
  let isDropping = true;
  const answer = { turnId: "t1", sessionKey: main, messageId: "m1", isRepeat: false };
  gateway.answers["chat.send"] = () => {
    if (!isDropping) return answer;
    gateway.drop();
    return new Promise(() => undefined);
  };
  gateway.answers.status = () => new Promise(() => undefined);
  const { client } = connect();
  await until(isOpen(client));
  const failed = assert.rejects(client.call("status", {}), isRetryable);
  const sent = client.call("chat.send", { message: "hello", idempotencyKey: "key-00001" });
  await until(() => client.state.type === "waiting");
  await failed;
  isDropping = false;
  await comeBack(client);
  assert.deepEqual(await sent, answer);
  assert.equal(gateway.worked.get("key-00001"), 2);

  isDropping = true;
  const lost = assert.rejects(client.call("chat.send", { message: "x", idempotencyKey: "key-00002" }), isRetryable);
  await comeBack(client);
  await lost;
  assert.equal(gateway.worked.get("key-00002"), 2);
});

test("a call ends by its signal and by its time", limit, async () => {
  gateway.answers.status = () => new Promise(() => undefined);
  const { client } = connect();
  await until(isOpen(client));
  const given = new AbortController();
  const aborted = assert.rejects(client.call("status", {}, { signal: given.signal }), /enough/);
  const late = assert.rejects(client.call("status", {}, { timeoutMs: 100 }), isRetryable);
  given.abort(new Error("enough"));
  await aborted;
  await clock.advance(100);
  await late;
});

test("what is not as agreed is dropped and reported, never told", limit, async () => {
  gateway.answers.health = () => ({ ok: "yes" }) as never;
  const { client, seen } = connect();
  await until(isOpen(client));
  const bad = [
    "no json",
    "[]",
    '{"type":"hello-ok"}',
    '{"type":"event","id":"a-9","at":1,"event":"no.such","payload":{}}',
    '{"type":"event","id":"a-9","at":1,"event":"chat.end","payload":{"turnId":5}}',
    '{"type":"response","id":"999","result":{}}',
    '{"type":"challenge","nonce":"n"}',
  ];
  for (const text of bad) gateway.sendRaw(text);
  await until(() => seen.problems.length === bad.length);
  await assert.rejects(client.call("health", {}), { code: "UNAVAILABLE", retryable: false });
  assert.deepEqual(seen.events, []);
  assert.equal(client.state.type, "open");
});

test("a message that no frame can hold is refused here", limit, async () => {
  const { client } = connect();
  await until(isOpen(client));
  const message = "ä".repeat(600 * 1024);
  await assert.rejects(client.call("chat.send", { message, idempotencyKey: "key-00003" }), { code: "INVALID_REQUEST" });
  assert.equal(gateway.requested("chat.send").length, 0);
});

test("a connection that went dead without a word is noticed", limit, async () => {
  gateway.answers.health = () => new Promise(() => undefined);
  const { client } = connect();
  await until(isOpen(client));
  await clock.advance(46_000);
  await until(() => gateway.requested("health").length === 1);
  await clock.advance(9_100);
  assert.equal(client.state.type, "waiting");
});

test("events that stand outside the sequence are told although they carry a number that was seen", limit, async () => {
  const { client, seen } = connect();
  await until(isOpen(client));
  gateway.tell("pairing.changed", {});
  await until(() => seen.events.length === 1);
  const [first] = seen.events;
  const line = { at: 1, level: "info", text: "x", fields: {} };
  for (const payload of [{ line }, { line }])
    gateway.sendRaw(JSON.stringify({ id: first?.id, type: "event", at: 1, event: "log", payload }));
  gateway.sendRaw(JSON.stringify(first));
  gateway.tell("pairing.changed", {});
  await until(() => seen.events.length >= 4);
  assert.deepEqual(
    seen.events.map(({ event }) => event),
    ["pairing.changed", "log", "log", "pairing.changed"],
  );
});

test("stopped, it says so and ends what waits; started again, it is as new", limit, async () => {
  gateway.answers.status = () => new Promise(() => undefined);
  gateway.answers["chat.abort"] = () => ({ stopped: 0 });
  const { client } = connect();
  await until(isOpen(client));
  const ended = assert.rejects(client.call("status", {}), { code: "UNAVAILABLE", retryable: false });
  client.stop();
  await ended;
  await assert.rejects(client.call("status", {}), { message: /stopped/ });
  assert.equal(clock.pending, 0);
  client.start();
  assert.deepEqual(await client.call("chat.abort", {}), { stopped: 0 });
});
