/** Ollama's `/api/embed`. */
import { addPrefix, formatId, isRecord, joinUrl, type Wire, type WireSettings } from "../wire.ts";

const ollamaUrl = "http://127.0.0.1:11434";
const ollamaModel = "nomic-embed-text";
/** Models that were trained with words before each text, and search badly without. */
const prefixes: Readonly<Record<string, Pick<WireSettings, "queryPrefix" | "documentPrefix">>> = {
  "nomic-embed-text": { queryPrefix: "search_query: ", documentPrefix: "search_document: " },
  "mxbai-embed-large": { queryPrefix: "Represent this sentence for searching relevant passages: " },
};

export function buildOllamaWire(given: WireSettings): Wire {
  const model = given.model ?? ollamaModel;
  const usual = prefixes[model.replace(/:.*$/, "")] ?? {};
  const queryPrefix = given.queryPrefix ?? usual.queryPrefix;
  const documentPrefix = given.documentPrefix ?? usual.documentPrefix;
  const settings: WireSettings = { ...given, queryPrefix, documentPrefix };
  return {
    id: formatId("ollama", model, settings),
    label: "Ollama",
    url: joinUrl(given.baseUrl ?? ollamaUrl, "api/embed"),
    headers: given.key === undefined ? {} : { authorization: `Bearer ${given.key}` },
    secrets: given.key === undefined ? [] : [given.key],
    batchSize: 16,
    ...(given.dimensions !== undefined && { dimensions: given.dimensions }),
    buildBody: (texts, purpose) => ({
      model,
      input: addPrefix(texts, purpose, settings),
      truncate: true,
      ...(given.dimensions !== undefined && { dimensions: given.dimensions }),
    }),
    readLists: (answer) =>
      isRecord(answer) && Array.isArray(answer["embeddings"]) ? [...answer["embeddings"]] : undefined,
  };
}
