/** What every embedder behind an HTTP address must make of the faults there, beside the suite for all (`embedder.ts`). */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { createEmbedder, type EmbedderConfig } from "../../src/memory/embed/index.ts";
import { createFakeClock, type FakeClock } from "../fakes/clock.ts";
import { createEmbedServer, type EmbedFault, type EmbedServer } from "../fakes/embed-server.ts";
import { silentLog } from "../fakes/log.ts";
import { testEmbedder } from "./embedder.ts";

export interface RemoteCase {
  kind: "openai" | "gemini" | "ollama";
  config(server: EmbedServer): EmbedderConfig;
  id: RegExp;
  key: string;
  /** Of the vectors that the service gives. */
  dimensions: number;
}

export async function openRemote(t: TestContext, remote: RemoteCase, more: Partial<EmbedderConfig> = {}) {
  const server = await createEmbedServer(t, remote.kind);
  server.dimensions = remote.dimensions;
  const clock = createFakeClock();
  const keyOf = async () => undefined;
  const config = { ...remote.config(server), ...more };
  const embedder = await createEmbedder({ fetch, clock, log: silentLog, keyOf }, config);
  assert.ok(!("unavailable" in embedder));
  t.after(() => embedder.close());
  return { embedder, server, clock };
}

const fill = (list: unknown, value: number) => (Array.isArray(list) ? list.map(() => value) : list);

/** A fault, and what is thrown for it. */
const faults: { name: string; fault: EmbedFault; thrown: { code: string; retryable: boolean; status?: number } }[] = [
  {
    name: "500",
    fault: { type: "status", status: 500, body: '{"error":{"message":"oops"}}' },
    thrown: { code: "EMBED_UNAVAILABLE", retryable: true, status: 500 },
  },
  {
    name: "503 with a page",
    fault: { type: "status", status: 503, body: "<html>busy</html>" },
    thrown: { code: "EMBED_UNAVAILABLE", retryable: true, status: 503 },
  },
  {
    name: "401",
    fault: { type: "status", status: 401 },
    thrown: { code: "EMBED_AUTH", retryable: false, status: 401 },
  },
  {
    name: "403",
    fault: { type: "status", status: 403 },
    thrown: { code: "EMBED_AUTH", retryable: false, status: 403 },
  },
  {
    name: "404",
    fault: { type: "status", status: 404, body: '{"error":"model not found"}' },
    thrown: { code: "EMBED_MODEL_UNKNOWN", retryable: false, status: 404 },
  },
  {
    name: "400",
    fault: { type: "status", status: 400 },
    thrown: { code: "EMBED_REFUSED", retryable: false, status: 400 },
  },
  { name: "a cut answer", fault: { type: "cut" }, thrown: { code: "EMBED_UNAVAILABLE", retryable: true } },
  {
    name: "no JSON",
    fault: { type: "body", body: "hello" },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "other JSON",
    fault: { type: "body", body: '{"ok":true}' },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  { name: "null", fault: { type: "body", body: "null" }, thrown: { code: "EMBED_ANSWER_INVALID", retryable: false } },
  {
    name: "one vector too few",
    fault: { type: "lists", change: (lists) => lists.slice(1) },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "one vector too many",
    fault: { type: "lists", change: (lists) => [...lists, lists[0]] },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "a number that is none",
    fault: { type: "lists", change: (lists) => lists.map(() => [1, null, 3]) },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "zeros",
    fault: { type: "lists", change: (lists) => lists.map((list) => fill(list, 0)) },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "numbers beyond measure",
    fault: { type: "lists", change: (lists) => lists.map((list) => fill(list, 1e300)) },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "an empty vector",
    fault: { type: "lists", change: (lists) => lists.map(() => []) },
    thrown: { code: "EMBED_ANSWER_INVALID", retryable: false },
  },
  {
    name: "vectors of two lengths",
    fault: { type: "lists", change: (lists) => lists.map((_each, n) => [1, 2, 3].slice(n)) },
    thrown: { code: "EMBED_DIMENSION", retryable: false },
  },
];

export function testRemoteEmbedder(name: string, remote: RemoteCase): void {
  testEmbedder(name, { id: remote.id, open: async (t) => (await openRemote(t, remote)).embedder });

  describe(`embedder over the wire: ${name}`, () => {
    for (const { name: what, fault, thrown } of faults) {
      test(`${what}: ${thrown.code}, and the next call is served`, async (t) => {
        const { embedder, server } = await openRemote(t, remote);
        server.faults.push(fault);
        await assert.rejects(embedder.embed(["one", "two"], "document"), (error) => matches(error, thrown, remote.key));
        assert.equal(server.requests.length, 1, "nothing is tried again by itself");
        assert.equal((await embedder.embed(["one", "two"], "document")).length, 2);
      });
    }

    for (const [header, expectedMs] of [
      ["7", 7000],
      ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
      ["soon", undefined],
    ] as const) {
      test(`429 with Retry-After ${header}`, async (t) => {
        const { embedder, server } = await openRemote(t, remote);
        server.faults.push({ type: "status", status: 429, headers: { "retry-after": header } });
        await assert.rejects(embedder.embed(["one"], "document"), {
          code: "EMBED_RATE_LIMIT",
          retryable: true,
          status: 429,
          retryAfterMs: expectedMs,
        });
      });
    }

    test("silence: given up after the time that a question and a document have", async (t) => {
      const { embedder, server, clock } = await openRemote(t, remote);
      for (const [purpose, limitMs] of [
        ["query", 15_000],
        ["document", 60_000],
      ] as const) {
        server.faults.push({ type: "silence" });
        await assert.rejects(whileWaiting(embedder.embed(["one"], purpose), server, clock, limitMs), {
          code: "EMBED_TIMED_OUT",
          retryable: true,
        });
      }
      assert.equal(clock.pending, 0);
    });

    test("aborted in the middle of a silence", async (t) => {
      const { embedder, server } = await openRemote(t, remote);
      const stop = new AbortController();
      server.faults.push({ type: "silence" });
      const running = embedder.embed(["one"], "query", stop.signal);
      void server.seen(1).then(() => stop.abort());
      await assert.rejects(running, { code: "ABORTED" });
    });

    test("sent elsewhere: nobody else gets the key or the text", async (t) => {
      const { embedder, server } = await openRemote(t, remote);
      const other = await openRemote(t, remote);
      await other.embedder.embed(["one"], "document");
      const location = other.server.url + (other.server.requests[0]?.path ?? "");
      for (const status of [301, 307, 308]) {
        server.faults.push({ type: "status", status, headers: { location } });
        await assert.rejects(embedder.embed(["one"], "document"), { code: "EMBED_UNAVAILABLE" });
      }
      assert.equal(other.server.requests.length, 1);
    });

    test("nobody there", async (t) => {
      const { embedder } = await openRemote(t, remote, { baseUrl: "http://127.0.0.1:9/v1" });
      await assert.rejects(embedder.embed(["one"], "query"), { code: "EMBED_UNAVAILABLE", retryable: true });
    });

    test("the second batch fails: the whole call does, with nothing half", async (t) => {
      const { embedder, server } = await openRemote(t, remote);
      server.faults.push({ type: "lists", change: (lists) => lists }, { type: "status", status: 500 });
      const texts = Array.from({ length: embedder.batchSize + 1 }, (_each, n) => `text ${n}`);
      await assert.rejects(embedder.embed(texts, "document"), { code: "EMBED_UNAVAILABLE" });
      assert.deepEqual(
        server.requests.map((request) => request.texts.length),
        [embedder.batchSize, 1],
      );
    });

    test("a model that changes its length from one call to the next is noticed", async (t) => {
      const { embedder, server } = await openRemote(t, remote);
      await embedder.embed(["one"], "document");
      server.dimensions = 32;
      await assert.rejects(embedder.embed(["one"], "document"), { code: "EMBED_DIMENSION", retryable: false });
    });

    test("the key is in a header and nowhere else", async (t) => {
      const { embedder, server } = await openRemote(t, remote);
      await embedder.embed(["one"], "document");
      const [{ headers, body, path }] = server.requests as [(typeof server.requests)[number]];
      assert.ok(Object.values(headers).some((value) => value.includes(remote.key)));
      assert.ok(!JSON.stringify(body).includes(remote.key) && !path.includes(remote.key));
      for (const status of [400, 401, 404, 500]) {
        const said = JSON.stringify({ error: { message: `bad key ${remote.key} \u001b[31m` } });
        server.faults.push({ type: "status", status, body: said });
        const error = await embedder.embed(["one"], "document").catch((thrown: unknown) => thrown);
        assert.ok(error instanceof Error && !error.message.includes(remote.key), String(error));
        assert.ok(!error.message.includes("\u001b"), "nothing for a terminal to obey");
      }
    });
  });
}

/** Lets the request arrive, then the time pass. */
async function whileWaiting<T>(running: Promise<T>, server: EmbedServer, clock: FakeClock, ms: number): Promise<T> {
  const count = server.requests.length + 1;
  running.catch(() => {});
  await server.seen(count);
  await clock.advance(ms - 1);
  assert.equal(clock.pending, 1, "not before its time");
  await clock.advance(1);
  return running;
}

function matches(error: unknown, thrown: { code: string; retryable: boolean; status?: number }, key: string): boolean {
  assert.ok(error instanceof Error);
  const facts = error as Error & { code?: string; retryable?: boolean; status?: number };
  assert.equal(facts.code, thrown.code);
  assert.equal(facts.retryable, thrown.retryable);
  if (thrown.status !== undefined) assert.equal(facts.status, thrown.status);
  assert.ok(!error.message.includes(key));
  return true;
}
