/**
 * A memory of many thousand pieces for benches/memory-search.ts: words as often as in the quality set, some rare ones among them, and
 * vectors that lie in clusters as those of sentences do. Everything comes from a seed.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../src/contracts/memory.ts";
import { createRandom } from "../test/fakes/vectors.ts";

const dimensions = 384;
const piecesPerFile = 100;
const wordsPerPiece = 55;
const clusterCount = 2500;
/** So many of a hundred words are rare ones. */
const rarePercent = 15;
const rareWords = 40_000;

/** A text of `count` words. `common`: the words of real notes, each as often as it stands there. */
export function buildPiece(random: () => number, common: readonly string[], count = wordsPerPiece): string {
  const pick = () => {
    const isRare = random() * 100 < rarePercent;
    // Squared: the first of them are still met often, the last hardly ever.
    return isRare ? `w${Math.floor(random() ** 2 * rareWords)}` : (common[Math.floor(random() * common.length)] ?? "");
  };
  return Array.from({ length: count }, pick).join(" ");
}

/** `pieceCount` pieces below headings of their own, in `<dir>/memory/`. Gives some of the texts, to ask for. */
export async function writeManyNotes(
  dir: string,
  { pieceCount, common, sampleCount }: { pieceCount: number; common: readonly string[]; sampleCount: number },
): Promise<string[]> {
  const random = createRandom(2026);
  const samples: string[] = [];
  const every = Math.floor(pieceCount / sampleCount);
  await mkdir(join(dir, "memory"), { recursive: true });
  for (let file = 0; file * piecesPerFile < pieceCount; file++) {
    const sections: string[] = [];
    for (let at = file * piecesPerFile; at < Math.min(pieceCount, (file + 1) * piecesPerFile); at++) {
      const text = buildPiece(random, common);
      if (at % every === 0) samples.push(text);
      sections.push(`## number ${at}\n\n${text}\n`);
    }
    await writeFile(join(dir, "memory", `notes-${file}.md`), sections.join("\n"));
  }
  return samples;
}

/** Costs nothing to speak of: what is measured is the search. The same text has the same vector. */
export function createSyntheticEmbedder(): Embedder {
  const centres = Array.from({ length: clusterCount }, (_each, n) => spread(createRandom(n + 1), 1));
  return {
    id: "bench/clusters",
    batchSize: 256,
    async embed(texts) {
      return texts.map((text) => {
        const seed = [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, 7);
        const random = createRandom(seed);
        const centre = centres[Math.floor(random() * clusterCount)] ?? [];
        const noise = spread(random, 0.8);
        return toUnit(Float32Array.from(noise, (value, at) => value + (centre[at] ?? 0)));
      });
    },
    close: async () => {},
  };
}

const spread = (random: () => number, width: number) =>
  Float32Array.from({ length: dimensions }, () => (random() + random() + random() - 1.5) * width);

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
