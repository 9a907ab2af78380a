/**
 * Text as the words that are searched. SQLite's full text search has no idea of Chinese, so it gets words that are cut
 * already: stems in lower case, and for scripts without spaces each character and each pair of neighbours. Files and questions
 * go through the same cut.
 */
import { stem } from "./stem.ts";
import { isStopWord } from "./stop-words.ts";

const longestWord = 40;
const run = /[\p{L}\p{M}\p{N}]+/gu;
const denseScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/** Every word of a text, in order, as often as it occurs. */
export function tokenise(text: string): string[] {
  const words: string[] = [];
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’](?=\p{L})/gu, "");
  for (const [piece] of plain.matchAll(run)) {
    let at = 0;
    for (const dense of piece.matchAll(denseScript)) {
      addWord(words, piece.slice(at, dense.index));
      addDense(words, dense[0]);
      at = dense.index + dense[0].length;
    }
    addWord(words, piece.slice(at));
  }
  return words;
}

/** The words that a question seeks: each once, without those that say nothing unless it has no others. */
export function tokeniseQuery(text: string): string[] {
  const all = [...new Set(tokenise(text))];
  const telling = all.filter((word) => !isStopWord(word));
  return (telling.length > 0 ? telling : all).slice(0, mostQueryWords);
}

const mostQueryWords = 64;

function addWord(words: string[], word: string): void {
  if (word === "") return;
  // Without accents: people leave them out.
  const plain = /^[\x20-\x7e]*$/.test(word) ? word : word.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC");
  if (plain !== "") words.push(stem(plain.slice(0, longestWord).toWellFormed()));
}

function addDense(words: string[], text: string): void {
  const characters = [...text];
  words.push(...characters);
  for (let at = 1; at < characters.length; at++) words.push(`${characters[at - 1]}${characters[at]}`);
}
