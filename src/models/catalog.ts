/** Loads providers when they are first used. The only file of the room with `import()`: what a start costs is decided here. */
import type { Provider, ProviderDeps } from "./provider.ts";
import type { ProviderSource } from "./sources.ts";

export async function loadProvider(source: ProviderSource, deps: ProviderDeps): Promise<Provider> {
  switch (source.kind) {
    case "anthropic":
      return (await import("./providers/anthropic/index.ts")).createAnthropicProvider(deps, source.settings);
    case "openai":
      return (await import("./providers/openai/index.ts")).createOpenAiProvider(deps, source.settings);
    case "google":
      return (await import("./providers/google/index.ts")).createGoogleProvider(deps, source.settings);
    case "bedrock":
      return (await import("./providers/bedrock/index.ts")).createBedrockProvider(
        deps,
        source.settings,
        loadBedrockApi,
      );
    case "ollama":
      return (await import("./providers/ollama/index.ts")).createOllamaProvider(deps, source.settings);
    case "custom":
      return (await import("./providers/custom/index.ts")).createCustomProvider(deps, source.settings);
    case "offline":
      return (await import("./providers/offline/index.ts")).createOfflineProvider(deps);
  }
}

/** pi-ai hides this import from bundlers; here they see it. The AWS SDK comes with the first request, as the others do. */
async function loadBedrockApi() {
  return (await import("@earendil-works/pi-ai/bedrock-provider")).bedrockProviderModule;
}
