/** Commands of nodes: asked, answered, and what happens when no answer comes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, type GatewayDesk, someNode } from "../../../test/fakes/gateway-desk.ts";

const key = "key-of-a-test";

function connect({ devices, connections }: GatewayDesk, deviceId: string, commands: string[] | undefined): void {
  const device = { deviceId, name: "phone", platform: "ios", scopes: [], approvedAt: 1, approvedBy: "token" };
  devices.known.push({ ...device, role: "node", isConnected: commands !== undefined });
  if (commands) connections.offered.set(deviceId, commands);
}

const asNode = (desk: GatewayDesk, id: string) => desk.contextOf({ ...someNode, id });

test("nodes are listed with what they offer; operators' devices are none", async (t) => {
  const desk = await createGatewayDesk(t);
  connect(desk, "n1", ["camera.snap"]);
  connect(desk, "n2", undefined);
  const operator = { deviceId: "o1", name: "laptop", platform: "linux", approvedAt: 1, approvedBy: "token" };
  desk.devices.known.push({ ...operator, role: "operator", scopes: ["read"], isConnected: true });
  const { nodes } = await desk.call("nodes.list", {});
  assert.deepEqual(
    nodes.map(({ deviceId, isConnected, commands }) => [deviceId, isConnected, commands]),
    [
      ["n1", true, ["camera.snap"]],
      ["n2", false, []],
    ],
  );
  const refused = async (deviceId: string, command: string) =>
    (await desk.refuse("nodes.invoke", { deviceId, command, idempotencyKey: key })).code;
  assert.equal(await refused("o1", "camera.snap"), "NOT_FOUND");
  assert.equal(await refused("n2", "camera.snap"), "UNAVAILABLE");
  assert.equal(await refused("n1", "rm"), "INVALID_REQUEST");
  assert.deepEqual(desk.connections.told, []);
});

test("an answer is taken from the node that was asked, once", async (t) => {
  const desk = await createGatewayDesk(t);
  const { call, refuse, connections, clock } = desk;
  connect(desk, "n1", ["camera.snap"]);
  connect(desk, "n2", ["camera.snap"]);
  const params = { deviceId: "n1", command: "camera.snap", args: { front: true }, idempotencyKey: key };
  const [first, again] = [call("nodes.invoke", params), call("nodes.invoke", params)];
  await t.waitFor(() => assert.equal(connections.told.length, 1));
  const { deviceId, payload } = connections.told[0] ?? assert.fail();
  const { invokeId, ...asked } = payload;
  assert.deepEqual(
    [deviceId, asked],
    ["n1", { command: "camera.snap", args: { front: true }, expiresAt: clock.now() + 30_000 }],
  );
  const stolen = await refuse("node.result", { invokeId, result: "a lie" }, asNode(desk, "n2"));
  const unknown = await refuse("node.result", { invokeId: "no-such", result: 1 }, asNode(desk, "n1"));
  assert.deepEqual([stolen.code, unknown.code], ["NOT_FOUND", "NOT_FOUND"]);
  await call("node.result", { invokeId, result: { taken: true } }, asNode(desk, "n1"));
  assert.deepEqual([await first, await again], [{ result: { taken: true } }, { result: { taken: true } }]);
  assert.equal((await refuse("node.result", { invokeId, result: 2 }, asNode(desk, "n1"))).code, "NOT_FOUND");
  assert.equal(clock.pending, 0);
});

test("a node that fails, goes away, or is silent fails the call", async (t) => {
  const desk = await createGatewayDesk(t);
  const { refuse, call, connections, clock } = desk;
  connect(desk, "n1", ["run"]);
  connect(desk, "n2", ["run"]);
  const invoke = async (n: number, deviceId: string) => {
    const refused = refuse("nodes.invoke", { deviceId, command: "run", timeoutMs: 500, idempotencyKey: `${key}-${n}` });
    await t.waitFor(() => assert.equal(connections.told.length, n));
    return { refused, invokeId: connections.told[n - 1]?.payload.invokeId ?? "" };
  };
  const failing = await invoke(1, "n1");
  await call("node.result", { invokeId: failing.invokeId, error: "no light" }, asNode(desk, "n1"));
  assert.match((await failing.refused).message, /no light/);

  const silent = await invoke(2, "n1");
  const lost = await invoke(3, "n2");
  connections.gone("n2");
  assert.match((await lost.refused).message, /has gone/);
  await clock.advance(500);
  assert.match((await silent.refused).message, /500 ms/);
  assert.equal((await silent.refused).code, "UNAVAILABLE");
  const late = await refuse("node.result", { invokeId: silent.invokeId, result: 1 }, asNode(desk, "n1"));
  assert.equal(late.code, "NOT_FOUND");
});

test("a command without a result gives null", async (t) => {
  const desk = await createGatewayDesk(t);
  connect(desk, "n1", ["run"]);
  const invoked = desk.call("nodes.invoke", { deviceId: "n1", command: "run", idempotencyKey: key });
  await t.waitFor(() => assert.equal(desk.connections.told.length, 1));
  await desk.call("node.result", { invokeId: desk.connections.told[0]?.payload.invokeId ?? "" }, asNode(desk, "n1"));
  assert.deepEqual(await invoked, { result: null });
});
