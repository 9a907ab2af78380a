/** Vectors made from a seed: spread evenly, or in clusters as those of real sentences are. Ids have gaps, as rows in a table do. */

export interface StoredVector {
  id: number;
  vector: Float32Array;
}

/** In [0, 1), always the same for a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomVectors(random: () => number, count: number, dimensions: number): StoredVector[] {
  return Array.from({ length: count }, (_each, n) => ({
    id: 1 + n * 3,
    vector: toUnit(Float32Array.from({ length: dimensions }, () => normal(random))),
  }));
}

/** About 40 to a cluster, all a little to one side of the origin, as an embedding model's are. */
export function clusteredVectors(random: () => number, count: number, dimensions: number): StoredVector[] {
  const lean = Float32Array.from({ length: dimensions }, () => normal(random) * 0.5);
  const centres = Array.from({ length: Math.ceil(count / 40) }, () =>
    Float32Array.from({ length: dimensions }, (_each, at) => normal(random) + (lean[at] ?? 0)),
  );
  return Array.from({ length: count }, (_each, n) => {
    const centre = centres[Math.floor(random() * centres.length)] ?? lean;
    return { id: 1 + n * 3, vector: toUnit(centre.map((value) => value + normal(random) * 0.8)) };
  });
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
