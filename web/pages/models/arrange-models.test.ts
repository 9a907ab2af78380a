import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelSummary, ProviderSummary } from "../../../src/gateway/protocol/index.ts";
import { arrangeModels, formatPrice } from "./arrange-models.ts";

const model = (provider: string, id: string): ModelSummary => ({
  ref: `${provider}/${id}`,
  provider,
  id,
  contextWindow: 1,
  maxOutputTokens: 1,
  input: ["text"],
  reasoning: false,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
});
const models = [model("anthropic", "opus"), model("openai", "gpt"), model("openai", "o9")];
const providers: ProviderSummary[] = [
  { name: "anthropic", usable: true, profiles: [] },
  { name: "openai", usable: false, profiles: [] },
];
const view = { search: "", provider: "", isUsableOnly: false };

test("search, provider and keys narrow the list", () => {
  const refs = (given: Partial<typeof view>) =>
    arrangeModels(models, providers, { ...view, ...given }).map(({ ref }) => ref);
  assert.deepEqual(refs({ search: "OPEN gpt" }), ["openai/gpt"]);
  assert.deepEqual(refs({ provider: "openai" }), ["openai/gpt", "openai/o9"]);
  assert.deepEqual(refs({ isUsableOnly: true }), ["anthropic/opus"]);
});

test("prices are short, and nothing is free by rounding", () => {
  const price = { input: 0.15, output: 0.6, cacheRead: 0, cacheWrite: 0 };
  assert.equal(formatPrice(price), "$0.15 / $0.6");
  assert.equal(formatPrice({ ...price, input: 0, output: 0 }), "free");
  assert.equal(formatPrice({ ...price, input: 3, output: 15 }), "$3 / $15");
});
