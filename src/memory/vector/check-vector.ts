/** What every vector index asks of a vector before it takes it: the same length as the others, and a direction. */
import { EmbedError } from "../embed/embed-error.ts";

/** Throws `EMBED_DIMENSION` or `EMBED_VECTOR_INVALID`. `dimensions` undefined: there are no others yet. */
export function checkVector(vector: Float32Array, dimensions: number | undefined): void {
  if (vector.length === 0 || (dimensions !== undefined && vector.length !== dimensions)) {
    const wanted = dimensions === undefined ? "at least 1" : String(dimensions);
    throw new EmbedError("EMBED_DIMENSION", `A vector has ${vector.length} dimensions, not ${wanted}`, {
      hint: "Vectors of different models cannot be compared: build the index anew.",
    });
  }
  const length = lengthOf(vector);
  if (!Number.isFinite(length) || length === 0) {
    throw new EmbedError(
      "EMBED_VECTOR_INVALID",
      "A vector has no direction: it is zero, or not made of finite numbers",
    );
  }
}

/** Checks all before anything is changed; gives their length. They must agree with each other as well. */
export function checkItems(items: readonly { vector: Float32Array }[], dimensions: number | undefined): number {
  let agreed = dimensions;
  for (const { vector } of items) {
    checkVector(vector, agreed);
    agreed = vector.length;
  }
  return agreed ?? 0;
}

export function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** Best first; among equals the smaller id, so that the same question has the same answer. */
export const byScore = (a: { id: number; score: number }, b: { id: number; score: number }) =>
  b.score - a.score || a.id - b.id;
