/** Requests over real HTTP: paths, methods, bearer tokens, and lines that are held without being used. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createDevice, createGatewayRig, enterAs } from "../../../test/fakes/gateway-rig.ts";

test("every answer has the headers that keep browsers in check", async (t) => {
  const rig = await createGatewayRig(t);
  for (const path of ["/healthz", "/metrics", "/nothing", "/files/x"]) {
    const { headers } = await rig.ask(path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["referrer-policy"], "no-referrer", path);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin", path);
    assert.equal(headers["cache-control"], "no-store", path);
    assert.equal(headers["access-control-allow-origin"], undefined, path);
  }
});

test("unknown paths, wrong methods and missing tokens are told apart, as JSON", async (t) => {
  const rig = await createGatewayRig(t);
  const tell = async (path: string, method = "GET") => {
    const { status, body, headers } = await rig.ask(path, { method });
    return [status, JSON.parse(String(body)).error.code, headers.allow ?? headers["www-authenticate"]];
  };
  assert.deepEqual(await tell("/nothing"), [404, "NOT_FOUND", undefined]);
  assert.deepEqual(await tell("/healthz", "POST"), [405, "INVALID_REQUEST", "GET"]);
  assert.deepEqual(await tell("/files/x", "DELETE"), [405, "INVALID_REQUEST", "PUT, GET"]);
  assert.deepEqual(await tell("/metrics"), [401, "NOT_PAIRED", "Bearer"]);
  assert.deepEqual(await tell("/v1/models"), [404, null, undefined]);
});

test("a bearer token is judged, not seen", async (t) => {
  const rig = await createGatewayRig(t, { config: { auth: { password: "correct-horse" } } });
  const get = async (authorization: string) => (await rig.ask("/metrics", { headers: { authorization } })).status;
  assert.equal(await get(`Bearer ${rig.token}`), 200);
  assert.equal(await get(`bearer ${rig.token}`), 200);
  assert.equal(await get("Bearer correct-horse"), 200);
  for (const wrong of [
    "Bearer",
    "Bearer ",
    `Basic ${rig.token}`,
    rig.token,
    "Bearer undefined",
    `Bearer ${rig.token}x`,
  ]) {
    assert.equal(await get(wrong), 401, wrong);
  }
});

test("OpenAI's paths are there where they are wanted, with errors that its client reads", async (t) => {
  const rig = await createGatewayRig(t, { config: { http: { openai: true } } });
  const { status, body } = await rig.ask("/v1/models");
  assert.equal(status, 401);
  assert.equal(JSON.parse(String(body)).error.code, "invalid_api_key");
  const known = await rig.ask("/v1/models", { headers: { authorization: `Bearer ${rig.token}` } });
  assert.equal(known.status, 200);
  const unknown = await rig.ask("/v1/nothing", { headers: { authorization: `Bearer ${rig.token}` } });
  assert.deepEqual([unknown.status, JSON.parse(String(unknown.body)).error.param], [404, null]);
});

test("headers that never end, and a line that says nothing, are cut off", async (t) => {
  const httpTimes = { headersTimeoutMs: 200, checkEveryMs: 50, keepAliveMs: 100 };
  const rig = await createGatewayRig(t, { httpTimes });
  const [slow, silent] = [await rig.connect(), await rig.connect()];
  slow.write("GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ");
  await Promise.all([once(slow.resume(), "close"), once(silent.resume(), "close")]);
});

test("headers are bounded", async (t) => {
  const rig = await createGatewayRig(t);
  const { status } = await rig.ask("/healthz", { headers: { "x-long": "x".repeat(17_000) } });
  assert.equal(status, 431);
});

test("another protocol than WebSocket gets an ordinary answer", async (t) => {
  const rig = await createGatewayRig(t);
  const { status } = await rig.ask("/healthz", { headers: { connection: "Upgrade", upgrade: "h2c" } });
  assert.equal(status, 200);
});

test("a device's token is no bearer token, whatever the device may do", async (t) => {
  const rig = await createGatewayRig(t);
  const owner = await rig.enter();
  const { result } = await owner.call("device-pair.code", { scopes: ["admin"] });
  const { answer } = await enterAs(rig, createDevice(), { code: result.code });
  const headers = { authorization: `Bearer ${answer.deviceToken}` };
  assert.equal((await rig.ask("/metrics", { headers })).status, 401);
});
