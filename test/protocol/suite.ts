/**
 * What a server of the gateway's protocol must do, as a list of checks. It knows an address and a token; everything else it
 * learns from the schema that the server gives. With `calls` (a good call of each method) it changes things and says things: that
 * is for a server of one's own. Without them it only looks, and pairs a device or two that it revokes again.
 */
import assert from "node:assert/strict";
import { listBadParams, makeSample } from "./bad-params.ts";
import {
  type Address,
  buildHello,
  type Checker,
  createDevice,
  dial,
  enter,
  enterAs,
  type Frame,
  type Json,
  learn,
  type Stranger,
  type Visitor,
} from "./stranger.ts";

export interface SuiteOptions extends Address {
  calls?: Record<string, object>;
}

export interface Check {
  name: string;
  run(): Promise<void>;
}

interface Suite {
  options: SuiteOptions;
  checker: Checker;
  /** With the token. */
  visit(more?: object): Promise<Visitor>;
  /** Has not said anything yet. */
  knock(): Promise<Stranger>;
  /** A device that is let in with a code. */
  pair(grant: { role?: string; scopes?: string[] }, more?: object): Promise<Visitor & { deviceId: string }>;
  /** A device that asks to be let in: the id of its request. */
  ask(): Promise<string>;
  revoke(deviceId: string): Promise<void>;
}

export async function buildSuite(options: SuiteOptions): Promise<Check[]> {
  const checker = await learn(options);
  const check = (name: string, run: (suite: Suite) => Promise<void>): Check => ({
    name,
    async run() {
      const open: Stranger[] = [];
      try {
        await run(createSuite(options, checker, open));
        assert.deepEqual(
          open.flatMap(({ problems }) => problems),
          [],
        );
      } finally {
        for (const each of open) each.close();
      }
    },
  });
  return [
    check("a good hello is answered by what the schema says", checkHello),
    check("a version that both speak is agreed on, or none", checkVersions),
    check("without good credentials nobody gets in", checkCredentials),
    check("who does not say hello first is hung up on", checkFirstWord),
    check("good calls are answered by what the schema says", checkGoodCalls),
    check("calls that break a rule of the schema are refused", checkBadCalls),
    check("what is no request is refused, and too much of it ends the connection", checkBadFrames),
    check("events have numbers without a hole, and are told again after any of them", checkEvents),
    check("who may only read can do nothing else, whatever it says of itself", checkScopes),
    ...(options.calls ? [check("the same idempotency key counts once", checkKeys)] : []),
  ];
}

function createSuite(options: SuiteOptions, checker: Checker, open: Stranger[]): Suite {
  const keep = <Kind extends Stranger>(stranger: Kind): Kind => {
    open.push(stranger);
    return stranger;
  };
  const visit = async (more?: object) => {
    const visitor = keep(await enter(options, checker, more));
    assert.equal(visitor.hello.type, "hello-ok", JSON.stringify(visitor.hello));
    return visitor;
  };
  return {
    options,
    checker,
    visit,
    knock: async () => keep(await dial(options, checker)),
    async pair(grant, more) {
      const { call } = await visit();
      const { result } = await call("device-pair.code", grant);
      const device = await createDevice();
      // What it wishes for itself is more than the code grants.
      const claim = { code: result.code as string, scopes: ["read", "write", "admin"] };
      const visitor = keep(await enterAs(options, device, claim, checker, more));
      assert.equal(visitor.hello.type, "hello-ok", JSON.stringify(visitor.hello));
      return { ...visitor, deviceId: device.id };
    },
    async ask() {
      const { hello } = keep(await enterAs(options, await createDevice(), { scopes: ["read"] }, checker));
      assert.equal(hello.error?.code, "NOT_PAIRED");
      return hello.error.details.requestId;
    },
    async revoke(deviceId) {
      const { call } = await visit();
      assert.deepEqual((await call("device-pair.revoke", { deviceId })).result, { ok: true });
    },
  };
}

/** Of parts that a house may be without. */
const isOfRoom = (method: string) => /^(?:cron|heartbeat|subagents|memory)\.|^sessions\.spawn$/.test(method);

async function checkHello({ visit, checker, options }: Suite): Promise<void> {
  const { hello, call } = await visit();
  const { methods, events } = checker.protocol;
  const mine = Object.keys(methods).filter((name) => methods[name]?.needs !== "node");
  const offered: string[] = hello.features.methods;
  // Whoever gives a call of each has them all; else a house may be without some rooms.
  const missing = mine.filter((name) => !offered.includes(name) && (options.calls || !isOfRoom(name)));
  assert.deepEqual([missing, offered.filter((name) => !mine.includes(name))], [[], []]);
  assert.ok(hello.features.events.every((name: string) => Object.hasOwn(events, name)));
  assert.equal(hello.protocol, checker.protocol.protocol);
  assert.equal((await call("health", {})).result.ok, true);
}

async function expectRefusal(stranger: Stranger, frame: unknown, error: string, code: number): Promise<void> {
  stranger.send(frame);
  const answer = await stranger.next();
  assert.deepEqual([answer.type, answer.error?.code], ["hello-error", error], JSON.stringify(frame)?.slice(0, 200));
  assert.equal(await stranger.closed, code);
}

async function checkVersions({ visit, knock, options: { token }, checker }: Suite): Promise<void> {
  const { protocol } = checker.protocol;
  assert.equal((await visit({ minProtocol: 1, maxProtocol: protocol + 7 })).hello.protocol, protocol);
  const later = { minProtocol: protocol + 1, maxProtocol: protocol + 7, newField: true };
  await expectRefusal(await knock(), buildHello({ token }, later), "INVALID_REQUEST", 4000);
  await expectRefusal(await knock(), buildHello({ token }, { minProtocol: "1" }), "INVALID_REQUEST", 4000);
}

async function checkCredentials({ knock, options: { token } }: Suite): Promise<void> {
  await expectRefusal(await knock(), buildHello({ token: `${token}x` }), "NOT_PAIRED", 4001);
  await expectRefusal(await knock(), buildHello(), "NOT_PAIRED", 4001);
  await expectRefusal(await knock(), buildHello({ token: 7 }), "INVALID_REQUEST", 4000);
}

async function checkFirstWord({ knock, visit }: Suite): Promise<void> {
  const request = { id: "1", type: "request", method: "health" };
  for (const rubbish of [request, "{", "", [], null]) {
    await expectRefusal(await knock(), rubbish, "INVALID_REQUEST", 4000);
  }
  const { send, closed } = await visit();
  send("x".repeat(1024 * 1024 + 1));
  assert.equal(await closed, 1009);
}

/** Those that were given, or of those that only look what the schema makes possible. */
function listGoodCalls({ options, checker }: Suite): Map<string, Json> {
  const { methods } = checker.protocol;
  if (options.calls) {
    assert.deepEqual(Object.keys(methods).sort(), Object.keys(options.calls).sort());
    return new Map(Object.entries(options.calls).map(([name, params]) => [name, { ...params }]));
  }
  const looks = Object.entries(methods).filter(([, { needs }]) => needs === "any" || needs === "read");
  const samples = looks.map(([name, { params }]) => [name, makeSample(params) as Json] as const);
  return new Map(samples.filter(([name, sample]) => checker.fits(methods[name]?.params ?? {}, sample)));
}

async function checkGoodCalls(suite: Suite): Promise<void> {
  const { visit, checker, options } = suite;
  const { call } = await visit();
  const fitsResult = (method: string, answer: Frame) => {
    const shown = JSON.stringify(answer).slice(0, 400);
    // Samples may name what is not there, or say nothing.
    if (!options.calls && ["NOT_FOUND", "INVALID_REQUEST"].includes(answer.error?.code)) return;
    assert.ok(answer.error === undefined, `${method}: ${shown}`);
    assert.ok(checker.fits(checker.protocol.methods[method]?.result ?? {}, answer.result), `${method}: ${shown}`);
  };
  const node = await suite.pair({ role: "node" }, { caps: ["suite.echo"] });
  const own: Record<string, Json> = {
    "nodes.invoke": { deviceId: node.deviceId, command: "suite.echo", args: { n: 1 } },
    "device-pair.approve": { requestId: await suite.ask(), scopes: ["read"] },
    "device-pair.reject": { requestId: await suite.ask() },
    "device-pair.revoke": { deviceId: node.deviceId },
  };
  for (const [method, given] of listGoodCalls(suite)) {
    // Answered below, when there is something to answer.
    if (method === "node.result") continue;
    const { idempotencyKey } = given;
    const params = own[method] ? { ...own[method], ...(idempotencyKey !== undefined && { idempotencyKey }) } : given;
    const answer = call(method, params);
    if (method === "nodes.invoke") {
      const { payload } = await node.next(({ event }) => event === "node.invoke");
      fitsResult("node.result", await node.call("node.result", { invokeId: payload.invokeId, result: payload.args }));
      assert.deepEqual((await answer).result, { result: { n: 1 } });
    }
    fitsResult(method, await answer);
  }
  if (options.calls) assert.equal(await node.closed, 4003);
  else await suite.revoke(node.deviceId);
}

async function checkBadCalls(suite: Suite): Promise<void> {
  const { checker, options } = suite;
  const operator = await suite.visit();
  const node = await suite.pair({ role: "node" });
  for (const [method, { needs, params: schema }] of Object.entries(checker.protocol.methods)) {
    const caller = needs === "node" ? node : operator;
    const good: Json = { ...(options.calls?.[method] ?? (makeSample(schema) as Json)) };
    const bad = listBadParams(schema, good).filter(({ params }) => !checker.fits(schema, params));
    assert.ok(bad.length > 0, method);
    await Promise.all(
      bad.map(async ({ what, params }) => {
        const { error, result } = await caller.call(method, params);
        assert.equal(error?.code, "INVALID_REQUEST", `${method}: ${what}: ${JSON.stringify(result)}`);
        assert.ok(error.details?.problems?.length > 0, `${method}: ${what}: nobody says why`);
      }),
    );
  }
  for (const method of ["no.such", "toString", "__proto__", "constructor", "Health", "health "]) {
    assert.equal((await operator.call(method, {})).error?.code, "INVALID_REQUEST", method);
  }
  await suite.revoke(node.deviceId);
}

async function checkBadFrames({ visit }: Suite): Promise<void> {
  const { send, next, call, closed } = await visit();
  const withId = [
    ...[[], "text", 7, null].map((params) => ({ id: "b", type: "request", method: "health", params })),
    { id: "b", type: "request", method: "" },
    { id: "b", type: "request", method: "x".repeat(65) },
    { id: "b", type: "hello", method: "health" },
    { id: "b", type: "request", method: "health", noSuchKey: 1 },
    { id: "b", type: "request" },
  ];
  const without = [
    "{",
    "",
    "null",
    "[]",
    { type: "request", method: "health" },
    { id: 7, type: "request", method: "health" },
  ];
  for (const frame of [...withId, ...without]) {
    send(frame);
    const id = withId.some((each) => each === frame) ? "b" : "";
    const { error } = await next((answer) => answer.type === "response" && answer.id === id);
    assert.equal(error?.code, "INVALID_REQUEST", JSON.stringify(frame));
    assert.equal((await call("health")).result.ok, true);
  }
  for (let n = withId.length + without.length; n < 20; n++) send("{");
  assert.equal(await closed, 4400);
}

const numberOf = (id: string) => Number(id.slice(id.lastIndexOf("-") + 1));
const isNumbered = ({ type, event }: Frame) => type === "event" && event !== "log" && event !== "node.invoke";
/** Of who comes and goes only the newest says anything: it is not told again. */
const isKept = (frame: Frame) => isNumbered(frame) && frame.event !== "presence";
const idsOf = (frames: Frame[]): string[] => frames.map(({ id }) => id);

async function checkEvents(suite: Suite): Promise<void> {
  const { frames, hello, call, next } = await suite.visit();
  await call("events.subscribe", { sessions: "all" });
  const { lastEventId: first } = hello.snapshot;
  for (let n = 0; n < 3; n++) {
    const { deviceId } = await suite.pair({ scopes: ["read"] });
    await suite.revoke(deviceId);
    await next(({ event, payload }) => event === "device-pair.resolved" && payload.outcome === "revoked");
  }
  const seen = frames.filter(isNumbered);
  const numbers = idsOf(seen).map(numberOf);
  assert.ok(numbers.length >= 3);
  assert.deepEqual(
    numbers,
    numbers.map((_, n) => numberOf(first) + 1 + n),
  );
  const kept = idsOf(seen.filter(isKept));
  for (const [after, expected] of [
    [first, kept],
    [kept[0], kept.slice(1)],
    [kept.at(-1), []],
  ] as const) {
    const back = await suite.visit();
    const { result } = await back.call("events.subscribe", { sessions: "all", after });
    // All of it before the answer.
    const told = idsOf(back.frames.filter(isKept)).filter((id) => numberOf(id) <= Math.max(...numbers));
    assert.deepEqual([result.isComplete, told], [true, expected]);
  }
  for (const after of ["0000-1", "rubbish", `${first}9999`]) {
    const { result } = await call("events.subscribe", { after });
    assert.equal(result.isComplete, false, after);
  }
}

async function checkScopes(suite: Suite): Promise<void> {
  const { options } = suite;
  const { methods } = suite.checker.protocol;
  const reader = await suite.pair({ scopes: ["read"] });
  assert.deepEqual(reader.hello.identity.scopes, ["read"]);
  for (const [method, { needs, params: schema }] of Object.entries(methods)) {
    const isAllowed = needs === "any" || needs === "read";
    if (options.calls || !isOfRoom(method)) {
      assert.equal(reader.hello.features.methods.includes(method), isAllowed, method);
    }
    if (isAllowed) continue;
    const { error } = await reader.call(method, options.calls?.[method] ?? makeSample(schema));
    assert.equal(error?.code, "FORBIDDEN", method);
  }
  assert.equal((await reader.call("events.subscribe", { logs: true })).error?.code, "FORBIDDEN");
  const operator = await suite.visit();
  assert.equal((await operator.call("node.result", { invokeId: "x" })).error?.code, "FORBIDDEN");
  await suite.revoke(reader.deviceId);
  assert.equal(await reader.closed, 4003);
}

async function checkKeys({ visit, options }: Suite): Promise<void> {
  const [one, other] = [await visit(), await visit()];
  await one.call("events.subscribe", { sessions: "all" });
  const params = { message: "counted once", idempotencyKey: `suite-${Date.now()}` };
  assert.ok(options.calls?.["chat.send"]);
  const answers = await Promise.all([one, other, one].map(({ call }) => call("chat.send", params)));
  answers.push(await one.call("chat.send", params));
  const { turnId, messageId } = answers[0].result;
  assert.deepEqual(
    answers.map(({ result }) => result?.turnId),
    answers.map(() => turnId),
  );
  assert.equal(answers.filter(({ result }) => !result.isRepeat).length, 1);
  await one.next(({ event, payload }) => event === "chat.end" && payload.turnId === turnId);
  const said = one.frames.filter(({ event, payload }) => event === "chat.message" && payload.messageId === messageId);
  assert.equal(said.length, 1);
  const changed = await other.call("chat.send", { ...params, message: "something else" });
  assert.equal(changed.error?.code, "INVALID_REQUEST");
}
