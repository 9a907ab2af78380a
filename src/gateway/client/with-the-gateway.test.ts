/** The client and the real gateway, as they are: a device is let in, comes back, is dropped and catches up, and is sent away. */
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createGatewayRig, type GatewayRig } from "../../../test/fakes/gateway-rig.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { EventFrame } from "../protocol/index.ts";
import type { Auth, ClientOptions, ClientState } from "./client-types.ts";
import { createGatewayClient } from "./create-gateway-client.ts";

const limit = { timeout: 30_000 };
const until = async (isTrue: () => boolean) => {
  const end = performance.now() + 10_000;
  while (!isTrue()) {
    assert.ok(performance.now() < end, "it did not come to be");
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** As a browser makes one. */
async function createDevice(): Promise<Extract<Auth, { device: unknown }>["device"]> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey, publicKey } = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { x = "", y = "" } = await webcrypto.subtle.exportKey("jwk", publicKey);
  const raw = Buffer.concat([Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return {
    id: createHash("sha256").update(raw).digest("base64url"),
    publicKey: { x, y },
    async sign(text) {
      const bytes = new TextEncoder().encode(text);
      const signature = await webcrypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
      return Buffer.from(signature).toString("base64url");
    },
  };
}

function connect(t: TestContext, { port }: GatewayRig, getAuth: () => Auth, more: Partial<ClientOptions> = {}) {
  const seen = { states: [] as ClientState[], events: [] as EventFrame[], gaps: 0, problems: [] as string[] };
  const client = createGatewayClient({
    url: `ws://127.0.0.1:${port}/ws`,
    hello: {
      client: { id: "test", displayName: "A test", version: "1", platform: "node", mode: "web" },
      getAuth: async () => getAuth(),
    },
    onState: (state) => void seen.states.push(state),
    onEvent: (frame) => void seen.events.push(frame),
    onGap: () => {
      seen.gaps += 1;
    },
    onProblem: (problem) => void seen.problems.push(problem),
    random: () => 0,
    ...more,
  });
  t.after(() => client.stop());
  client.start();
  return { client, seen, isOpen: () => client.state.type === "open" };
}

test("a device with a code is let in, comes back with its token, and is not after it was revoked", limit, async (t) => {
  const rig = await createGatewayRig(t);
  const operator = connect(t, rig, () => ({ token: rig.token }));
  const device = await createDevice();
  const { code } = await operator.client.call("device-pair.code", { scopes: ["read", "write"] });
  let token: string | undefined;
  const getAuth = () => ({ device: { ...device, ...(token === undefined ? { code } : { token }) } });
  const onDeviceToken = (given: string) => {
    token = given;
  };
  const browser = connect(t, rig, getAuth, { onDeviceToken });
  await until(browser.isOpen);
  assert.ok(token !== undefined);
  await assert.rejects(browser.client.call("config.apply", {}), { code: "FORBIDDEN" });
  browser.client.stop();
  browser.client.start();
  await until(browser.isOpen);
  assert.ok((await browser.client.call("health", {})).ok);

  assert.deepEqual(await operator.client.call("device-pair.revoke", { deviceId: device.id }), { ok: true });
  await until(() => browser.client.state.type === "refused");
  assert.deepEqual([browser.seen.problems, operator.seen.problems], [[], []]);
});

test("a device without a code waits, and is in soon after somebody said yes", limit, async (t) => {
  const rig = await createGatewayRig(t);
  const operator = connect(t, rig, () => ({ token: rig.token }));
  // What was told before somebody came is not told again.
  await until(operator.isOpen);
  const device = await createDevice();
  let token: string | undefined;
  const phone = connect(
    t,
    rig,
    () => ({ device: { ...device, role: "operator", scopes: ["read"], ...(token !== undefined && { token }) } }),
    {
      onDeviceToken: (given) => {
        token = given;
      },
    },
  );
  await until(() => phone.client.state.type === "refused");
  await until(() => operator.seen.events.some(({ event }) => event === "device-pair.requested"));
  const { requests } = await operator.client.call("device-pair.list", {});
  await operator.client.call("device-pair.approve", { requestId: requests[0]?.requestId ?? "" });
  await until(phone.isOpen);
  assert.ok(token !== undefined);
  assert.equal(phone.seen.states.filter(({ type }) => type === "connecting").length, 1);
});

test("what happened while the connection was lost is told afterwards, once and in order", limit, async (t) => {
  const rig = await createGatewayRig(t);
  const sockets: WebSocket[] = [];
  const Recorded = class extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      sockets.push(this);
    }
  };
  const { client, seen, isOpen } = connect(t, rig, () => ({ token: rig.token }), { WebSocket: Recorded });
  const key = "agent:main:main" as SessionKey;
  client.follow([key]);
  await until(isOpen);
  await client.call("health", {});
  rig.gateway.watch.sessionChanged(key);
  await until(() => seen.events.some(({ event }) => event === "session.changed"));
  sockets[0]?.close();
  await until(() => client.state.type === "waiting");
  for (let each = 0; each < 5; each += 1) rig.gateway.watch.sessionChanged(`agent:main:${each}` as SessionKey);
  await until(isOpen);
  rig.gateway.watch.sessionChanged("agent:main:5" as SessionKey);
  const keys = () =>
    seen.events.flatMap(({ event, payload }) =>
      event === "session.changed" ? [(payload as { sessionKey: string }).sessionKey] : [],
    );
  await until(() => keys().length >= 7);
  assert.deepEqual(keys(), [key, ...Array.from({ length: 6 }, (_, each) => `agent:main:${each}`)]);
  assert.deepEqual([seen.gaps, seen.problems], [0, []]);
});
