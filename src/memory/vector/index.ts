/** Nearest vectors: the port `VectorIndex` of `src/contracts/memory.ts`, twice. */
export { createBitIndex } from "./bit-index.ts";
export { toSignBits } from "./sign-bits.ts";
export { createSqliteVecIndex } from "./sqlite-vec-index.ts";
