/** A device that may talk is not an admin: not by method, and not by what it says. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import type { App } from "../../src/app/index.ts";
import { type Auth, createGatewayClient } from "../../src/gateway/client/index.ts";
import type { Scope } from "../../src/gateway/protocol/index.ts";
import { createGatewayWorld, mainKey, newKey } from "./gateway-world.ts";
import { waitFor } from "./world.ts";

type DeviceAuth = Extract<Auth, { device: unknown }>["device"];

function createDevice(code: string, scopes: Scope[]): DeviceAuth {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = createHash("sha256")
    .update(Buffer.concat([x, y].map((part) => Buffer.from(part, "base64url"))))
    .digest("base64url");
  return {
    id,
    publicKey: { x, y },
    code,
    scopes,
    sign: async (text) =>
      sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url"),
  };
}

async function connectDevice(app: App, device: DeviceAuth) {
  const client = createGatewayClient({
    url: `${app.url?.replace("http", "ws")}/ws`,
    hello: { client: { id: "d", version: "0", platform: "test", mode: "app" }, getAuth: async () => ({ device }) },
    onState: () => undefined,
    onEvent: () => undefined,
    onGap: () => undefined,
  });
  client.start();
  await waitFor(() => client.state.type === "open");
  return client;
}

test("it talks in the owner's session, and is refused what admins are asked for", { timeout: 60_000 }, async (t) => {
  const world = await createGatewayWorld(t, {
    config: { gateway: { port: 0 }, sandbox: { mode: "host" }, tools: { exec: { approvals: "ask" } } },
    respond(request) {
      const messages = request.body["messages"] as { role: string }[];
      if (messages.at(-1)?.role === "tool") return { type: "answer", text: "over" };
      return { type: "answer", toolCalls: [{ name: "bash", arguments: { command: "echo ran" } }] };
    },
  });
  const app = await world.start();
  const owner = await world.connect(app);
  const { code } = await owner.call("device-pair.code", { scopes: ["read", "write"] });
  const device = await connectDevice(app, createDevice(code, ["read", "write"]));
  t.after(() => device.stop());
  const tell = (message: string) => device.call("chat.send", { message, idempotencyKey: newKey() });

  const { turnId, sessionKey } = await tell("run it");
  assert.equal(sessionKey, mainKey);
  await waitFor(async () => (await owner.call("approvals.list", {})).approvals.length === 1);
  const [asked] = (await owner.call("approvals.list", {})).approvals;
  await assert.rejects(device.call("approvals.resolve", { id: asked?.id ?? "", verdict: "once" }), {
    code: "FORBIDDEN",
  });
  for (const said of [
    `/approve ${asked?.id} once`,
    "/allowlist add ls",
    "/settings logging.level debug",
    "/logout lab",
  ]) {
    const refused = await tell(said);
    await owner.ended(refused.turnId);
    const { reply } = await owner.call("agent.wait", { turnId: refused.turnId });
    assert.match(reply, /admin/i, said);
  }
  assert.equal((await owner.call("approvals.list", {})).approvals.length, 1, "nobody has answered it");
  await owner.call("approvals.resolve", { id: asked?.id ?? "", verdict: "deny" });
  await owner.ended(turnId);
});
