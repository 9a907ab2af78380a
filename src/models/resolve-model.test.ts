/** From a name, or none, to a model: with keys from everywhere, with an Ollama that answers and one that does not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createOllamaServer } from "../../test/fakes/ollama-server.ts";
import { loadProvider } from "./catalog.ts";
import { modelsConfig } from "./config.ts";
import { explainMissing, type Lookup, listModels, resolveModel } from "./resolve-model.ts";
import { buildSources } from "./sources.ts";

const local = { api: "openai-responses", baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "small" }] };
/** Nobody is there, also on a machine with an Ollama. */
const nowhere = { OLLAMA_HOST: "127.0.0.1:1" };

function createLookup(config: object = {}, env: Record<string, string> = {}, profiles: string[] = []): Lookup {
  const parsed = modelsConfig.parse(config);
  const sources = buildSources(parsed, { ...nowhere, ...env });
  const deps = { clock: createFakeClock(), fetch: globalThis.fetch, timeoutMs: 1000 };
  return {
    config: parsed,
    sources,
    async load(name) {
      const source = sources.get(name);
      assert.ok(source && source.missing === undefined);
      return loadProvider(source, deps);
    },
    hasProfile: async (name) => profiles.includes(name),
  };
}

async function refOf(lookup: Lookup, ref?: string): Promise<string> {
  const resolution = await resolveModel(ref, lookup);
  return resolution.type === "model" ? resolution.model.ref : `unavailable: ${resolution.message}`;
}

describe("the default", () => {
  const table: [what: string, lookup: Lookup, expected: string | RegExp][] = [
    ["nothing set", createLookup(), "mom/offline"],
    ["a key for Google", createLookup({}, { GEMINI_API_KEY: "k" }), "google/gemini-3.8-flash"],
    ["an AWS profile", createLookup({}, { AWS_PROFILE: "p" }), "bedrock/global.anthropic.claude-sonnet-5"],
    ["Google before AWS", createLookup({}, { AWS_PROFILE: "p", GOOGLE_API_KEY: "k" }), "google/gemini-3.8-flash"],
    ["a stored key", createLookup({}, {}, ["openai"]), "openai/gpt-6-sol"],
    [
      "a stored key before another's",
      createLookup({}, { OPENAI_API_KEY: "k" }, ["anthropic"]),
      "anthropic/claude-sonnet-5",
    ],
    ["AWS before an endpoint of one's own", createLookup({ providers: { local } }, {}, ["bedrock"]), /^bedrock\//],
    ["an endpoint of one's own", createLookup({ providers: { local } }), "local/small"],
    [
      "a configured one without its key",
      createLookup({ default: "openai/gpt-6-sol" }),
      /^unavailable: .*OPENAI_API_KEY/,
    ],
    ["a configured one, stored key", createLookup({ default: "openai/gpt-5" }, {}, ["openai"]), "openai/gpt-5"],
    [
      "an Ollama that is not there",
      createLookup({ default: "ollama/qwen3:8b" }),
      /^unavailable: .*127\.0\.0\.1:1.*pull/,
    ],
    ["a subscription token", createLookup({}, { ANTHROPIC_API_KEY: "sk-ant-oat01-x" }), /^unavailable: .*subscription/],
    [
      "a subscription token beside a stored key",
      createLookup({}, { ANTHROPIC_API_KEY: "sk-ant-oat01-x" }, ["anthropic"]),
      "anthropic/claude-sonnet-5",
    ],
    [
      "an alias",
      createLookup({ default: "mine", aliases: { mine: "local/small" }, providers: { local } }),
      "local/small",
    ],
    [
      "an address that is none",
      createLookup({ default: "ollama/x" }, { OLLAMA_HOST: "a b" }),
      /^unavailable: .*OLLAMA_HOST/,
    ],
  ];
  for (const [what, lookup, expected] of table) {
    test(what, async () => {
      const found = await refOf(lookup);
      if (typeof expected === "string") assert.equal(found, expected);
      else assert.match(found, expected);
    });
  }

  test("a local Ollama comes after everything with a key, and before offline", async () => {
    const server = await createOllamaServer({ respond: [] });
    try {
      const env = { OLLAMA_HOST: server.url };
      assert.equal(await refOf(createLookup({}, env)), "ollama/qwen3:8b");
      assert.equal(await refOf(createLookup({ providers: { local } }, env)), "local/small");
      assert.equal(await refOf(createLookup({}, { ...env, OPENAI_API_KEY: "k" })), "openai/gpt-6-sol");
      assert.match(await refOf(createLookup({}, env), "ollama/qwen3:9b"), /Nearest: ollama\/qwen3:8b/);
      assert.equal(await refOf(createLookup({}, env), "qwen3:8b"), "ollama/qwen3:8b");
    } finally {
      await server.close();
    }
  });
});

test("the list has what can be used, and what is missing is explained", async () => {
  const lookup = createLookup({ providers: { local } }, {}, ["google"]);
  const providers = new Set((await listModels(lookup)).map(({ provider }) => provider));
  assert.deepEqual(providers, new Set(["google", "local", "mom"]));
  assert.equal(await explainMissing("google", lookup), undefined);
  assert.match((await explainMissing("anthropic", lookup)) ?? "", /ANTHROPIC_API_KEY/);
  assert.match((await explainMissing("ollama", lookup)) ?? "", /No ollama with models answers/);
});

test("the offline model says that it is none", async () => {
  const resolution = await resolveModel("mom/offline", createLookup());
  assert.ok(resolution.type === "model");
  assert.equal(resolution.model.isPlanner, true);
});
