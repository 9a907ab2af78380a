/** The suite for strangers, against the gateway on the fake house: once with calls of every method, once only looking. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareHouse } from "../fakes/gateway-calls.ts";
import { createGatewayRig } from "../fakes/gateway-rig.ts";
import { listBadParams } from "./bad-params.ts";
import { buildSuite } from "./suite.ts";

test("a server of one's own", { timeout: 60_000 }, async (t) => {
  const rig = await createGatewayRig(t);
  const calls = await prepareHouse(rig.house);
  await rig.house.folder.put("workspace/notes.md", "notes");
  const url = `ws://127.0.0.1:${rig.port}/ws`;
  const checks = await buildSuite({ url, token: rig.token, calls: { ...calls } });
  for (const { name, run } of checks) await t.test(name, run);
  assert.deepEqual(
    rig.log.lines.filter(({ level }) => level === "error"),
    [],
  );
});

test("a server that is only looked at", { timeout: 60_000 }, async (t) => {
  const rig = await createGatewayRig(t);
  const checks = await buildSuite({ url: `ws://127.0.0.1:${rig.port}/ws`, token: rig.token });
  for (const { name, run } of checks) await t.test(name, run);
  assert.deepEqual(rig.house.said, []);
  assert.deepEqual(rig.house.asked, []);
});

test("a server whose house has neither jobs nor memory", { timeout: 60_000 }, async (t) => {
  const rig = await createGatewayRig(t, { isBare: true });
  const { hello, call } = await rig.enter();
  const offered: string[] = hello.features.methods;
  assert.deepEqual(
    offered.filter((name) => /^(?:cron|memory|heartbeat|subagents)\./.test(name) || name === "sessions.spawn"),
    [],
  );
  assert.equal((await call("cron.list", {})).error.code, "NOT_FOUND");
  const checks = await buildSuite({ url: `ws://127.0.0.1:${rig.port}/ws`, token: rig.token });
  for (const { name, run } of checks) await t.test(name, run);
});

test("bad calls break every kind of rule that a schema has", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 2, maxLength: 4, pattern: "^x+$" },
      size: { type: "integer", minimum: 1, maximum: 9 },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
      anything: {},
    },
  };
  const whats = listBadParams(schema, { name: "xx" }).map(({ what }) => what);
  for (const what of [
    "without name",
    "name: too short",
    "name: too long",
    "name: against its pattern",
    "name: a number",
    "size: a part of a number",
    "size: too small",
    "size: too large",
    "kind: none of the known",
    "tags: in it a number",
    "tags: empty",
    "tags: too many",
    "with a key that nobody knows",
  ]) {
    assert.ok(whats.includes(what), what);
  }
  assert.ok(!whats.some((what) => what.startsWith("anything")));
});
