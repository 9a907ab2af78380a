/**
 * What an Ollama offers: `/api/tags` names the models, `/api/show` says what each of them can do. Asked for a moment only,
 * because mostly nobody is there, and kept for a while.
 */
import { z } from "zod";
import { within } from "../../../base/within.ts";
import type { ModelInfo } from "../../../contracts/model.ts";
import type { ProviderDeps, ProviderSettings } from "../../provider.ts";
import { type ModelFacts, showSchema, toModelFacts } from "./model-facts.ts";

export interface ModelList {
  /** Never rejects. Empty when no Ollama has answered yet; when one stops answering, what it last said. */
  list(): Promise<readonly ModelInfo[]>;
}

/** Milliseconds for the question whether anyone is there, and for what the models can do. */
const probeMs = 300;
const showMs = 2000;
const keptMs = 60_000;

const tagsSchema = z.object({
  models: z.array(z.object({ model: z.string().optional(), name: z.string(), digest: z.string().optional() })),
});

export function createModelList(deps: ProviderDeps, settings: ProviderSettings): ModelList {
  /** By digest, or by name where there is none: a model that stays the same is asked about once. */
  const known = new Map<string, ModelFacts>();
  let models: readonly ModelInfo[] = [];
  let current: { askedAt: number; answer: Promise<readonly ModelInfo[]> } | undefined;

  const loadFacts = async (id: string, key: string): Promise<ModelFacts> => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const shown = await askJson(deps, settings, "/api/show", showMs, { model: id });
    const parsed = showSchema.safeParse(shown);
    const facts = toModelFacts(parsed.success ? parsed.data : {});
    if (parsed.success) known.set(key, facts);
    return facts;
  };

  const refresh = async (): Promise<readonly ModelInfo[]> => {
    const tags = tagsSchema.safeParse(await askJson(deps, settings, "/api/tags", probeMs));
    if (!tags.success) return models;
    const offered = await Promise.all(
      tags.data.models.map(async ({ model, name, digest }) => {
        const id = model ?? name;
        return { id, facts: await loadFacts(id, digest ?? id) };
      }),
    );
    const chatting = offered.filter(({ facts }) => facts.canChat);
    // Without tools a model is of little use here: those that can call them come first.
    chatting.sort((a, b) => Number(b.facts.canCallTools) - Number(a.facts.canCallTools));
    models = mergeConfigured(chatting, settings);
    return models;
  };

  return {
    list() {
      const nowMs = deps.clock.monotonic();
      if (current === undefined || nowMs - current.askedAt >= keptMs) current = { askedAt: nowMs, answer: refresh() };
      return current.answer;
    },
  };
}

/** What the configuration says of a model counts; it may also name one that is not pulled yet. */
function mergeConfigured(
  offered: readonly { id: string; facts: ModelFacts }[],
  { name, models: configured }: ProviderSettings,
): ModelInfo[] {
  const byId = new Map<string, ModelInfo>();
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const add = (id: string, rest: Omit<ModelInfo, "ref" | "provider" | "id" | "price">, price = free) =>
    byId.set(id, { ref: `${name}/${id}`, provider: name, id, ...rest, price });
  for (const { id, facts } of offered) {
    const { contextWindow, maxOutputTokens, input, reasoning } = facts;
    add(id, { contextWindow, maxOutputTokens, input, reasoning });
  }
  for (const { id, contextWindow, maxOutputTokens, input, reasoning, price } of configured) {
    add(id, { contextWindow, maxOutputTokens, input, reasoning }, price);
  }
  return [...byId.values()];
}

/** The parsed answer; undefined when there is none in time, whatever the reason. */
async function askJson(
  deps: ProviderDeps,
  { baseUrl, headers }: ProviderSettings,
  path: string,
  limitMs: number,
  body?: object,
): Promise<unknown> {
  const stop = new AbortController();
  const ask = async (): Promise<unknown> => {
    const request = { headers: { ...headers, "content-type": "application/json" }, signal: stop.signal };
    const response = await deps.fetch(
      `${baseUrl}${path}`,
      body === undefined ? request : { ...request, method: "POST", body: JSON.stringify(body) },
    );
    return response.ok ? await response.json() : undefined;
  };
  try {
    return await within<unknown>(deps.clock, limitMs, ask(), () => undefined);
  } finally {
    stop.abort();
  }
}
