/** Google's `batchEmbedContents`, which is told what a vector is for. */
import { addPrefix, formatId, isRecord, joinUrl, type Wire, type WireSettings } from "../wire.ts";

const geminiUrl = "https://generativelanguage.googleapis.com/v1beta";
const geminiModel = "gemini-embedding-001";
/** Its own 3,072 are hardly better and four times as large. */
const usualDimensions = 768;
const taskTypes = { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" } as const;

export function buildGeminiWire(settings: WireSettings & { key: string }): Wire {
  const model = (settings.model ?? geminiModel).replace(/^models\//, "");
  const dimensions = settings.dimensions ?? usualDimensions;
  return {
    id: formatId("gemini", model, { ...settings, dimensions }),
    label: "Gemini",
    url: joinUrl(settings.baseUrl ?? geminiUrl, `models/${encodeURIComponent(model)}:batchEmbedContents`),
    headers: { "x-goog-api-key": settings.key },
    secrets: [settings.key],
    batchSize: 50,
    dimensions,
    buildBody: (texts, purpose) => ({
      requests: addPrefix(texts, purpose, settings).map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        taskType: taskTypes[purpose],
        outputDimensionality: dimensions,
      })),
    }),
    readLists(answer) {
      if (!isRecord(answer) || !Array.isArray(answer["embeddings"])) return undefined;
      return answer["embeddings"].map((item: unknown) => (isRecord(item) ? item["values"] : undefined));
    },
  };
}
