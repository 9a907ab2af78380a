/** The models of a built-in provider: pi-ai's catalogue at the chosen address, then what the configuration adds. */
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ProviderSettings } from "../provider.ts";
import { buildPiModel, type Endpoint } from "./pi-model.ts";

/** A configured model with the id of a known one replaces it. */
export function buildCatalogue(
  known: readonly Model<Api>[],
  settings: ProviderSettings,
  endpoint: Endpoint,
): Model<Api>[] {
  const byId = new Map<string, Model<Api>>();
  for (const model of known) byId.set(model.id, { ...model, baseUrl: endpoint.baseUrl });
  for (const added of settings.models) byId.set(added.id, buildPiModel(added, endpoint));
  return [...byId.values()];
}
