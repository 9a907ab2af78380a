/** OpenAI's `/embeddings`, and the many servers that speak like it. */
import { addPrefix, formatId, isRecord, joinUrl, type Wire, type WireSettings } from "../wire.ts";

const openAiUrl = "https://api.openai.com/v1";
const openAiModel = "text-embedding-3-small";

export function buildOpenAiWire(settings: WireSettings): Wire {
  const model = settings.model ?? openAiModel;
  const baseUrl = settings.baseUrl ?? openAiUrl;
  return build({ ...settings, model, baseUrl }, { provider: "openai", label: "OpenAI", batchSize: 64 });
}

export function buildCompatibleWire(settings: WireSettings & { baseUrl: string; model: string }): Wire {
  const { host } = new URL(settings.baseUrl);
  return build(settings, { provider: `compatible/${host}`, label: host, batchSize: 16 });
}

function build(
  settings: WireSettings & { baseUrl: string; model: string },
  { provider, label, batchSize }: { provider: string; label: string; batchSize: number },
): Wire {
  const { model, key, dimensions } = settings;
  return {
    id: formatId(provider, model, settings),
    label,
    url: joinUrl(settings.baseUrl, "embeddings"),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    secrets: key === undefined ? [] : [key],
    batchSize,
    ...(dimensions !== undefined && { dimensions }),
    buildBody: (texts, purpose) => ({
      model,
      input: addPrefix(texts, purpose, settings),
      ...(dimensions !== undefined && { dimensions }),
    }),
    readLists,
  };
}

/** Each has its `index`; servers need not keep the order. */
function readLists(answer: unknown): unknown[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer["data"])) return undefined;
  const data: unknown[] = answer["data"];
  const lists: unknown[] = [];
  for (const [at, item] of data.entries()) {
    if (!isRecord(item)) return undefined;
    const index = typeof item["index"] === "number" ? item["index"] : at;
    if (!Number.isInteger(index) || index < 0 || index >= data.length || index in lists) return undefined;
    lists[index] = item["embedding"];
  }
  return lists;
}
