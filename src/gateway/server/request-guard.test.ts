/** Pages of other sites and names that were made to point here, over real sockets. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { createGatewayRig } from "../../../test/fakes/gateway-rig.ts";
import { createRequestGuard, type GuardSettings } from "./request-guard.ts";

const closed: GuardSettings = { host: "127.0.0.1", hosts: [], origins: [], trustedProxies: [] };

interface Asked {
  url?: string;
  host?: string | string[];
  origin?: string;
  forwarded?: string[];
  remote?: string;
  local?: string;
}

/** Only what the guard looks at. */
const build = ({
  url = "/",
  host = "localhost:1",
  origin,
  forwarded,
  remote = "127.0.0.1",
  local = "127.0.0.1",
}: Asked) =>
  ({
    url,
    headers: { ...(origin !== undefined && { origin }) },
    headersDistinct: { host: [host].flat(), ...(forwarded && { "x-forwarded-for": forwarded }) },
    socket: { remoteAddress: remote, localAddress: local },
  }) as unknown as IncomingMessage;

const judge = (asked: Asked, settings: Partial<GuardSettings> = {}) => {
  const verdict = createRequestGuard({ ...closed, ...settings })(build(asked));
  return verdict.type === "ok" ? 200 : verdict.error.status;
};
const addressOf = (asked: Asked, trustedProxies: string[]) => {
  const verdict = createRequestGuard({ ...closed, trustedProxies })(build(asked));
  return verdict.type === "ok" ? verdict.address : undefined;
};

test("a Host header must name this machine or be listed", () => {
  for (const host of ["localhost", "localhost:18800", "LOCALHOST.", "127.0.0.1", "127.0.0.2:80", "[::1]:18800"]) {
    assert.equal(judge({ host }), 200, host);
  }
  const strangers = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.168.1.5",
    "0.0.0.0",
    "[::]",
  ];
  for (const host of strangers) assert.equal(judge({ host }), 403, host);
  for (const host of ["", "a b", "user@localhost", "localhost/x", "localhost#", "%6cocalhost"]) {
    assert.equal(judge({ host }), 400, host);
  }
  assert.equal(judge({ host: ["localhost", "localhost"] }), 400);
  assert.equal(judge({ host: "Mom.example:443" }, { hosts: ["mom.example"] }), 200);
  assert.equal(judge({ host: "192.168.1.5:1", local: "::ffff:192.168.1.5" }, { host: "0.0.0.0" }), 200);
  assert.equal(judge({ host: "192.168.1.6:1", local: "::ffff:192.168.1.5" }, { host: "0.0.0.0" }), 403);
});

test("an Origin must be the page's own, or be listed", () => {
  const host = "localhost:18800";
  assert.equal(judge({ host, origin: "http://localhost:18800" }), 200);
  assert.equal(judge({ host, origin: "https://localhost:18800" }), 200);
  const strangers = [
    "null",
    "",
    "https://evil.example",
    "http://localhost",
    "http://localhost:3000",
    "http://127.0.0.1:18800",
    "http://localhost:18800.evil.example",
    "file://localhost:18800",
    "chrome-extension://abc",
    "http://localhost:18800, http://evil.example",
  ];
  for (const origin of strangers) assert.equal(judge({ host, origin }), 403, origin);
  assert.equal(judge({ host, origin: "https://tools.example" }, { origins: ["https://tools.example"] }), 200);
  const behindProxy = { hosts: ["mom.example"] };
  assert.equal(judge({ host: "mom.example", origin: "https://mom.example" }, behindProxy), 200);
  assert.equal(judge({ host: "mom.example:443", origin: "https://mom.example" }, behindProxy), 200);
  assert.equal(judge({ host: "mom.example", origin: "https://mom.example:444" }, behindProxy), 403);
});

test("secrets in addresses and crooked paths are refused", () => {
  for (const name of ["token", "access_token", "ToKen", "%74oken", "password"]) {
    assert.equal(judge({ url: `/ws?x=1&${name}=abc` }), 400, name);
  }
  assert.equal(judge({ url: "/?tokens=1" }), 200);
  for (const url of ["", "x", "http://localhost/", "/%", "/a/../b", "/a/%2e%2e/b", "/..", "/%00", "/a%5c..%5cb", "*"]) {
    assert.equal(judge({ url }), 400, url);
  }
});

test("what proxies say of an address counts as far as they are trusted", () => {
  const forwarded = ["203.0.113.9, 198.51.100.1", "10.0.0.2"];
  assert.equal(addressOf({ forwarded }, []), "127.0.0.1");
  assert.equal(addressOf({ forwarded, remote: "::ffff:10.0.0.3" }, ["10.0.0.0/8"]), "198.51.100.1");
  assert.equal(addressOf({ forwarded, remote: "10.0.0.3" }, ["10.0.0.3"]), "10.0.0.2");
  assert.equal(addressOf({ forwarded: ["rubbish"], remote: "10.0.0.3" }, ["10.0.0.0/8"]), "10.0.0.3");
  assert.equal(addressOf({ forwarded: ["fd00::5"], remote: "fd00::1" }, ["fd00::/8"]), "fd00::5");
});

test("a page of another site cannot open a WebSocket", async (t) => {
  const rig = await createGatewayRig(t);
  for (const origin of ["https://evil.example", "null", `http://localhost:${rig.port}`, "http://127.0.0.1:3000"]) {
    assert.equal(await rig.dialStatus({ origin }), 403, origin);
  }
  assert.equal(await rig.dialStatus({ origin: `http://127.0.0.1:${rig.port}` }), 101);
});

test("a rebound name is refused on every path, before anything else is looked at", async (t) => {
  const rig = await createGatewayRig(t, { config: { http: { openai: true } } });
  rig.gateway.webhooks.open("x", { maxBytes: 10, isAllowed: () => true, handle: async () => ({ status: 200 }) });
  const headers = { host: `evil.example:${rig.port}`, authorization: `Bearer ${rig.token}` };
  for (const path of ["/", "/healthz", "/readyz", "/metrics", "/v1/models", "/files/x", "/assets/x.js", "/nothing"]) {
    assert.equal((await rig.ask(path, { headers })).status, 403, path);
  }
  assert.equal((await rig.ask("/hooks/x", { method: "POST", headers, body: "x" })).status, 403);
  assert.equal(await rig.dialStatus({ headers: { host: headers.host } }), 403);
});

test("a token in an address is refused on every path, upgrades too", async (t) => {
  const rig = await createGatewayRig(t);
  for (const path of ["/", "/healthz", "/metrics", "/files/x"]) {
    assert.equal((await rig.ask(`${path}?token=${rig.token}`)).status, 400, path);
  }
  assert.equal(await rig.dialStatus({ path: `/ws?access_token=${rig.token}` }), 400);
  assert.equal(await rig.dialStatus({ path: "/elsewhere" }), 404);
});
