/** From a name to a model: alias, `provider/model`, a bare model id, or the default. What cannot be had names the fix. */
import { pickNearest } from "../base/nearest.ts";
import type { ModelInfo } from "../contracts/model.ts";
import { type ModelsConfig, offlineProviderName } from "./config.ts";
import type { Provider } from "./provider.ts";
import type { ProviderSource } from "./sources.ts";

export type Resolution = { type: "model"; model: ModelInfo } | { type: "unavailable"; message: string };

export interface Lookup {
  config: ModelsConfig;
  sources: ReadonlyMap<string, ProviderSource>;
  /** Called only for sources without `missing`. */
  load(name: string): Promise<Provider>;
  /** Does `auth.json` have a profile for it that could be used, now or after a pause? Implicit credentials do not count. */
  hasProfile(name: string): Promise<boolean>;
}

export async function resolveModel(ref: string | undefined, lookup: Lookup): Promise<Resolution> {
  const wanted = ref ?? lookup.config.default;
  if (wanted === undefined) return resolveDefault(lookup);
  const name = lookup.config.aliases[wanted] ?? wanted;
  const slash = name.indexOf("/");
  const resolution = slash < 0 ? await resolveBareId(name, lookup) : await resolveFull(name, slash, lookup);
  if (resolution.type === "model" || name === wanted) return resolution;
  return unavailable(`The alias "${wanted}" stands for ${name}. ${resolution.message}`);
}

/** Every model of every provider that can be used, in the order of the sources. */
export async function listModels(lookup: Lookup): Promise<ModelInfo[]> {
  const offers = await Promise.all([...lookup.sources.keys()].map((name) => offerOf(name, lookup)));
  return offers.flatMap((offer) => (offer.type === "offer" ? offer.models : []));
}

/** Why the provider cannot be asked now, and what to do; undefined when it can. */
export async function explainMissing(name: string, lookup: Lookup): Promise<string | undefined> {
  const offer = await offerOf(name, lookup);
  return offer.type === "missing" ? offer.why : undefined;
}

type Offer = { type: "offer"; provider: Provider; models: readonly ModelInfo[] } | { type: "missing"; why: string };

async function offerOf(name: string, lookup: Lookup): Promise<Offer> {
  const source = lookup.sources.get(name);
  if (source === undefined) return { type: "missing", why: `There is no model provider "${name}".` };
  const why = source.missing ?? ((await lacksCredential(name, source, lookup)) ? source.missingCredential : undefined);
  if (why !== undefined) return { type: "missing", why };
  const provider = await lookup.load(name);
  const models = await provider.list();
  return models.length > 0 ? { type: "offer", provider, models } : { type: "missing", why: explainSilence(source) };
}

async function lacksCredential(name: string, source: ProviderSource, lookup: Lookup): Promise<boolean> {
  return source.needsCredential && source.implicitCredentials.length === 0 && !(await lookup.hasProfile(name));
}

/** Only a server that is asked for its models can have none. */
function explainSilence(source: ProviderSource): string {
  const { name, baseUrl } = source.settings;
  return `No ${name} with models answers at ${baseUrl}. Start it and pull a model, or set models.providers.${name}.baseUrl.`;
}

/**
 * Nobody chose: the first provider that can be used, built-in ones first, the offline one last. A key that is set but
 * cannot work is not passed over in silence.
 */
async function resolveDefault(lookup: Lookup): Promise<Resolution> {
  for (const [name, source] of lookup.sources) {
    const offer = await offerOf(name, lookup);
    if (offer.type === "missing" && source.isKeyRefused) return unavailable(offer.why);
    if (offer.type === "missing") continue;
    const id = offer.provider.defaultModel ?? offer.models[0]?.id;
    return resolveFull(`${name}/${id}`, name.length, lookup);
  }
  return unavailable("No model can be used.");
}

async function resolveFull(ref: string, slash: number, lookup: Lookup): Promise<Resolution> {
  const name = ref.slice(0, slash);
  const id = ref.slice(slash + 1);
  const source = lookup.sources.get(name);
  if (source === undefined) {
    const near = pickNearest(name, lookup.sources.keys());
    const guess = near === undefined ? "" : ` Did you mean ${near}/${id}?`;
    const known = [...lookup.sources.keys()].join(", ");
    return unavailable(
      `There is no model provider "${name}".${guess} Known are ${known}; others are added under models.providers.`,
    );
  }
  const offer = await offerOf(name, lookup);
  if (offer.type === "missing") return unavailable(`${ref} cannot be used. ${offer.why}`);
  const model = offer.models.find((candidate) => candidate.id === id);
  if (model !== undefined) return { type: "model", model };
  const near = pickNearestRefs(ref, offer.models);
  const fix =
    name === offlineProviderName
      ? ""
      : ` A model that mom does not know yet is added under models.providers.${name}.models.`;
  return unavailable(`${name} has no model "${id}". Nearest: ${near.join(", ")}.${fix}`);
}

async function resolveBareId(id: string, lookup: Lookup): Promise<Resolution> {
  const models = await listModels(lookup);
  const matches = models.filter((model) => model.id === id);
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return { type: "model", model: only };
  if (matches.length > 1) {
    return unavailable(
      `"${id}" is offered more than once. Say which: ${matches.map((model) => model.ref).join(", ")}.`,
    );
  }
  const near = pickNearest(id, [...Object.keys(lookup.config.aliases), ...models.map((model) => model.id)]);
  const guess = near === undefined ? "" : ` Did you mean ${near}?`;
  return unavailable(
    `There is no model or alias "${id}".${guess} Give it as provider/model, or add it under models.aliases.`,
  );
}

/** Up to three: the nearest in spelling, then those that share its beginning. */
function pickNearestRefs(ref: string, models: readonly ModelInfo[]): string[] {
  const left = new Set(models.map((model) => model.ref));
  const found: string[] = [];
  while (found.length < 3 && left.size > 0) {
    const near = pickNearest(ref, left) ?? pickLongestCommonStart(ref, left);
    left.delete(near);
    found.push(near);
  }
  return found;
}

function pickLongestCommonStart(ref: string, candidates: Iterable<string>): string {
  let best = "";
  let bestLength = -1;
  for (const candidate of candidates) {
    let length = 0;
    while (length < ref.length && candidate[length] === ref[length]) length++;
    if (length > bestLength) {
      best = candidate;
      bestLength = length;
    }
  }
  return best;
}

function unavailable(message: string): Resolution {
  return { type: "unavailable", message };
}
