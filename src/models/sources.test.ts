/** Providers before they are loaded: order, credentials of the configuration and the environment, what is wrong. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelsConfig } from "./config.ts";
import { parseOllamaHost } from "./ollama-host.ts";
import { buildSources } from "./sources.ts";

const local = { api: "openai-completions", baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "small" }] };

function source(name: string, config: object = {}, env: Record<string, string> = {}) {
  const found = buildSources(modelsConfig.parse(config), env).get(name);
  assert.ok(found);
  return found;
}
const secrets = (...args: Parameters<typeof source>) =>
  source(...args).implicitCredentials.map(({ from, credential }) => `${from} ${credential.type} ${credential.secret}`);

test("the order in which a default is looked for", () => {
  const names = (config: object) => [...buildSources(modelsConfig.parse(config), {}).keys()];
  assert.deepEqual(names({ providers: { local } }), [
    "anthropic",
    "openai",
    "google",
    "bedrock",
    "local",
    "ollama",
    "mom",
  ]);
  assert.deepEqual(names({ providers: { ollama: local, google: local } }), [
    "anthropic",
    "openai",
    "google",
    "bedrock",
    "ollama",
    "mom",
  ]);
});

describe("credentials", () => {
  test("those of the configuration come first", () => {
    const config = { providers: { openai: { apiKey: "c" } } };
    assert.deepEqual(secrets("openai", config, { OPENAI_API_KEY: "e" }), ["config api_key c", "environment api_key e"]);
    assert.deepEqual(secrets("anthropic", {}, { ANTHROPIC_API_KEY: " a " }), ["environment api_key a"]);
    assert.deepEqual(secrets("google", {}, { GOOGLE_API_KEY: "b" }), ["environment api_key b"]);
    assert.deepEqual(secrets("google", {}, { GOOGLE_API_KEY: "b", GEMINI_API_KEY: "a" }), ["environment api_key a"]);
    assert.deepEqual(secrets("bedrock", {}, { AWS_BEARER_TOKEN_BEDROCK: "t" }), ["environment api_key t"]);
    assert.deepEqual(secrets("openai", {}, { OPENAI_API_KEY: " " }), []);
  });

  test("who needs one", () => {
    const needs = (...args: Parameters<typeof source>) => source(...args).needsCredential;
    for (const name of ["anthropic", "openai", "google", "bedrock"]) {
      assert.equal(needs(name), true);
      assert.match(source(name).missingCredential, new RegExp(`mom auth add ${name}`));
    }
    for (const name of ["ollama", "mom"]) assert.equal(needs(name), false);
    assert.equal(needs("local", { providers: { local } }), false);
    assert.equal(needs("local", { providers: { local: { ...local, apiKey: "k" } } }), true);
    assert.equal(needs("ollama", {}, { OLLAMA_API_KEY: "k" }), true);
  });

  test("what AWS has instead", () => {
    const needs = (env: Record<string, string>) => source("bedrock", {}, env).needsCredential;
    assert.equal(needs({ AWS_PROFILE: "work" }), false);
    assert.equal(needs({ AWS_ACCESS_KEY_ID: "a" }), true);
    assert.equal(needs({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }), false);
    assert.equal(needs({ AWS_WEB_IDENTITY_TOKEN_FILE: "/x" }), false);
    assert.equal(needs({ AWS_REGION: "eu-central-1" }), true);
    const { settings } = source("bedrock", {}, { AWS_PROFILE: "work", AWS_REGION: "eu-west-1", HOME: "/root" });
    assert.deepEqual(settings.env, { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" });
  });

  test("a subscription token is no key", () => {
    const refused = source("anthropic", {}, { ANTHROPIC_API_KEY: "sk-ant-oat01-abc" });
    assert.deepEqual([refused.implicitCredentials, refused.isKeyRefused, refused.missing], [[], true, undefined]);
    assert.match(refused.missingCredential, /subscription token.*API key/);
    const config = { providers: { anthropic: { apiKey: "good" } } };
    assert.deepEqual(secrets("anthropic", config, { ANTHROPIC_API_KEY: "sk-ant-oat01-abc" }), ["config api_key good"]);
  });
});

describe("where Ollama is", () => {
  const table: [host: string, url: string | undefined][] = [
    ["127.0.0.1:11434", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:8080", "http://127.0.0.1:8080"],
    ["[::]:8080", "http://127.0.0.1:8080"],
    [":9999", "http://127.0.0.1:9999"],
    ["box.lan", "http://box.lan:11434"],
    ["box.lan:80", "http://box.lan"],
    ["https://ollama.example.com", "https://ollama.example.com"],
    ["https://example.com/ollama/", "https://example.com/ollama"],
    ["not an address", undefined],
  ];
  for (const [host, url] of table) test(host, () => assert.equal(parseOllamaHost(host), url));

  test("the configuration, then the environment, then the usual place", () => {
    const url = (config: object, env: Record<string, string>) => source("ollama", config, env).settings.baseUrl;
    const config = { providers: { ollama: { baseUrl: "http://a:1" } } };
    assert.equal(url(config, { OLLAMA_HOST: "b:2" }), "http://a:1");
    assert.equal(url({}, { OLLAMA_HOST: "b:2" }), "http://b:2");
    assert.equal(url({}, {}), "http://127.0.0.1:11434");
    assert.match(source("ollama", {}, { OLLAMA_HOST: "a b" }).missing ?? "", /OLLAMA_HOST/);
  });
});
