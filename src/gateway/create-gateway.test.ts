/** The life of the gateway: port, files that tell of it, end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createGatewayHouse } from "../../test/fakes/gateway-house.ts";
import { createGatewayRig, stopNow } from "../../test/fakes/gateway-rig.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { gatewayConfig, loadGateway } from "./index.ts";

async function build(t: TestContext, config: object) {
  const clock = createFakeClock();
  const { house, folder } = await createGatewayHouse(t, { clock });
  const create = await loadGateway();
  const deps = { house, clock, log: silentLog, stateDir: join(folder.dir, "state"), uiDir: undefined };
  const gateway = create(deps, gatewayConfig.parse(config));
  t.after(() => stopNow(gateway, clock));
  return gateway;
}

/** Somebody else may have it already: that is as good. */
async function takePort(t: TestContext, port = 0): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening").catch(() => undefined);
  t.after(() => server.close());
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

test("a port that was asked for and is taken is an error with a hint", async (t) => {
  const port = await takePort(t);
  const gateway = await build(t, { port });
  await assert.rejects(gateway.start(), { code: "GATEWAY_PORT_TAKEN" });
});

test("where no port was asked for and the usual one is taken, another is used", async (t) => {
  await takePort(t, 18_800);
  const gateway = await build(t, {});
  const { url } = await gateway.start();
  assert.notEqual(new URL(url).port, "18800");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("an address that this machine does not have is an error", async (t) => {
  const gateway = await build(t, { host: "192.0.2.1", port: 0 });
  await assert.rejects(gateway.start(), { code: "GATEWAY_CANNOT_LISTEN" });
});

test("while it runs state/gateway.json says where", async (t) => {
  const rig = await createGatewayRig(t);
  const path = join(rig.stateDir, "gateway.json");
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), { url: rig.url, pid: process.pid });
  await rig.gateway.stop("done");
  await assert.rejects(access(path));
});

test("stopping tells everybody, closes everything and the port", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  const stranger = await rig.dial();
  const idle = await rig.connect();
  const idleEnd = once(idle.resume(), "close");
  const halfway = await rig.connect();
  halfway.write("GET / HTTP/1.1\r\nHost: localhost\r\n");
  const halfwayEnd = once(halfway.resume(), "close");
  const stopped = rig.gateway.stop("We close");
  const { payload } = await client.next((frame) => frame.event === "shutdown");
  assert.deepEqual(payload, { reason: "We close" });
  assert.deepEqual(await client.closed, { code: 1001, reason: "We close" });
  await rig.clock.advance(1_000);
  await Promise.all([stopped, stranger.closed, idleEnd, halfwayEnd]);
  await assert.rejects(rig.ask("/healthz"), { code: "ECONNREFUSED" });
  await rig.gateway.stop("again");
});

test("a client that does not say goodbye does not hold up the end", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  client.socket.pause();
  const stopped = rig.gateway.stop("We close");
  await rig.clock.advance(1_000);
  await stopped;
  assert.equal(rig.gateway.stats().connections, 0);
});

test("nothing is left that would keep the process", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  await client.call("events.subscribe", { sessions: "all", logs: true });
  await client.call("files.upload", { filename: "a", size: 1 });
  const closed = client.closed;
  await rig.gateway.stop("done");
  await closed;
  assert.equal(rig.clock.pending, 0);
});

test("mDNS is asked for only where it is wanted and the host is more than this machine", async (t) => {
  const announced: number[] = [];
  const ended: number[] = [];
  const loadDiscovery = async () => {
    return ({ port }: { port: number }) => {
      announced.push(port);
      return () => void ended.push(port);
    };
  };
  await createGatewayRig(t, { config: { mdns: true }, loadDiscovery });
  await createGatewayRig(t, { config: { host: "0.0.0.0" }, loadDiscovery });
  assert.deepEqual(announced, []);
  const rig = await createGatewayRig(t, { config: { host: "0.0.0.0", mdns: true }, loadDiscovery });
  assert.deepEqual(announced, [rig.port]);
  await stopNow(rig.gateway, rig.clock);
  assert.deepEqual(ended, [rig.port]);
});

test("what the web chat changes is told to followers of the session", async (t) => {
  const rig = await createGatewayRig(t);
  const client = await rig.enter();
  await client.call("events.subscribe", { sessions: "all" });
  rig.house.script = (turn) => turn.end("hello");
  const { result } = await client.call("chat.send", { message: "hi", idempotencyKey: "key-0001" });
  const post = await client.next((frame) => frame.event === "chat.post");
  rig.gateway.screen.edited("main", post.payload.deliveryId, "changed");
  const { payload, sessionKey } = await client.next((frame) => frame.event === "chat.edit");
  assert.deepEqual(
    [payload.deliveryId, payload.text, sessionKey],
    [post.payload.deliveryId, "changed", result.sessionKey],
  );
});
