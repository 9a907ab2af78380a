/** What the welcome's first step says and offers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFoundKeys, listKeyProviders, listOllamaModels } from "./model-choices.ts";

test("keys that were found are told by place", () => {
  assert.equal(describeFoundKeys([]), "");
  assert.equal(
    describeFoundKeys([{ provider: "openai", from: "environment" }]),
    "A key of openai was found in the environment.",
  );
  assert.equal(
    describeFoundKeys([
      { provider: "a", from: "environment" },
      { provider: "b", from: "environment" },
      { provider: "b", from: "environment" },
      { provider: "c", from: "config" },
    ]),
    "Keys of a and b were found in the environment. A key of c was found in config.",
  );
});

test("keys can be added for whatever takes one", () => {
  const values = listKeyProviders([{ name: "mom" }, { name: "lab" }, { name: "ollama" }]).map(({ value }) => value);
  assert.deepEqual(values, ["anthropic", "openai", "google", "lab"]);
});

test("local models", () => {
  const models = [
    { provider: "ollama", ref: "ollama/qwen", id: "qwen" },
    { provider: "openai", ref: "openai/x", id: "x" },
  ];
  assert.deepEqual(listOllamaModels(models), [{ value: "ollama/qwen", label: "qwen" }]);
});
