/** Every embedder on the suites: those over the wire against services on loopback, the local one as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSystemClock } from "../../src/base/clock.ts";
import { createEmbedder, type EmbedderConfig, type EmbedderDeps } from "../../src/memory/embed/index.ts";
import { silentLog } from "../fakes/log.ts";
import { testEmbedder } from "./embedder.ts";
import { openRemote, type RemoteCase, testRemoteEmbedder } from "./embedder-remote.ts";

const key = "test-secret-4711-abcdef";

const remotes = {
  openai: {
    kind: "openai",
    config: ({ url }) => ({ type: "openai", baseUrl: `${url}/v1`, apiKey: key }),
    id: /^openai\/text-embedding-3-small$/,
    key,
    dimensions: 64,
  },
  gemini: {
    kind: "gemini",
    config: ({ url }) => ({ type: "gemini", baseUrl: `${url}/v1beta`, apiKey: key }),
    id: /^gemini\/gemini-embedding-001@768$/,
    key,
    dimensions: 768,
  },
  ollama: {
    kind: "ollama",
    config: ({ url }) => ({ type: "ollama", baseUrl: url, apiKey: key }),
    id: /^ollama\/nomic-embed-text\+search_document:$/,
    key,
    dimensions: 64,
  },
  compatible: {
    kind: "openai",
    config: ({ url }) => ({ type: "compatible", baseUrl: `${url}/v1/`, model: "bge-m3", apiKey: key }),
    id: /^compatible\/127\.0\.0\.1:\d+\/bge-m3$/,
    key,
    dimensions: 64,
  },
} satisfies Record<string, RemoteCase>;

for (const [name, remote] of Object.entries(remotes)) testRemoteEmbedder(name, remote);

const deps: EmbedderDeps = {
  fetch: () => Promise.reject(new Error("nothing may be sent")),
  clock: createSystemClock(),
  log: silentLog,
  keyOf: async () => undefined,
};

testEmbedder("local", {
  isSlow: true,
  id: /^local\/minilm-l6-v2(\+cedict)?$/,
  open: async () => {
    const embedder = await createEmbedder(deps, { type: "local" });
    assert.ok(!("unavailable" in embedder), "the optional packages are installed here");
    return embedder;
  },
});

test("OpenAI is asked for its model, and for fewer dimensions where that is configured", async (t) => {
  const { embedder, server } = await openRemote(t, remotes.openai, { dimensions: 64, model: "text-embedding-3-large" });
  await embedder.embed(["a", "b"], "document");
  assert.deepEqual(server.requests[0]?.body, { model: "text-embedding-3-large", input: ["a", "b"], dimensions: 64 });
  assert.equal(server.requests[0]?.headers["authorization"], `Bearer ${key}`);
  assert.equal(embedder.id, "openai/text-embedding-3-large@64");
});

test("fewer dimensions that the service does not give are noticed at once", async (t) => {
  const { embedder } = await openRemote(t, remotes.openai, { dimensions: 256 });
  await assert.rejects(embedder.embed(["a"], "document"), { code: "EMBED_DIMENSION" });
});

test("Gemini is told what a vector is for, and its key goes in its own header", async (t) => {
  const { embedder, server } = await openRemote(t, remotes.gemini);
  await embedder.embed(["a"], "document");
  await embedder.embed(["b"], "query");
  const types = server.requests.map(({ body }) => (body["requests"] as { taskType: string }[])[0]?.taskType);
  assert.deepEqual(types, ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]);
  assert.equal(server.requests[0]?.headers["x-goog-api-key"], key);
  assert.equal(server.requests[0]?.headers["authorization"], undefined);
});

test("Ollama's usual model gets the words it was trained with; others none, or those configured", async (t) => {
  const usual = await openRemote(t, remotes.ollama);
  await usual.embedder.embed(["a"], "document");
  await usual.embedder.embed(["b"], "query");
  assert.deepEqual(
    usual.server.requests.map(({ texts }) => texts),
    [["search_document: a"], ["search_query: b"]],
  );
  const other = await openRemote(t, remotes.ollama, { model: "bge-m3", queryPrefix: "q: " });
  await other.embedder.embed(["a"], "document");
  await other.embedder.embed(["b"], "query");
  assert.deepEqual(
    other.server.requests.map(({ texts }) => texts),
    [["a"], ["q: b"]],
  );
});

test("a compatible service without a key is asked without one", async (t) => {
  const { embedder, server } = await openRemote(t, remotes.compatible, { apiKey: undefined });
  await embedder.embed(["a"], "document");
  assert.equal(server.requests[0]?.headers["authorization"], undefined);
});

test("the key of the models is used where the config has none of its own", async (t) => {
  const { server } = await openRemote(t, remotes.openai);
  const asked: string[] = [];
  const keyOf = async (provider: string) => {
    asked.push(provider);
    return "key-of-the-models";
  };
  const config: EmbedderConfig = { type: "openai", baseUrl: `${server.url}/v1` };
  const embedder = await createEmbedder({ ...deps, fetch, keyOf }, config);
  assert.ok(!("unavailable" in embedder));
  await embedder.embed(["a"], "query");
  assert.deepEqual(asked, ["openai"]);
  assert.equal(server.requests[0]?.headers["authorization"], "Bearer key-of-the-models");
});

test("why there is none: turned off, not installed, no key, no address", async () => {
  const findLocal = () => ({ hasModel: false });
  const keyOf = async () => "a key that auto must not use";
  const cases: [EmbedderConfig, RegExp][] = [
    [{ type: "none" }, /turned off/],
    [{ type: "auto" }, /not installed .*no service is named/],
    [{ type: "local" }, /npm install @lat\.md\/embed/],
    [{ type: "compatible", model: "m" }, /baseUrl/],
  ];
  for (const [config, reason] of cases) {
    const made = await createEmbedder({ ...deps, keyOf, findLocal }, config);
    assert.ok("unavailable" in made, `${config.type} gave an embedder`);
    assert.match(made.unavailable, reason);
  }
  const keyless = await createEmbedder(deps, { type: "openai" });
  assert.deepEqual(keyless, { unavailable: "there is no key for openai" });
});
