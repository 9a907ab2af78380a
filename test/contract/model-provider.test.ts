/** Every provider that goes over the wire, on the one suite. */
import { createAnthropicServer } from "../fakes/anthropic-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import { testModelProvider } from "./model-provider.ts";

const key = "test-secret-4711-abcdef";
const custom = { apiKey: key, models: [{ id: "small", price: { input: 1, output: 4, cacheRead: 0.5 } }] };

testModelProvider("anthropic", {
  ref: "anthropic/claude-sonnet-5",
  key,
  startServer: (respond) => createAnthropicServer({ respond }),
  setUp: (baseUrl) => ({ config: { providers: { anthropic: { baseUrl } } }, env: { ANTHROPIC_API_KEY: key } }),
});

testModelProvider("openai", {
  ref: "openai/gpt-6-sol",
  key,
  startServer: (respond) => createOpenAiServer({ respond }),
  setUp: (baseUrl) => ({ config: { providers: { openai: { baseUrl, apiKey: key } } } }),
});

testModelProvider("custom, OpenAI-compatible", {
  ref: "local/small",
  key,
  startServer: (respond) => createOpenAiServer({ respond }),
  setUp: (baseUrl) => ({ config: { providers: { local: { api: "openai-completions", baseUrl, ...custom } } } }),
});

testModelProvider("custom, Anthropic-compatible", {
  ref: "gateway/small",
  key,
  startServer: (respond) => createAnthropicServer({ respond }),
  setUp: (url) => ({
    config: { providers: { gateway: { api: "anthropic-messages", baseUrl: `${url}/v1`, ...custom } } },
  }),
});
