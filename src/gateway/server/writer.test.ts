import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createWriter } from "./writer.ts";

/** Both ends of a real connection; the other one does not read. */
async function openPair(t: TestContext) {
  const http = createServer().listen(0, "127.0.0.1");
  const server = new WebSocketServer({ noServer: true });
  await once(http, "listening");
  const upgrade = once(http, "upgrade") as Promise<[IncomingMessage, Duplex, Buffer]>;
  const other = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const [request, raw, head] = await upgrade;
  const accepted = Promise.withResolvers<WebSocket>();
  server.handleUpgrade(request, raw, head, accepted.resolve);
  const socket = await accepted.promise;
  await once(other, "open");
  other.pause();
  t.after(() => {
    other.terminate();
    socket.terminate();
    http.close();
  });
  return { writer: createWriter(socket, raw, createFakeClock()), socket, other };
}

const megabyte = "x".repeat(1024 * 1024);
const settle = () => new Promise(setImmediate);

test("events pile up to four megabytes beyond what the system takes", async (t) => {
  const { writer, socket } = await openPair(t);
  let told = 0;
  while (writer.sendEvent(Buffer.from(megabyte))) {
    told++;
    await settle();
    assert.ok(socket.bufferedAmount < 6 * 1024 * 1024);
  }
  assert.ok(told >= 4);
  assert.equal(writer.isOpen, false);
});

test("answers do not make events late, but are bounded themselves", async (t) => {
  const { writer, other } = await openPair(t);
  for (let n = 0; n < 12; n++) {
    writer.sendAnswer({ megabyte });
    await settle();
  }
  assert.equal(writer.sendEvent(Buffer.from("event")), true);
  for (let n = 0; n < 40 && writer.isOpen; n++) {
    writer.sendAnswer({ megabyte });
    await settle();
  }
  assert.equal(writer.isOpen, false);
  const closed = once(other, "close");
  other.resume();
  assert.equal((await closed)[0], 4008);
});

test("who reads again has nothing held against it", async (t) => {
  const { writer, socket, other } = await openPair(t);
  for (let n = 0; n < 12; n++) writer.sendAnswer({ megabyte });
  other.resume();
  while (socket.bufferedAmount > 0) await settle();
  for (let n = 0; n < 4; n++) {
    assert.equal(writer.sendEvent(Buffer.from(megabyte)), true);
    await settle();
  }
});

test("what is sent after the end is not sent", async (t) => {
  const { writer, other } = await openPair(t);
  const came: string[] = [];
  other.on("message", (data) => came.push(String(data)));
  writer.sendAnswer({ n: 1 });
  writer.close(4003, "over");
  writer.close(4000, "twice is once");
  writer.sendAnswer({ n: 2 });
  assert.equal(writer.sendEvent(Buffer.from("3")), false);
  const closed = once(other, "close");
  other.resume();
  assert.equal((await closed)[0], 4003);
  assert.deepEqual(came, ['{"n":1}']);
});
