/** Which models the table shows, and the words for what they cost and take. */
import type { ModelSummary, ProviderSummary } from "../../../src/gateway/protocol/index.ts";

export interface ModelView {
  search: string;
  /** Empty: all. */
  provider: string;
  /** Only those that a key is there for. */
  isUsableOnly: boolean;
}

export function arrangeModels(
  models: readonly ModelSummary[],
  providers: readonly ProviderSummary[],
  view: ModelView,
): ModelSummary[] {
  const usable = new Set(providers.filter((provider) => provider.usable).map(({ name }) => name));
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(
    ({ provider, ref }) =>
      (view.provider === "" || provider === view.provider) &&
      (!view.isUsableOnly || usable.has(provider)) &&
      words.every((word) => ref.toLowerCase().includes(word)),
  );
}

/** Of a million tokens, in US dollars. */
export function formatPrice({ input, output }: ModelSummary["price"]): string {
  if (input === 0 && output === 0) return "free";
  return `$${trim(input)} / $${trim(output)}`;
}

const trim = (amount: number): string => String(Number(amount.toFixed(3)));
