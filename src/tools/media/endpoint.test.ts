/** Every way in which an endpoint can fail, on real HTTP. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createMediaServer, type MediaReply } from "../../../test/fakes/media-server.ts";
import { pickEndpoint, postJson } from "./endpoint.ts";

const key = "sk-test-0123456789";

async function createStage(t: TestContext, apiKey: string | undefined = key) {
  const server = await createMediaServer();
  t.after(() => server.close());
  const clock = createFakeClock();
  const stopping = new AbortController();
  const endpoint = pickEndpoint({ baseUrl: `${server.url}/`, apiKey }, "tools.tts");
  assert.ok(endpoint);
  const call = (reply: MediaReply) => {
    server.replies.push(reply);
    const limits = { maxBytes: 1_000_000, timeoutMs: 5000, signal: stopping.signal, clock };
    return postJson(endpoint, "/audio/speech", { input: "hi" }, limits);
  };
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { server, clock, stopping, call, until };
}

test("the request carries the key, the answer its kind", async (t) => {
  const { server, call, clock } = await createStage(t);
  const answer = await call({ type: "sound", bytes: new Uint8Array([1, 2, 3]), contentType: "Audio/MPEG; rate=1" });
  assert.deepEqual([answer.contentType, [...answer.bytes]], ["audio/mpeg", [1, 2, 3]]);
  const [request] = server.requests;
  assert.deepEqual(
    [request?.method, request?.path, request?.headers.authorization, request?.body],
    ["POST", "/v1/audio/speech", `Bearer ${key}`, { input: "hi" }],
  );
  assert.equal(clock.pending, 0, "no timer is left");
});

test("an endpoint without a key is asked without one", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const endpoint = pickEndpoint({ baseUrl: server.url }, "tools.tts");
  assert.ok(endpoint);
  server.replies.push({ type: "sound", bytes: new Uint8Array(1) });
  const limits = { maxBytes: 9, timeoutMs: 5000, signal: new AbortController().signal, clock: createFakeClock() };
  await postJson(endpoint, "/audio/speech", {}, limits);
  assert.equal(server.requests[0]?.headers.authorization, undefined);
  assert.equal(pickEndpoint({}, "tools.tts"), undefined);
  assert.equal(pickEndpoint({ apiKey: key }, "tools.tts")?.baseUrl, "https://api.openai.com/v1");
});

test("what the endpoint refuses is said with its reason and the fix, never with the key", async (t) => {
  const { call } = await createStage(t);
  const error = (message: string) => JSON.stringify({ error: { message, type: "x" } });
  await assert.rejects(call({ type: "status", status: 401, body: error(`Incorrect API key: ${key}.`) }), {
    code: "MEDIA_KEY_REFUSED",
    message: /answered 401: Incorrect API key: \[key\]\.$/,
    hint: "The operator must check tools.tts.apiKey.",
  });
  await assert.rejects(call({ type: "status", status: 403 }), { code: "MEDIA_KEY_REFUSED", message: /answered 403$/ });
  await assert.rejects(call({ type: "status", status: 429, headers: { "retry-after": "7" }, body: error("slow") }), {
    code: "MEDIA_BUSY",
    hint: "Try again in 7 s.",
    retryable: true,
  });
  await assert.rejects(call({ type: "status", status: 429 }), { code: "MEDIA_BUSY", hint: "Try again later." });
  await assert.rejects(call({ type: "status", status: 400, body: error("content\u001b[2J policy") }), {
    code: "MEDIA_REFUSED",
    message: /answered 400: content\\u001b\[2J policy$/,
  });
  await assert.rejects(call({ type: "status", status: 404, body: '{"error":"no such model"}' }), {
    code: "MEDIA_REFUSED",
    message: /404: no such model$/,
  });
});

test("faults of the endpoint may pass", async (t) => {
  const { call } = await createStage(t);
  const passing = { code: "MEDIA_UNREACHABLE", retryable: true };
  await assert.rejects(call({ type: "status", status: 500, body: "<html><h1>Bad\ngateway</h1>" }), {
    ...passing,
    message: /answered 500: Bad gateway$/,
  });
  const long = call({ type: "status", status: 503, body: "x".repeat(100_000) });
  await assert.rejects(long, (error: Error) => error.message.length < 400);
  await assert.rejects(call({ type: "cut" }), passing);
});

test("a redirect is not followed, least of all with the key", async (t) => {
  const { server, call } = await createStage(t);
  const elsewhere = await createMediaServer();
  t.after(() => elsewhere.close());
  for (const status of [301, 302, 307, 308]) {
    const headers = { location: `${elsewhere.url}/audio/speech` };
    await assert.rejects(call({ type: "status", status, headers }), { code: "MEDIA_UNREACHABLE" });
  }
  assert.deepEqual([server.requests.length, elsewhere.requests.length], [4, 0]);
});

test("an answer beyond the limit is cut off while it comes", async (t) => {
  const { server, call } = await createStage(t);
  const reply: MediaReply = { type: "oversize", bytes: 1_000_000_000, contentType: "audio/mpeg" };
  await assert.rejects(call(reply), { code: "MEDIA_TOO_BIG", message: /more than 977 KB$/ });
  await server.requests[0]?.closed;
});

test("an endpoint that says nothing is given up in time", async (t) => {
  const { server, clock, call, until } = await createStage(t);
  const calling = call({ type: "silence" });
  await until(() => server.requests.length === 1);
  const failing = assert.rejects(calling, { code: "MEDIA_TIMED_OUT", message: /within 5 s$/, retryable: true });
  await clock.advance(4999);
  assert.equal(clock.pending, 1);
  await clock.advance(1);
  await failing;
  await server.requests[0]?.closed;
});

test("a stop ends the call at once", async (t) => {
  const { server, stopping, call, until } = await createStage(t);
  const calling = call({ type: "silence" });
  await until(() => server.requests.length === 1);
  stopping.abort();
  await assert.rejects(calling, { code: "ABORTED" });
  await server.requests[0]?.closed;
});

test("nobody listens there", async (t) => {
  const { server, call } = await createStage(t);
  await server.close();
  await assert.rejects(call({ type: "silence" }), {
    code: "MEDIA_UNREACHABLE",
    message: /could not be reached: .*ECONNREFUSED/,
    hint: /tools\.tts\.baseUrl/,
  });
});
