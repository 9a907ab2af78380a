/** How one service is spoken to: what is data about it. The talking itself is in `remote-embedder.ts`, once for all. */

export type Purpose = "query" | "document";

export interface Wire {
  /** `openai/text-embedding-3-small`; says everything that decides what the vectors mean. */
  id: string;
  /** For messages: `OpenAI`. */
  label: string;
  url: string;
  /** Has the key, where there is one. */
  headers: Record<string, string>;
  /** Never to be seen in a message. */
  secrets: readonly string[];
  /** Texts in one request at most. */
  batchSize: number;
  /** Asked for. Absent: the model's own number. */
  dimensions?: number;
  buildBody(texts: readonly string[], purpose: Purpose): object;
  /** One list per text, in order, or undefined where the answer has another shape. The numbers are checked by the caller. */
  readLists(answer: unknown): unknown[] | undefined;
}

/** What wires are made of. */
export interface WireSettings {
  baseUrl?: string | undefined;
  model?: string | undefined;
  key?: string | undefined;
  dimensions?: number | undefined;
  queryPrefix?: string | undefined;
  documentPrefix?: string | undefined;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const joinUrl = (baseUrl: string, path: string) => `${baseUrl.replace(/\/+$/, "")}/${path}`;

/** Puts the model's words for the purpose before each text. */
export function addPrefix(texts: readonly string[], purpose: Purpose, settings: WireSettings): string[] {
  const prefix = (purpose === "query" ? settings.queryPrefix : settings.documentPrefix) ?? "";
  return texts.map((text) => prefix + text);
}

/** Vectors under other prefixes or of other lengths are other vectors. */
export function formatId(provider: string, model: string, settings: WireSettings): string {
  const { dimensions, documentPrefix } = settings;
  const prefix = documentPrefix?.trim();
  return `${provider}/${model}${dimensions ? `@${dimensions}` : ""}${prefix ? `+${prefix}` : ""}`;
}
