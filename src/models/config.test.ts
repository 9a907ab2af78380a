/** The `models` slice of the configuration: what it takes, and what it says about the rest. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelsConfig } from "./config.ts";

const local = { api: "openai-completions", baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "small" }] };

test("has usable defaults", () => {
  assert.deepEqual(modelsConfig.parse({}), {
    fallbacks: [],
    aliases: {},
    providers: {},
    timeoutMs: 120_000,
    retries: 3,
  });
});

test("takes every wire format, a region, fallbacks and a level of thought", () => {
  const apis = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"];
  const providers = Object.fromEntries(apis.map((api) => [api, { ...local, api }]));
  const config = modelsConfig.parse({
    fallbacks: ["fast", "openai/gpt-6-sol"],
    thinking: "high",
    providers: { ...providers, bedrock: { region: "us-gov-west-1" }, ollama: {}, google: { apiKey: "k" } },
  });
  assert.deepEqual(config.fallbacks, ["fast", "openai/gpt-6-sol"]);
  assert.equal(config.thinking, "high");
});

describe("refuses", () => {
  const table: [name: string, config: object, message: RegExp][] = [
    ["a provider without an api", { providers: { local: { ...local, api: undefined } } }, /"local" needs "api"/],
    ["a provider without models", { providers: { local: { ...local, models: [] } } }, /at least one entry/],
    ["the offline provider's name", { providers: { mom: local } }, /built-in offline provider/],
    ["an alias that is no model", { aliases: { fast: "small" } }, /provider\/model/],
    ["an address that is none", { providers: { local: { ...local, baseUrl: "file:///etc" } } }, /URL/i],
    ["a region elsewhere", { providers: { openai: { region: "eu-central-1" } } }, /"region" is for bedrock/],
    ["a region that is none", { providers: { bedrock: { region: "Frankfurt" } } }, /eu-central-1/],
    ["an unknown level of thought", { thinking: "hard" }, /off/],
    ["an unknown wire format", { providers: { local: { ...local, api: "soap" } } }, /openai-responses/],
  ];
  for (const [name, config, message] of table) {
    test(name, () => {
      const messages = modelsConfig.safeParse(config).error?.issues.map((issue) => issue.message);
      assert.match(messages?.join("\n") ?? "accepted", message);
    });
  }
});
