/**
 * CC-CEDICT, boiled down to one short English gloss per Chinese word. The file is somebody else's and may be anything: what does
 * not look like an entry is left out.
 */
import { readFile, stat } from "node:fs/promises";
import { isRecord } from "../wire.ts";

/** Simplified and traditional words, each with its gloss. */
export type Dictionary = ReadonlyMap<string, string>;

/** The real one has 16 MB. */
const maxFileBytes = 64 * 1024 * 1024;
/** Longer "words" are sayings and names of institutions; they are read in parts. */
export const longestWord = 8;
const maxGlossWords = 6;
/** Senses that say something about the word and not what it means. */
const sayingNothing =
  /^(?:surname |(?:old |erroneous |archaic |Japanese |popular )?variant of |same as |see |see also |CL:|abbr\. (?:for|of|to) |used in |classifier |also written |also pr\.|Taiwan pr\.|\((?:interjection|particle)|radical )/i;

/** Rejects when it cannot be read or is not such a list. */
export async function loadDictionary(path: string): Promise<Dictionary> {
  const { size } = await stat(path);
  if (size > maxFileBytes) throw new Error(`${path} is larger than ${maxFileBytes} bytes`);
  const entries: unknown = JSON.parse(await readFile(path, "utf8"));
  if (!Array.isArray(entries)) throw new Error(`${path} is not a list of words`);
  return buildDictionary(entries);
}

export function buildDictionary(entries: readonly unknown[]): Dictionary {
  const dictionary = new Map<string, string>();
  const names = new Map<string, string>();
  for (const entry of entries) {
    if (!isRecord(entry)) continue;
    const gloss = pickGloss(entry["english"]);
    if (gloss === undefined) continue;
    // A capital is the mark of a name (its pronunciation has one): an everyday meaning goes before it.
    const target = /^[A-Z]/.test(String(entry["pinyin"])) ? names : dictionary;
    for (const word of [entry["simplified"], entry["traditional"]]) {
      if (typeof word !== "string" || word.length > longestWord || target.has(word)) continue;
      target.set(word, gloss);
    }
  }
  for (const [word, gloss] of names) if (!dictionary.has(word)) dictionary.set(word, gloss);
  return dictionary;
}

function pickGloss(senses: unknown): string | undefined {
  if (!Array.isArray(senses)) return undefined;
  for (const sense of senses) {
    if (typeof sense !== "string" || sayingNothing.test(sense)) continue;
    const gloss = shorten(sense);
    if (gloss !== "") return gloss;
  }
  return undefined;
}

/** The first meaning, without what stands in brackets, in a few words. */
function shorten(sense: string): string {
  const plain = sense
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, " ")
    .replace(/\p{Script=Han}+\|?/gu, " ")
    .split(/[;:]/)
    .map((part) => part.trim())
    .find((part) => part !== "");
  return (plain ?? "").split(/\s+/).slice(0, maxGlossWords).join(" ");
}
