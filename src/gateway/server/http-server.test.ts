/** Requests that are sent on and on without waiting for an answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { silentLog } from "../../../test/fakes/log.ts";
import { createHttpServer } from "./http-server.ts";

const ask = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function openStage(t: TestContext) {
  const asked: ServerResponse[] = [];
  const server = createHttpServer({
    answer: async (_request, response) => void asked.push(response),
    upgrade: (_request, socket) => socket.destroy(),
    maxConnections: 9,
    log: silentLog,
  });
  const { port } = await server.listen("127.0.0.1", 0);
  t.after(() => {
    const closed = server.close();
    server.terminate();
    return closed;
  });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  const whenAsked = async (count: number) => {
    while (asked.length < count) await new Promise(setImmediate);
  };
  return { asked, socket, whenAsked };
}

test("sixteen requests of a connection may wait for their answers, and one more ends it", {
  timeout: 20_000,
}, async (t) => {
  const { asked, socket, whenAsked } = await openStage(t);
  socket.write(ask.repeat(16));
  await whenAsked(16);
  const closed = once(socket.resume(), "close");
  socket.write(ask.repeat(40));
  await closed;
  assert.equal(asked.length, 16);
});

test("what is answered does not count any more", { timeout: 20_000 }, async (t) => {
  const { asked, socket, whenAsked } = await openStage(t);
  socket.resume();
  for (let round = 1; round <= 4; round++) {
    socket.write(ask.repeat(16));
    await whenAsked(16 * round);
    const last = asked.slice(-16);
    const closed = last.map((response) => once(response, "close"));
    for (const response of last) response.end("ok");
    await Promise.all(closed);
  }
  assert.equal(socket.destroyed, false);
});
