/** A tree of text files to search through, about 40 MB: benches/grep.ts. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildProse } from "./prose.ts";

export const fileCount = 10_000;
const filesPerFolder = 100;
const linePool = 500;

/** How often each word stands in a line of its own, in all files together. */
export const searchedWords = { rare: "heliotrope", common: "lantern", absent: "quicksilver" } as const;
const rareEvery = 800;
const commonEveryLines = 10;

export interface WrittenFiles {
  /** Lines with the word. */
  matches: Record<keyof typeof searchedWords, number>;
}

/** Files of 20 to 90 lines, below `folder`. */
export async function writeFiles(folder: string): Promise<WrittenFiles> {
  const lines = Array.from({ length: linePool }, (_each, n) => buildProse(n, 40 + (n % 60)));
  const matches = { rare: 0, common: 0, absent: 0 };
  for (let first = 0; first < fileCount; first += filesPerFolder) {
    const part = join(folder, `part-${first / filesPerFolder}`);
    await mkdir(part, { recursive: true });
    const written = Array.from({ length: filesPerFolder }, (_each, n) => {
      const text = buildLines(first + n, lines);
      matches.rare += text.filter((line) => line.includes(searchedWords.rare)).length;
      matches.common += text.filter((line) => line.includes(searchedWords.common)).length;
      return writeFile(join(part, `file-${n}.txt`), `${text.join("\n")}\n`);
    });
    await Promise.all(written);
  }
  return { matches };
}

function buildLines(file: number, pool: readonly string[]): string[] {
  const count = 20 + ((file * 13) % 71);
  return Array.from({ length: count }, (_each, line) => {
    const text = pool[(file * 31 + line * 7) % pool.length] ?? "";
    if (line % commonEveryLines === 3) return `${text} ${searchedWords.common}`;
    return file % rareEvery === 5 && line === 11 ? `${text} ${searchedWords.rare}` : text;
  });
}
