/** Google's Gemini: pi-ai's catalogue and its client, which loads the vendor's SDK with the first request. */
import { GOOGLE_MODELS } from "@earendil-works/pi-ai/providers/google.models";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createGoogleWire } from "../../kit/google-wire.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

const baseUrl = "https://generativelanguage.googleapis.com/v1beta";
const defaultModel = "gemini-3.8-flash";

/** In the catalogue, but not to be had as a conversation in text. */
const notForChat = /^deep-research|-live-|-image$/;

export function createGoogleProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const wire = createGoogleWire();
  const known = Object.values(GOOGLE_MODELS).filter(({ id }) => !notForChat.test(id));
  const models = buildCatalogue(known, settings, { api: wire.api, baseUrl });
  return createPiProvider({ settings, wire, models, defaultModel }, deps);
}
