/** `mom gateway` and `mom devices` against a gateway that speaks the protocol and does nothing else. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createFakeGateway, type FakeGateway } from "../../../test/fakes/gateway-server.ts";
import { pretendToRun, type RunningMom } from "../../../test/fakes/running-mom.ts";
import { GatewayFault, methodSpecs } from "../../gateway/protocol/index.ts";
import { buildDevicesCommand } from "./devices.ts";
import { buildGatewayCommand } from "./gateway.ts";

const device = {
  deviceId: "d1",
  name: "Ann’s \u202ephone",
  platform: "iOS",
  role: "operator",
  scopes: ["read", "write"],
  approvedAt: 0,
  approvedBy: "token",
  isConnected: true,
} as const;
const request = { ...device, requestId: "r1", address: "192.0.2.7", createdAt: 0, expiresAt: 3_600_000 };

let world: CliWorld;
let gateway: FakeGateway;
let mom: RunningMom;
beforeEach(async () => {
  world = await createCliWorld({ gateway: buildGatewayCommand, devices: buildDevicesCommand });
  gateway = await createFakeGateway();
  mom = await pretendToRun(world.dataDir);
  await mom.listen(gateway.url);
});
afterEach(async () => {
  mom.end();
  await gateway.close();
  await world.close();
});

test("call prints what the method gives, and makes the key that a call needs", async () => {
  gateway.answers["chat.send"] = () => ({ turnId: "t1", sessionKey: "s", messageId: "m", isRepeat: false });
  const { code, out } = await world.run(["gateway", "call", "chat.send", "{ message: 'hi' }"]);
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).turnId, "t1");
  const [sent] = gateway.requested("chat.send");
  assert.equal(sent?.params?.["message"], "hi");
  assert.match(String(sent?.params?.["idempotencyKey"]), /^[\w-]{36}$/);
  assert.deepEqual(gateway.connections[0]?.hellos[0]?.auth, { token: mom.token });
  const piped = await world.run(["gateway", "call", "chat.send", "-"], '{"message":"from a pipe"}');
  assert.equal(piped.code, 0);
});

test("a mistake in a call is explained before anything is sent", async () => {
  const cases: [string[], RegExp][] = [
    [["chat.sned"], /Did you mean "chat\.send"\?[\s\S]*UNKNOWN_METHOD/],
    [["chat.send", "{ message: 5 }"], /message must be string[\s\S]*It takes: sessionKey, message[\s\S]*BAD_PARAMS/],
    [["chat.send", "hello"], /not one JSON5 object[\s\S]*BAD_PARAMS/],
    [["chat.send", "[]"], /not one JSON5 object/],
  ];
  for (const [words, expected] of cases) {
    const { code, err } = await world.run(["gateway", "call", ...words]);
    assert.equal(code, 2);
    assert.match(err, expected);
  }
  assert.equal(gateway.connections.length, 0);
});

test("a fault of the gateway is a failure with its code", async () => {
  gateway.answers["sessions.reset"] = () => {
    throw new GatewayFault({ code: "NOT_FOUND", message: "There is no session x", details: { hint: "Look again." } });
  };
  const { code, err } = await world.run(["gateway", "call", "sessions.reset", "{sessionKey:'x'}"]);
  assert.equal(code, 1);
  assert.match(err, /NOT_FOUND: There is no session x\n {2}fix: Look again\.\n {2}code: GATEWAY_CALL_FAILED/);
});

test("a token that is not the gateway's is said to be so", async () => {
  gateway.refuse(() => ({ code: "NOT_PAIRED", message: "wrong token" }));
  const { code, err } = await world.run(["gateway", "call", "health"]);
  assert.equal(code, 1);
  assert.match(err, /wrong token[\s\S]*GATEWAY_REFUSED/);
});

test("the token is not shown to whoever has the port of a mom that is gone", async () => {
  mom.end();
  const { code, err } = await world.run(["gateway", "call", "health"]);
  assert.equal(code, 1);
  assert.match(err, /GATEWAY_NOT_RUNNING/);
  assert.equal(gateway.connections.length, 0);
  mom = await pretendToRun(world.dataDir);
});

test("link carries a one-time code behind the hash, for this address or another", async () => {
  gateway.answers["device-pair.code"] = () => ({ code: "abc-def", expiresAt: 0 });
  const { out } = await world.run(["gateway", "link"]);
  assert.equal(out, `${gateway.url}/#code=abc-def\n`);
  const other = await world.run(["gateway", "link", "--url", "https://mom.example/", "--json"]);
  assert.equal(JSON.parse(other.out).link, "https://mom.example/#code=abc-def");
});

test("token says where it is, and shows it only when asked to", async () => {
  const { out } = await world.run(["gateway", "token"]);
  assert.match(out, /state\/gateway-token\n$/);
  assert.ok(!out.includes(mom.token));
  assert.equal((await world.run(["gateway", "token", "--show"])).out, `${mom.token}\n`);
});

test("schema needs no running mom and names every method", async () => {
  mom.end();
  const { code, out } = await world.run(["gateway", "schema"]);
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(JSON.parse(out).methods), Object.keys(methodSpecs));
  mom = await pretendToRun(world.dataDir);
});

test("devices are listed, with names that cannot pass for others", async () => {
  gateway.answers["device-pair.list"] = () => ({ devices: [{ ...device, scopes: ["read"] }], requests: [] });
  const { out } = await world.run(["devices", "list"]);
  assert.match(out, /d1 .*iOS .*read .*now/);
  assert.ok(!out.includes("\u202e"));
  const { deviceId: _, approvedAt: __, approvedBy: ___, isConnected: ____, ...asking } = request;
  gateway.answers["device-pair.list"] = () => ({
    devices: [],
    requests: [{ ...asking, deviceId: "d2", scopes: ["admin"] }],
  });
  assert.match((await world.run(["devices", "list"])).out, /asking to be let in:\n[\s\S]*r1 .*192\.0\.2\.7 .*admin/);
});

test("a device is let in with fewer rights than it wants, sent away, and no longer trusted", async () => {
  gateway.answers["device-pair.approve"] = ({ scopes }) => ({ ...device, scopes: scopes ?? [] });
  gateway.answers["device-pair.reject"] = () => ({ ok: true });
  gateway.answers["device-pair.revoke"] = () => ({ ok: true });
  gateway.answers["device-pair.code"] = () => ({ code: "c-o-d-e", expiresAt: 0 });
  const approved = await world.run(["devices", "approve", "r1", "--scopes", "read, approvals", "--json"]);
  assert.deepEqual(JSON.parse(approved.out).scopes, ["read", "approvals"]);
  assert.equal((await world.run(["devices", "approve", "r1", "--scopes", "root"])).code, 2);
  assert.equal((await world.run(["devices", "reject", "r1"])).out, "the request r1 is gone\n");
  assert.equal((await world.run(["devices", "revoke", "d1"])).out, "d1 is no longer let in\n");
  assert.equal((await world.run(["devices", "code", "--role", "node"])).out, "c-o-d-e\n");
  assert.deepEqual(gateway.requested("device-pair.code")[0]?.params, { role: "node" });
});
