/** Texts into vectors: the port `Embedder` of `src/contracts/memory.ts`. */
export type { EmbedderConfig } from "./config.ts";
export { createEmbedder, type EmbedderDeps } from "./create-embedder.ts";
