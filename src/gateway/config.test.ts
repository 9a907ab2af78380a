import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayConfig } from "./config.ts";

const isGood = (config: object) => gatewayConfig.safeParse(config).success;

test("nothing set means this machine only, with nothing extra opened", () => {
  assert.deepEqual(gatewayConfig.parse({}), {
    enabled: true,
    host: "127.0.0.1",
    auth: {},
    hosts: [],
    origins: [],
    trustedProxies: [],
    http: { openai: false },
    mdns: false,
    maxConnections: 2000,
  });
});

test("hosts are names or addresses, origins whole, ranges real", () => {
  for (const host of ["mom.example", "attic", "192.168.1.5", "::1", "fd00::1"])
    assert.ok(isGood({ hosts: [host] }), host);
  for (const host of ["", "*", "*.example", "http://mom.example", "mom.example:80", "a b", "-a"]) {
    assert.ok(!isGood({ hosts: [host] }), host);
  }
  for (const origin of ["https://mom.example", "http://attic.lan:8080"])
    assert.ok(isGood({ origins: [origin] }), origin);
  for (const origin of ["*", "null", "mom.example", "https://mom.example/", "https://mom.example/x", "file://x"]) {
    assert.ok(!isGood({ origins: [origin] }), origin);
  }
  for (const range of ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]) assert.ok(isGood({ trustedProxies: [range] }), range);
  for (const range of ["proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "*"]) {
    assert.ok(!isGood({ trustedProxies: [range] }), range);
  }
});

test("a short password and an impossible port are refused", () => {
  assert.ok(isGood({ auth: { password: "correct horse" } }));
  assert.ok(!isGood({ auth: { password: "short" } }));
  for (const port of [-1, 65_536, 80.5]) assert.ok(!isGood({ port }), String(port));
  assert.ok(isGood({ port: 0 }));
});
