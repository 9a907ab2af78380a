/** The models of a built-in provider: pi-ai's catalogue, then what the configuration adds, all under the provider's name. */
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ProviderSettings } from "../provider.ts";
import { buildPiModel } from "./pi-model.ts";

export interface BuiltInEndpoint {
  api: Api;
  /** Where models of one's own are, and where those of the catalogue name no address. */
  baseUrl: string;
}

/** A configured address counts for all; a configured model with the id of a known one replaces it. */
export function buildCatalogue(
  known: readonly Model<Api>[],
  settings: ProviderSettings,
  endpoint: BuiltInEndpoint,
): Model<Api>[] {
  const { name: provider } = settings;
  const byId = new Map<string, Model<Api>>();
  for (const model of known) {
    byId.set(model.id, { ...model, provider, baseUrl: settings.baseUrl ?? (model.baseUrl || endpoint.baseUrl) });
  }
  const own = { api: endpoint.api, provider, baseUrl: settings.baseUrl ?? endpoint.baseUrl };
  for (const added of settings.models) byId.set(added.id, buildPiModel(added, own));
  return [...byId.values()];
}
