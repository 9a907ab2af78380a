/** pi-ai's Anthropic flow behind our port, against a token endpoint on loopback: its `fetch` is led there. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { loadOAuthFlow, loginProviders } from "./catalog.ts";
import type { OAuthCredential } from "./oauth-flow.ts";

const realFetch = globalThis.fetch;
const login: OAuthCredential = {
  type: "oauth",
  provider: "anthropic",
  access: "old-access",
  refresh: "old-refresh",
  expires: 1,
  note: "kept",
};

/** Whatever the flow asks goes to a server of ours; `bodies` has what it sent. */
async function leadToEndpoint(t: TestContext, status: number, answer: object) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  t.mock.method(globalThis, "fetch", (_url: string, init: RequestInit) => realFetch(`http://127.0.0.1:${port}/`, init));
  return bodies;
}

async function refresh() {
  const flow = await loadOAuthFlow("anthropic");
  assert.ok(flow);
  return flow.refresh(login, AbortSignal.timeout(5000));
}

test("a login is renewed: new tokens, everything else kept", async (t) => {
  const bodies = await leadToEndpoint(t, 200, {
    access_token: "new-access",
    refresh_token: "new-refresh",
    expires_in: 3600,
  });
  const outcome = await refresh();
  assert.equal(outcome.type, "refreshed");
  const { expires, ...rest } = outcome.type === "refreshed" ? outcome.credential : login;
  assert.deepEqual(rest, {
    ...rest,
    access: "new-access",
    refresh: "new-refresh",
    provider: "anthropic",
    note: "kept",
  });
  assert.ok((expires ?? 0) > 1e12);
  assert.match(bodies[0] ?? "", /old-refresh/);
});

test("an answer without a new refresh token keeps the old one", async (t) => {
  await leadToEndpoint(t, 200, { access_token: "new-access", expires_in: 3600 });
  const outcome = await refresh();
  assert.equal(outcome.type === "refreshed" && outcome.credential.refresh, "old-refresh");
});

test("a refusal is told from a provider that is down, and neither tells a token", async (t) => {
  await leadToEndpoint(t, 400, { error: "invalid_grant", said: "old-refresh" });
  const refused = await refresh();
  assert.equal(refused.type, "refused");
  assert.doesNotMatch(JSON.stringify(refused), /old-refresh|old-access/);
  await leadToEndpoint(t, 503, {});
  assert.equal((await refresh()).type, "unreachable");
});

test("a network that is down is no refusal", async (t) => {
  t.mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("fetch failed")));
  assert.equal((await refresh()).type, "unreachable");
});

test("other providers have no login, and the Anthropic one says what it is", async () => {
  assert.equal(await loadOAuthFlow("openai"), undefined);
  assert.deepEqual(loginProviders, ["anthropic"]);
  assert.match((await loadOAuthFlow("anthropic"))?.warning ?? "", /subscription.*own command line client.*API key/s);
});
