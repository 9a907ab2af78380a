/** Every provider that goes over the wire, on the one suite. */
import { anthropicErrors, createAnthropicServer } from "../fakes/anthropic-server.ts";
import { bedrockErrors, createBedrockServer } from "../fakes/bedrock-server.ts";
import { createGoogleServer, googleErrors, thoughtSignature } from "../fakes/google-server.ts";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createOllamaServer, ollamaErrors } from "../fakes/ollama-server.ts";
import { createOpenAiServer, openAiErrors } from "../fakes/openai-server.ts";
import { testModelProvider } from "./model-provider.ts";

const key = "test-secret-4711-abcdef";
const small = {
  id: "small",
  reasoning: true,
  input: ["text", "image"],
  maxOutputTokens: 32_000,
  price: { input: 1, output: 4, cacheRead: 0.5, cacheWrite: 2 },
};
const custom = { apiKey: key, models: [small] };

const readEffort = ({ body }: SeenRequest) => body["reasoning_effort"];
const readReasoning = ({ body }: SeenRequest) => body["reasoning"];
const readClaude = ({ body }: SeenRequest) => ({ thinking: body["thinking"], effort: body["output_config"] });
const adaptive = (effort: string) => ({ thinking: { type: "adaptive", display: "summarized" }, effort: { effort } });
const budget = (tokens: number) => ({
  thinking: { type: "enabled", budget_tokens: tokens, display: "summarized" },
  effort: undefined,
});
const disabled = { thinking: { type: "disabled" }, effort: undefined };
const effort = (level: string) => ({ effort: level, summary: "auto" });
const sameWords = { off: undefined, low: "low", medium: "medium", high: "high" };

const anthropic = {
  key,
  path: /^\/v1\/messages/,
  startServer: (respond: Parameters<typeof createAnthropicServer>[0]["respond"]) => createAnthropicServer({ respond }),
  readThinking: readClaude,
  errors: anthropicErrors,
  cacheMark: /"cache_control":\{"type":"ephemeral"/,
  countsCacheWrite: true as const,
};

testModelProvider("anthropic", {
  ...anthropic,
  ref: "anthropic/claude-sonnet-5",
  setUp: (baseUrl) => ({ config: { providers: { anthropic: { baseUrl } } }, env: { ANTHROPIC_API_KEY: key } }),
  thinking: { off: disabled, low: adaptive("low"), medium: adaptive("medium"), high: adaptive("high") },
});

testModelProvider("custom, Anthropic-compatible", {
  ...anthropic,
  ref: "gateway/small",
  setUp: (url) => ({
    config: { providers: { gateway: { api: "anthropic-messages", baseUrl: `${url}/v1`, ...custom } } },
  }),
  thinking: { off: disabled, low: budget(2048), medium: budget(8192), high: budget(16_384) },
});

const openai = {
  key,
  startServer: (respond: Parameters<typeof createOpenAiServer>[0]["respond"]) => createOpenAiServer({ respond }),
  errors: openAiErrors,
};

testModelProvider("openai", {
  ...openai,
  ref: "openai/gpt-6-sol",
  setUp: (baseUrl) => ({ config: { providers: { openai: { baseUrl, apiKey: key } } } }),
  path: /^\/v1\/responses$/,
  readThinking: readReasoning,
  thinking: { off: { effort: "none" }, low: effort("low"), medium: effort("medium"), high: effort("high") },
  cacheMark: /"prompt_cache_key":"session-1"/,
});

testModelProvider("custom, Responses", {
  ...openai,
  ref: "local/small",
  setUp: (baseUrl) => ({ config: { providers: { local: { api: "openai-responses", baseUrl, ...custom } } } }),
  path: /^\/v1\/responses$/,
  readThinking: readReasoning,
  thinking: { off: { effort: "none" }, low: effort("low"), medium: effort("medium"), high: effort("high") },
  cacheMark: /"prompt_cache_key":"session-1"/,
});

testModelProvider("custom, OpenAI-compatible", {
  ...openai,
  ref: "local/small",
  setUp: (baseUrl) => ({ config: { providers: { local: { api: "openai-completions", baseUrl, ...custom } } } }),
  path: /^\/v1\/chat\/completions$/,
  readThinking: readEffort,
  thinking: sameWords,
});

const google = {
  key,
  path: /^\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/,
  startServer: (respond: Parameters<typeof createGoogleServer>[0]["respond"]) => createGoogleServer({ respond }),
  readThinking({ body }: SeenRequest) {
    const config = body["generationConfig"];
    return typeof config === "object" && config !== null && "thinkingConfig" in config
      ? config.thinkingConfig
      : undefined;
  },
  errors: googleErrors,
  echo: thoughtSignature,
  unreachable: /fetch failed/,
};

testModelProvider("google, by level", {
  ...google,
  ref: "google/gemini-3.8-flash",
  setUp: (baseUrl) => ({ config: { providers: { google: { baseUrl } } }, env: { GEMINI_API_KEY: key } }),
  // It cannot be told not to think: the least it has.
  thinking: {
    off: { thinkingLevel: "LOW" },
    low: { includeThoughts: true, thinkingLevel: "LOW" },
    medium: { includeThoughts: true, thinkingLevel: "MEDIUM" },
    high: { includeThoughts: true, thinkingLevel: "HIGH" },
  },
});

testModelProvider("google, by budget", {
  ...google,
  ref: "google/gemini-2.5-flash",
  setUp: (baseUrl) => ({ config: { providers: { google: { baseUrl } } }, env: { GOOGLE_API_KEY: key } }),
  thinking: {
    off: { thinkingBudget: 0 },
    low: { includeThoughts: true, thinkingBudget: 2048 },
    medium: { includeThoughts: true, thinkingBudget: 8192 },
    high: { includeThoughts: true, thinkingBudget: 24_576 },
  },
});

testModelProvider("custom, Gemini-compatible", {
  ...google,
  ref: "proxy/small",
  setUp: (url) => {
    const baseUrl = url.replace(/\/v1beta$/, "");
    return { config: { providers: { proxy: { api: "google-generative-ai", baseUrl, ...custom } } } };
  },
  thinking: {
    off: { thinkingBudget: 0 },
    low: { includeThoughts: true, thinkingBudget: -1 },
    medium: { includeThoughts: true, thinkingBudget: -1 },
    high: { includeThoughts: true, thinkingBudget: -1 },
  },
});

const bedrock = {
  ref: "bedrock/global.anthropic.claude-sonnet-5",
  key,
  path: /^\/model\/global\.anthropic\.claude-sonnet-5\/converse-stream$/,
  readThinking: ({ body }: SeenRequest) => body["additionalModelRequestFields"],
  thinking: {
    off: undefined,
    low: { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
    medium: { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "medium" } },
    high: { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
  },
  errors: bedrockErrors,
  cacheMark: /"system":\[\{"text":"You are a test\."\},\{"cachePoint":\{"type":"default"\}\}\]/,
  countsCacheWrite: true as const,
};

testModelProvider("bedrock", {
  ...bedrock,
  startServer: (respond) => createBedrockServer({ respond }),
  setUp: (baseUrl) => ({
    config: { providers: { bedrock: { baseUrl, region: "eu-central-1" } } },
    env: { AWS_BEARER_TOKEN_BEDROCK: key },
  }),
});

testModelProvider("bedrock over HTTP/2", {
  ...bedrock,
  startServer: (respond) => createBedrockServer({ respond, http2: true }),
  setUp: (baseUrl) => ({
    config: { providers: { bedrock: { baseUrl, apiKey: key } } },
    env: { AWS_BEDROCK_FORCE_HTTP1: "0" },
  }),
  // Here the AWS client does not tell the end of the connection from the end of the stream.
  cut: "format",
});

testModelProvider("ollama", {
  ref: "ollama/qwen3:8b",
  key,
  startServer: (respond) => createOllamaServer({ respond }),
  setUp: (url) => ({ config: {}, env: { OLLAMA_HOST: url, OLLAMA_API_KEY: key } }),
  path: /^\/v1\/chat\/completions$/,
  readThinking: readEffort,
  thinking: { ...sameWords, off: "none" },
  errors: ollamaErrors,
  // It may break on the connection on which the models were asked for.
  unreachable: /ECONNREFUSED|UND_ERR_SOCKET/,
});
