/**
 * AWS Bedrock: pi-ai's catalogue and its ConverseStream client, which loads the AWS SDK with the first request. Asked with
 * a Bedrock API key, or signed with whatever the AWS client finds (profile, keys, role).
 */
import { AMAZON_BEDROCK_MODELS } from "@earendil-works/pi-ai/providers/amazon-bedrock.models";
import { createBedrockWire, type LoadBedrockApi } from "../../kit/bedrock-wire.ts";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

/** Where nothing says otherwise. pi-ai goes by the region instead as soon as there is one. */
const baseUrl = "https://bedrock-runtime.us-east-1.amazonaws.com";
const defaultModel = "global.anthropic.claude-sonnet-5";

export function createBedrockProvider(deps: ProviderDeps, settings: ProviderSettings, load: LoadBedrockApi): Provider {
  const wire = createBedrockWire(load);
  const models = buildCatalogue(Object.values(AMAZON_BEDROCK_MODELS), settings, { api: wire.api, baseUrl });
  return createPiProvider({ settings, wire, models, defaultModel, env: buildEnvironment(settings) }, deps);
}

function buildEnvironment(settings: ProviderSettings): Record<string, string> {
  const env = { ...settings.env };
  if (settings.region !== undefined) env["AWS_REGION"] = settings.region;
  // Gateways without TLS speak HTTP/1.1; the AWS client would begin with HTTP/2.
  if (settings.baseUrl?.startsWith("http:")) env["AWS_BEDROCK_FORCE_HTTP1"] ??= "1";
  return env;
}
