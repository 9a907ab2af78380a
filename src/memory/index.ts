/** What is remembered: an index over files, searched by words and by meaning. */
export { checkMemory, type MemoryFinding } from "./check-memory.ts";
export { type MemoryConfig, memoryConfig } from "./config.ts";
export { createMemory } from "./create-memory.ts";
export { createEmbedder } from "./embed/index.ts";
export type { MemorySourceRoots } from "./sources/source.ts";
