/** What holds for every call, whatever its method does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { operatorWith, tokenHolder } from "../../../test/fakes/gateway-desk.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import { StoreError } from "../../base/errors.ts";
import type { CallContext, Handlers } from "../parts.ts";
import { GatewayFault, type Request } from "../protocol/index.ts";
import { createDispatcher } from "./create-dispatcher.ts";

function createStage(handlers: Partial<Handlers>) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const dispatcher = createDispatcher({ handlers: handlers as Handlers, clock, log });
  const context: CallContext = {
    identity: tokenHolder,
    connId: "c1",
    signal: new AbortController().signal,
    subscribe: () => ({ lastEventId: "l-1", isComplete: true }),
  };
  let count = 0;
  const send = (method: string, params?: Request["params"], more: Partial<CallContext> & Partial<Request> = {}) => {
    const { sessionKey, ...changed } = more;
    const request: Request = { id: `r${++count}`, type: "request", method, ...(params && { params }) };
    return dispatcher.dispatch(
      { ...request, ...(sessionKey !== undefined && { sessionKey }) },
      { ...context, ...changed },
    );
  };
  return { clock, log, dispatcher, send };
}

const abort = { stopped: 1 };

test("a method that nobody knows is no method, however it is called", async () => {
  const { send, log } = createStage({});
  for (const method of ["no.such", "toString", "__proto__", "constructor"]) {
    const { error } = await send(method);
    assert.equal(error?.code, "INVALID_REQUEST", method);
  }
  assert.deepEqual(log.lines, []);
});

test("the frame's session is the parameters' where they name none", async () => {
  const asked: unknown[] = [];
  const { send } = createStage({
    "chat.abort": async (params) => {
      asked.push(params);
      return abort;
    },
    "agents.list": async () => ({ agents: [] }),
  });
  await send("chat.abort", {}, { sessionKey: "s1" });
  await send("chat.abort", undefined, { sessionKey: "s1" });
  await send("chat.abort", { sessionKey: "s2" }, { sessionKey: "s1" });
  assert.deepEqual(asked, [{ sessionKey: "s1" }, { sessionKey: "s1" }, { sessionKey: "s2" }]);
  // A method that takes none is not troubled with it.
  assert.deepEqual((await send("agents.list", {}, { sessionKey: "s1" })).result, { agents: [] });
});

test("a result that the schema does not know is never sent", async () => {
  const { send, log } = createStage({
    "chat.abort": (async () => ({ stopped: 1, secret: "sk-1" })) as unknown as Handlers["chat.abort"],
  });
  const { result, error } = await send("chat.abort", {});
  assert.equal(result, undefined);
  assert.equal(error?.code, "UNAVAILABLE");
  assert.doesNotMatch(JSON.stringify(error), /sk-1/);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields["method"]]),
    [["error", "chat.abort"]],
  );
});

test("what the house refuses is told with its hint; what broke inside is not told at all", async () => {
  const failures: unknown[] = [
    new StoreError("SESSION_UNKNOWN", "There is no session x", { hint: "Look at the list." }),
    new StoreError("STORE_BUSY", "Not now", { retryable: true }),
    new GatewayFault({ code: "NOT_FOUND", message: "There is none", details: { a: 1 } }),
    new TypeError("cannot read /home/ann/.secret"),
    "a text",
  ];
  const { send, log } = createStage({ "chat.abort": async () => Promise.reject(failures.shift()) });
  const next = async () => (await send("chat.abort", {})).error;
  assert.deepEqual(await next(), {
    code: "INVALID_REQUEST",
    message: "There is no session x",
    details: { reason: "SESSION_UNKNOWN", hint: "Look at the list." },
  });
  assert.deepEqual(await next(), {
    code: "UNAVAILABLE",
    message: "Not now",
    details: { reason: "STORE_BUSY" },
    retryable: true,
  });
  assert.deepEqual(await next(), { code: "NOT_FOUND", message: "There is none", details: { a: 1 } });
  assert.deepEqual(log.lines, []);
  for (let n = 0; n < 2; n++) {
    const error = await next();
    assert.equal(error?.code, "UNAVAILABLE");
    assert.match(error?.message ?? "", /^Something went wrong inside me/);
    assert.equal(error?.details, undefined);
  }
  assert.equal(log.lines.length, 2);
});

test("a call that is sent twice counts once, by key, method and client", async () => {
  let deletions = 0;
  const gate = Promise.withResolvers<void>();
  const { send } = createStage({
    "sessions.delete": async () => {
      deletions++;
      await gate.promise;
      return { ok: true };
    },
    "setup.finish": async () => ({ ok: true }),
  });
  const params = { sessionKey: "s1", idempotencyKey: "key-12345" };
  const first = send("sessions.delete", params);
  const second = send("sessions.delete", { idempotencyKey: "key-12345", sessionKey: "s1" });
  gate.resolve();
  assert.deepEqual([(await first).result, (await second).result], [{ ok: true }, { ok: true }]);
  await send("sessions.delete", params);
  assert.equal(deletions, 1);

  const other = await send("sessions.delete", { ...params, sessionKey: "s2" });
  assert.equal(other.error?.code, "INVALID_REQUEST");
  // Another method and another client choose their keys for themselves.
  assert.deepEqual((await send("setup.finish", { idempotencyKey: "key-12345" })).result, { ok: true });
  await send("sessions.delete", params, { identity: operatorWith("admin") });
  assert.equal(deletions, 2);
});

test("who repeats a call is told that it is one, and a call that failed may be tried again", async () => {
  let tries = 0;
  const { send, clock } = createStage({
    "chat.send": async () => {
      if (++tries === 1) throw new GatewayFault({ code: "UNAVAILABLE", message: "no", retryable: true });
      return { turnId: `t${tries}`, sessionKey: "s", messageId: "m", isRepeat: false };
    },
  });
  const params = { message: "hello", idempotencyKey: "key-12345" };
  assert.equal((await send("chat.send", params)).error?.code, "UNAVAILABLE");
  const accepted = { turnId: "t2", sessionKey: "s", messageId: "m" };
  assert.deepEqual((await send("chat.send", params)).result, { ...accepted, isRepeat: false });
  await clock.advance(599_000);
  assert.deepEqual((await send("chat.send", params)).result, { ...accepted, isRepeat: true });
  await clock.advance(2000);
  assert.deepEqual((await send("chat.send", params)).result, { ...accepted, turnId: "t3", isRepeat: false });
});

test("only so many results are kept", async () => {
  let count = 0;
  const { send } = createStage({
    "setup.finish": async () => {
      count++;
      return { ok: true };
    },
  });
  for (let n = 0; n <= 1000; n++) await send("setup.finish", { idempotencyKey: `key-${n}-of-many` });
  await send("setup.finish", { idempotencyKey: "key-1000-of-many" });
  assert.equal(count, 1001);
  await send("setup.finish", { idempotencyKey: "key-0-of-many" });
  assert.equal(count, 1002);
});

test("large results are forgotten sooner", async () => {
  let count = 0;
  const { send } = createStage({
    "nodes.invoke": async () => {
      count++;
      return { result: "x".repeat(6 * 1024 * 1024) };
    },
  });
  const invoke = (n: number) =>
    send("nodes.invoke", { deviceId: "d", command: "c", idempotencyKey: `key-${n}-of-some` });
  for (const n of [1, 2, 3]) await invoke(n);
  await invoke(3);
  assert.equal(count, 3);
  await invoke(1);
  assert.equal(count, 4);
});

test("one connection has only so many calls under way, and its own only", async () => {
  const gate = Promise.withResolvers<void>();
  const { send } = createStage({
    "chat.abort": async () => {
      await gate.promise;
      return abort;
    },
  });
  const held = Array.from({ length: 100 }, () => send("chat.abort", {}));
  const { error } = await send("chat.abort", {});
  assert.deepEqual([error?.code, error?.retryable], ["UNAVAILABLE", true]);
  const elsewhere = send("chat.abort", {}, { connId: "c2" });
  gate.resolve();
  for (const { result } of await Promise.all([...held, elsewhere])) assert.deepEqual(result, abort);
  assert.deepEqual((await send("chat.abort", {})).result, abort);
});

const heavy = ["sessions.history", "chat.history", "tools.list", "logs.tail", "config.schema", "doctor.run"] as const;

function createHeavyStage() {
  const begun: { method: string; end(): void }[] = [];
  const hold = (method: string) => async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push({ method, end: resolve });
    await promise;
    throw new GatewayFault({ code: "NOT_FOUND", message: "done" });
  };
  const handlers = Object.fromEntries(heavy.map((method) => [method, hold(method)])) as Partial<Handlers>;
  const stage = createStage({ ...handlers, "chat.abort": async () => abort });
  let calls = 0;
  const ask = (method: (typeof heavy)[number], signal = new AbortController().signal) =>
    stage.send(method, method === "sessions.history" ? { sessionKey: "s" } : {}, { connId: `h${calls++}`, signal });
  const settle = () => new Promise(setImmediate);
  return { ...stage, begun, ask, settle };
}

test("of what takes much memory three are done at a time, whatever they are and whoever asks", async () => {
  const { begun, ask, settle, send } = createHeavyStage();
  const answers = Array.from({ length: 4 }, () => heavy.map((method) => ask(method))).flat();
  await settle();
  assert.equal(begun.length, 3);
  assert.deepEqual((await send("chat.abort", {})).result, abort, "others do not wait behind them");
  for (let n = 0; n < answers.length; n++) {
    assert.ok(begun.length <= n + 3);
    begun[n]?.end();
    await settle();
  }
  assert.deepEqual(
    begun.map(({ method }) => method),
    Array.from({ length: 4 }, () => heavy).flat(),
    "in the order they came",
  );
  for (const { error } of await Promise.all(answers)) assert.equal(error?.message, "done");
});

test("a line that is too long takes nobody more, and who hangs up leaves it", async () => {
  const { begun, ask, settle } = createHeavyStage();
  const running = [ask("chat.history"), ask("chat.history"), ask("chat.history")];
  const gone = new AbortController();
  const leaving = Array.from({ length: 200 }, () => ask("tools.list", gone.signal));
  await settle();
  const { error } = await ask("logs.tail");
  assert.deepEqual([error?.code, error?.retryable, error?.retryAfterMs], ["UNAVAILABLE", true, 1000]);
  gone.abort();
  for (const left of await Promise.all(leaving)) assert.equal(left.error?.code, "UNAVAILABLE");
  assert.equal((await ask("tools.list", gone.signal)).error?.code, "UNAVAILABLE");
  const next = ask("doctor.run");
  await settle();
  assert.equal(begun.length, 3);
  for (const { end } of begun) end();
  await Promise.all(running);
  await settle();
  assert.deepEqual(
    begun.slice(3).map(({ method }) => method),
    ["doctor.run"],
  );
  begun[3]?.end();
  await next;
});
