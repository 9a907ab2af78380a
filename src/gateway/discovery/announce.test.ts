/** mom is found in the network by whoever asks for her service, and by nothing that she should not say. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { hostname } from "node:os";
import { type TestContext, test } from "node:test";
import { Bonjour, type Service } from "bonjour-service";
import { createRecordingLog, silentLog } from "../../../test/fakes/log.ts";
import { announce } from "./announce.ts";

const address = "127.0.0.1";
const group = "224.0.0.251";

/** A free port, or why this machine has no multicast on loopback. */
async function findMulticast(): Promise<{ port: number } | { reason: string }> {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  try {
    socket.bind(0, "0.0.0.0");
    await once(socket, "listening");
    const { port } = socket.address();
    socket.addMembership(group, address);
    socket.setMulticastInterface(address);
    socket.setMulticastLoopback(true);
    const heard = once(socket, "message", { signal: AbortSignal.timeout(2_000) });
    socket.send("hello", port, group);
    await heard;
    return { port };
  } catch (error) {
    return { reason: `no multicast on loopback here: ${error instanceof Error ? error.message : error}` };
  } finally {
    socket.close();
  }
}

function find(test: TestContext, port: number): Promise<Service> {
  const asking = new Bonjour({ interface: address, port, bind: "0.0.0.0" } as object);
  test.after(() => asking.destroy());
  return new Promise((resolve) => void asking.find({ type: "mom-gw" }, resolve));
}

test("whoever asks finds the port, and nothing of the machine", { timeout: 10_000 }, async (test) => {
  const multicast = await findMulticast();
  if ("reason" in multicast) return test.skip(multicast.reason);
  const { port } = multicast;
  const end = announce({ port: 18_800, log: silentLog, network: { interface: address, port } });
  test.after(end);
  const found = await find(test, port);
  assert.equal(found.port, 18_800);
  assert.match(found.name, /^mom [0-9a-f]{6}$/);
  assert.match(found.host, /^mom-[0-9a-f]{6}\.local$/);
  assert.deepEqual(found.txt, { protocol: "1" });
  assert.ok(!JSON.stringify([found.name, found.host, found.fqdn, found.txt]).includes(hostname()));
  end();
  end();
});

test("a port that cannot be had is a warning, not the end of mom", { timeout: 10_000 }, async () => {
  const taken = createSocket({ type: "udp4", reuseAddr: false });
  taken.bind(0, "0.0.0.0");
  await once(taken, "listening");
  const log = createRecordingLog();
  const end = announce({ port: 1, log, network: { interface: address, port: taken.address().port } });
  while (log.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(log.lines[0]?.text ?? "", /cannot be told/);
  end();
  taken.close();
});
