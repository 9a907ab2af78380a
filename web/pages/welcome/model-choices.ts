/** What the first step offers, in words. */
import type { ModelSummary, ProviderSummary } from "../../../src/gateway/protocol/index.ts";

const labels: Readonly<Record<string, string>> = {
  anthropic: "Anthropic (Claude)",
  openai: "OpenAI (GPT)",
  google: "Google (Gemini)",
  bedrock: "Amazon Bedrock",
};
/** Those that everybody can get a key of. */
const common = ["anthropic", "openai", "google"];
/** Need no key to be asked. */
const keyless = new Set(["mom", "ollama"]);

export function listKeyProviders(
  providers: readonly Pick<ProviderSummary, "name">[],
): { value: string; label: string }[] {
  const names = new Set([...common, ...providers.map(({ name }) => name)]);
  return [...names].filter((name) => !keyless.has(name)).map((value) => ({ value, label: labels[value] ?? value }));
}

export function listOllamaModels(
  models: readonly Pick<ModelSummary, "provider" | "ref" | "id">[],
): { value: string; label: string }[] {
  return models.filter(({ provider }) => provider === "ollama").map(({ ref, id }) => ({ value: ref, label: id }));
}

/** `A key of anthropic was found in the environment.` */
export function describeFoundKeys(found: readonly { provider: string; from: string }[]): string {
  return [...Map.groupBy(found, ({ from }) => from)]
    .map(([from, keys]) => {
      const names = [...new Set(keys.map(({ provider }) => provider))];
      const place = from === "environment" ? "in the environment" : `in ${from}`;
      return names.length === 1
        ? `A key of ${names[0]} was found ${place}.`
        : `Keys of ${joinNames(names)} were found ${place}.`;
    })
    .join(" ");
}

const joinNames = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
