/**
 * The signs of a vector's numbers, 32 to a word: what is left of it in memory. Two vectors that point the same way have few
 * bits that differ, so counting those finds the candidates; the exact cosine is asked for them alone.
 */

export const wordsFor = (dimensions: number) => Math.ceil(dimensions / 32);

export function toSignBits(vector: Float32Array): Uint32Array {
  const bits = new Uint32Array(wordsFor(vector.length));
  writeSignBits(vector, bits, 0);
  return bits;
}

/** Into `target`, from the word `offset` on. */
export function writeSignBits(vector: Float32Array, target: Uint32Array, offset: number): void {
  for (let word = 0; word * 32 < vector.length; word++) {
    let bits = 0;
    const end = Math.min(32, vector.length - word * 32);
    for (let bit = 0; bit < end; bit++) if ((vector[word * 32 + bit] ?? 0) > 0) bits |= 1 << bit;
    target[offset + word] = bits;
  }
}

/** In how many bits `query` differs from the words of `all` that begin at `offset`. */
export function countDifferences(query: Uint32Array, all: Uint32Array, offset: number): number {
  let count = 0;
  for (let word = 0; word < query.length; word++) {
    let bits = (query[word] as number) ^ (all[offset + word] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
