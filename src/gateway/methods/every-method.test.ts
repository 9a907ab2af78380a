/** Every method of the protocol: who may call it, a good call, and bad ones made from its schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type GoodCalls, listBadCalls, prepareCalls } from "../../../test/fakes/gateway-calls.ts";
import {
  createGatewayDesk,
  type GatewayDesk,
  operatorWith,
  someNode,
  tokenHolder,
} from "../../../test/fakes/gateway-desk.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import type { Handlers, Identity } from "../parts.ts";
import { isMethodName, type MethodName, methodSpecs } from "../protocol/index.ts";
import { createDispatcher } from "./create-dispatcher.ts";

const names = Object.keys(methodSpecs).filter(isMethodName);

const callers: Record<string, Identity> = {
  token: tokenHolder,
  read: operatorWith("read"),
  write: operatorWith("write"),
  approvals: operatorWith("approvals"),
  pairing: operatorWith("pairing"),
  admin: operatorWith("admin"),
  node: someNode,
  nobody: operatorWith(),
  // Says of itself what a node cannot hold.
  "node with scopes": { ...someNode, scopes: ["read", "write", "admin", "approvals", "pairing"] },
};

const all = Object.keys(callers);
const read = ["token", "read", "admin"];
const write = ["token", "write", "admin"];
const approvals = ["token", "approvals", "admin"];
const pairing = ["token", "pairing", "admin"];
const admin = ["token", "admin"];
const node = ["node", "node with scopes"];

/** Written out by hand, so that a slip in the protocol's own table is seen. */
const mayCall: Record<MethodName, string[]> = {
  health: all,
  status: read,
  "system-presence": read,
  "gateway.schema": all,
  "events.subscribe": read,
  "agents.list": read,
  "agents.identity": read,
  agent: write,
  "agent.wait": read,
  "chat.send": write,
  "chat.inject": write,
  "chat.abort": write,
  "chat.history": read,
  "chat.commands": read,
  "files.upload": write,
  "files.open": read,
  "sessions.list": read,
  "sessions.history": read,
  "sessions.send": write,
  "sessions.patch": write,
  "sessions.reset": write,
  "sessions.delete": admin,
  "sessions.compact": write,
  "sessions.usage": read,
  "approvals.list": read,
  "approvals.resolve": approvals,
  "pairing.list": pairing,
  "pairing.approve": pairing,
  "pairing.revoke": pairing,
  "device-pair.list": pairing,
  "device-pair.approve": pairing,
  "device-pair.reject": pairing,
  "device-pair.revoke": pairing,
  "device-pair.code": pairing,
  "nodes.list": read,
  "nodes.invoke": write,
  "node.result": node,
  "channels.status": read,
  "channels.logout": admin,
  "channels.types": admin,
  "channels.login": admin,
  "models.list": read,
  "models.add-key": admin,
  "skills.status": read,
  "tools.list": read,
  "config.get": read,
  "config.schema": read,
  "config.set": admin,
  "config.patch": admin,
  "config.apply": admin,
  "cron.status": read,
  "cron.list": read,
  "cron.preview": read,
  "cron.add": admin,
  "cron.update": admin,
  "cron.remove": admin,
  "cron.run": admin,
  "cron.runs": read,
  "cron.wake": admin,
  "heartbeat.status": read,
  "heartbeat.beat": write,
  "sessions.spawn": write,
  "subagents.list": read,
  "subagents.stop": write,
  "memory.search": read,
  "memory.get": read,
  "memory.status": read,
  "memory.index": write,
  "logs.tail": admin,
  "doctor.run": admin,
  "setup.status": read,
  "setup.finish": admin,
};

test("every method answers those who may call it and nobody else", async (t) => {
  const desk = await createGatewayDesk(t);
  const good = await prepareCalls(desk);
  const called: string[] = [];
  // Who gets here was let through; what the method does then is another test's business.
  const handlers = Object.fromEntries(
    names.map((name) => [
      name,
      async () => {
        called.push(name);
        throw new Error("reached");
      },
    ]),
  ) as unknown as Handlers;
  const { dispatch } = createDispatcher({ handlers, clock: desk.clock, log: createRecordingLog() });
  for (const name of names) {
    for (const [who, identity] of Object.entries(callers)) {
      called.length = 0;
      const params = withKey(good[name], `${who}-${name}`.replaceAll(" ", "-"));
      const { error } = await dispatch({ id: "1", type: "request", method: name, params }, desk.contextOf(identity));
      const isAllowed = mayCall[name].includes(who);
      assert.deepEqual(
        [called, error?.code],
        isAllowed ? [[name], "UNAVAILABLE"] : [[], "FORBIDDEN"],
        `${name} called by ${who}`,
      );
    }
  }
});

const withKey = (params: object, key: string) =>
  ("idempotencyKey" in params ? { ...params, idempotencyKey: key } : params) as Record<string, unknown>;

test("every method takes a good call and gives what its schema says", async (t) => {
  const log = createRecordingLog();
  const desk = await createGatewayDesk(t, log);
  const good = await prepareCalls(desk);
  for (const name of Object.keys(good).filter(isMethodName)) {
    if (name === "nodes.invoke" || name === "node.result") continue;
    await desk.call(name, good[name]);
  }
  assert.deepEqual(log.lines, []);
});

test("a node's command and its answer are a good call too", async (t) => {
  const desk = await createGatewayDesk(t);
  const good = await prepareCalls(desk);
  const invoked = desk.call("nodes.invoke", good["nodes.invoke"]);
  await t.waitFor(() => assert.equal(desk.connections.told.length, 1));
  const invokeId = desk.connections.told[0]?.payload.invokeId ?? "";
  const asNode = desk.contextOf({ ...someNode, id: "d1" });
  assert.deepEqual(await desk.call("node.result", { ...good["node.result"], invokeId }, asNode), { ok: true });
  assert.deepEqual(await invoked, { result: 1 });
});

test("every method refuses what its schema does not know", async (t) => {
  const desk = await createGatewayDesk(t);
  const good = await prepareCalls(desk);
  for (const name of names) {
    for (const { what, params } of listBadCalls(name, { ...good[name] })) await refuses(desk, name, params, what);
    for (const rubbish of [[], "text", 7, null]) await refuses(desk, name, rubbish, JSON.stringify(rubbish));
  }
});

async function refuses(desk: GatewayDesk, name: MethodName, params: unknown, what: string): Promise<void> {
  const context = name === "node.result" ? desk.contextOf(someNode) : undefined;
  const error = await desk.refuse(name, params, context);
  assert.equal(error.code, "INVALID_REQUEST", `${name} ${what}`);
  const { problems } = error.details as { problems: string[] };
  assert.ok(problems.length > 0, `${name} ${what}: what is wrong?`);
}

test("bad calls are made for every method", () => {
  const bare: Partial<GoodCalls> = {};
  assert.ok(listBadCalls("chat.send", bare).some(({ what }) => what === "without idempotencyKey"));
  assert.ok(names.every((name) => listBadCalls(name, {}).length > 0));
});
