/**
 * Chinese for a model that reads English: every word becomes its gloss, longest match first. Bad English, but in the right
 * place among the vectors: Chinese notes are found by Chinese and by English questions (docs/memory-embedders.md has the figures).
 */
import { type Dictionary, longestWord } from "./dictionary.ts";

const han = /\p{Script=Han}+/gu;
const months = "January February March April May June July August September October November December".split(" ");
/** Words that only hold a sentence together. */
const particles = new Set("的 了 吗 呢 吧 啊 着 得 地 嘛 呀 之 所 也 都 就 而 及 与".split(" "));

export const hasHan = (text: string) => /\p{Script=Han}/u.test(text);

/** Of its letters. */
export function isMostlyHan(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(/\p{Script=Han}/gu)?.length ?? 0) * 2 > letters;
}

export function glossText(text: string, dictionary: Dictionary): string {
  return writeDates(text)
    .replace(han, (run) => ` ${glossRun(run, dictionary).join(" ")} `)
    .replace(/[，、；：]/g, ", ")
    .replace(/[。！？]/g, ". ")
    .replace(/[ \t]+/g, " ")
    .trim();
}

/** `2026年3月14日` has its sense as a whole; the glosses would be year, month and sun. */
function writeDates(text: string): string {
  return text
    .replace(/(\d{4})\s*年/g, " $1 ")
    .replace(/(?<!\d)(1[0-2]|0?[1-9])\s*月(?!份)/gu, (_all, month: string) => ` ${months[Number(month) - 1]} `)
    .replace(/(?<!\d)(3[01]|[12]\d|0?[1-9])\s*[日号號]/g, " $1 ");
}

function glossRun(run: string, dictionary: Dictionary): string[] {
  const words: string[] = [];
  for (let at = 0; at < run.length; ) {
    const word = matchWord(run, at, dictionary);
    at += word.length;
    if (!particles.has(word)) words.push(dictionary.get(word) ?? "");
  }
  return words.filter((word) => word !== "");
}

/** The longest word of the dictionary that begins at `at`; where there is none, one character. */
function matchWord(run: string, at: number, dictionary: Dictionary): string {
  for (let length = Math.min(longestWord, run.length - at); length > 1; length--) {
    const word = run.slice(at, at + length);
    if (dictionary.has(word)) return word;
  }
  return String.fromCodePoint(run.codePointAt(at) ?? 0);
}
