/** The configuration through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk } from "../../../test/fakes/gateway-desk.ts";

const key = "key-of-a-test";
const problem = { path: "queue.mode", message: "is not known", hint: "Say steer." };

test("config is read, and what is not set is null", async (t) => {
  const { call } = await createGatewayDesk(t);
  assert.deepEqual(await call("config.get", {}), { value: { a: 1 }, hash: "h1", warnings: [] });
  assert.deepEqual(await call("config.get", { path: "no.such" }), { value: null, hash: "h1", warnings: [] });
  assert.deepEqual(await call("config.schema", {}), { schema: { type: "object" } });
});

test("a key is set, to null too, and removed where no value is given", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const edited = { outcome: "applied", reasons: [], warnings: [], hash: "h2" };
  assert.deepEqual(await call("config.set", { path: "a", value: null, hash: "h1", idempotencyKey: key }), edited);
  await call("config.set", { path: "a", idempotencyKey: `${key}-2` });
  await call("config.patch", { changes: [{ path: "a", value: 1 }, { path: "b" }], idempotencyKey: key });
  await call("config.patch", { changes: [{ path: "b" }], dryRun: true, hash: "h1", idempotencyKey: `${key}-2` });
  assert.deepEqual(fake.asked, [
    'config.edit [{"path":"a","value":null}] {"hash":"h1"}',
    'config.edit [{"path":"a"}] {}',
    'config.edit [{"path":"a","value":1},{"path":"b"}] {}',
    'config.edit [{"path":"b"}] {"hash":"h1","dryRun":true}',
  ]);
});

test("an edit that cannot be used is refused with what is wrong; a patch says so", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  fake.configOutcome = { type: "invalid", problems: [problem], diff: "-a", hash: "h1" };
  const refused = await refuse("config.set", { path: "queue.mode", value: "x", idempotencyKey: key });
  assert.deepEqual([refused.code, refused.details], ["INVALID_REQUEST", { problems: [problem], hash: "h1" }]);
  assert.equal((await refuse("config.apply", {})).code, "INVALID_REQUEST");
  assert.deepEqual(await call("config.patch", { changes: [{ path: "a" }], idempotencyKey: key }), {
    outcome: "invalid",
    reasons: [],
    problems: [problem],
    warnings: [],
    diff: "-a",
    hash: "h1",
  });
});

test("who was slower than somebody else is told the present hash", async (t) => {
  const { refuse, fake } = await createGatewayDesk(t);
  fake.configOutcome = { type: "conflict", hash: "h9" };
  for (const [method, params] of [
    ["config.set", { path: "a", value: 1, hash: "h1", idempotencyKey: key }],
    ["config.patch", { changes: [{ path: "a" }], hash: "h1", idempotencyKey: key }],
  ] as const) {
    const { code, details } = await refuse(method, params);
    assert.deepEqual([code, details], ["INVALID_REQUEST", { hash: "h9" }], method);
  }
});

test("what did not work is rolled back and says why; a dry run says what it would do", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  fake.configOutcome = { type: "rolled-back", reasons: ["slack: wrong token"], diff: "d", hash: "h1" };
  const reasons = ["slack: wrong token"];
  assert.deepEqual(await call("config.apply", {}), { outcome: "rolled-back", reasons, warnings: [], hash: "h1" });
  fake.configOutcome = { type: "would-apply", warnings: ["w"], diff: "d", hash: "h1" };
  const tried = await call("config.patch", { changes: [{ path: "a" }], dryRun: true, idempotencyKey: key });
  assert.deepEqual([tried.outcome, tried.warnings, tried.diff], ["would-apply", ["w"], "d"]);
});
