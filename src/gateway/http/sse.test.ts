import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { serveRoutes } from "../../../test/fakes/route-server.ts";
import type { Exchange } from "../parts.ts";
import { openEventStream } from "./sse.ts";

/** A client that asks and then reads nothing until it is told to. */
async function askWithoutReading(t: TestContext, handle: (exchange: Exchange) => Promise<void>) {
  const url = new URL(await serveRoutes(t, [{ method: "GET", path: "/stream", auth: "none", handle }]));
  const socket = connect(Number(url.port), "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  t.after(() => socket.destroy());
  return socket;
}

describe("a stream of events", () => {
  test("goes no faster than it is read, and has everything in the end", async (t) => {
    const clock = createFakeClock();
    const total = 2_000;
    let sent = 0;
    const isStuck = Promise.withResolvers<void>();
    const socket = await askWithoutReading(t, async ({ response }) => {
      const stream = openEventStream({ response, clock }, {});
      for (; sent < total; sent++) {
        if (response.writableNeedDrain) assert.fail("written although there was no room");
        const sending = stream.send({ n: sent, text: "x".repeat(10_000) });
        if (response.writableNeedDrain) isStuck.resolve();
        await sending;
      }
      stream.end("[DONE]");
    });
    await isStuck.promise;
    assert.ok(sent < total, "all of it was written although nobody reads");
    let tail = "";
    let bytes = 0;
    const isDone = Promise.withResolvers<void>();
    socket.on("data", (data) => {
      bytes += data.length;
      tail = (tail + String(data)).slice(-15_000);
      if (tail.includes("data: [DONE]")) isDone.resolve();
    });
    socket.resume();
    await isDone.promise;
    assert.equal(sent, total);
    assert.ok(bytes > total * 10_000);
    assert.ok(tail.includes(`"n":${total - 1}`));
  });

  test("is hung up when nothing is read for a minute", async (t) => {
    const clock = createFakeClock();
    const closed = Promise.withResolvers<void>();
    const isStuck = Promise.withResolvers<void>();
    await askWithoutReading(t, async ({ response, signal }) => {
      response.once("close", () => closed.resolve());
      const stream = openEventStream({ response, clock }, {});
      while (!signal.aborted) {
        const sending = stream.send("x".repeat(100_000));
        if (response.writableNeedDrain) isStuck.resolve();
        await sending;
      }
    });
    await isStuck.promise;
    // The last bit of room may be found only now.
    while (clock.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    await clock.advance(60_000);
    await closed.promise;
    assert.equal(clock.pending, 0);
  });
});
