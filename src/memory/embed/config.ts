/** What says which embedder: the `memory.embedder` slice of the configuration, as `src/memory/config.ts` checks it. */

export interface EmbedderConfig {
  /** `auto`: the local model where it is installed, else none. */
  type: "auto" | "local" | "openai" | "gemini" | "ollama" | "compatible" | "none";
  /** Absent: the usual one of the type. `compatible` needs it. */
  model?: string | undefined;
  /** Absent: the type's own. `compatible` needs it. */
  baseUrl?: string | undefined;
  /** Absent: the key that the models have; `ollama` and `compatible` may need none. */
  apiKey?: string | undefined;
  /** Shorter vectors than the model's own, for models that can. */
  dimensions?: number | undefined;
  /** Put before a question; some models were trained with one. */
  queryPrefix?: string | undefined;
  /** Put before what is remembered. */
  documentPrefix?: string | undefined;
}
