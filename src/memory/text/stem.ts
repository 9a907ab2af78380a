/** Brings an English word to its stem (Porter, 1980), so that `meetings` finds `meeting`. Used for files and questions alike. */

const consonant = "[^aeiou]";
const vowel = "[aeiouy]";
const consonants = `${consonant}[^aeiouy]*`;
const vowels = `${vowel}[aeiou]*`;

/** How many times a vowel run is followed by a consonant run: at least one, exactly one, more than one. */
const atLeastOne = new RegExp(`^(${consonants})?${vowels}${consonants}`);
const exactlyOne = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`);
const moreThanOne = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(${consonants})?${vowel}`);
const endsShort = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);

const secondEndings: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["alli", "al"],
  ["ator", "ate"],
  ["logi", "log"],
  ["bli", "ble"],
  ["eli", "e"],
];
const thirdEndings: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const fourthEndings = [
  ..."ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou".split(" "),
] as const;

/** Takes a word in lower case. Words with other letters than a to z come back as they are. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  // A `y` at the beginning is a consonant.
  const isY = word.startsWith("y");
  let rest = isY ? `Y${word.slice(1)}` : word;
  rest = dropPlural(rest);
  rest = dropPast(rest);
  if (rest.endsWith("y") && hasVowel.test(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  rest = replaceEnding(rest, secondEndings);
  rest = replaceEnding(rest, thirdEndings);
  rest = dropEnding(rest);
  rest = dropLastE(rest);
  return rest.toLowerCase();
}

function dropPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function dropPast(word: string): string {
  if (word.endsWith("eed")) return atLeastOne.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const ending = /(?:ed|ing)$/.exec(word);
  if (!ending) return word;
  const rest = word.slice(0, ending.index);
  if (!hasVowel.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return endsShort.test(rest) ? `${rest}e` : rest;
}

function replaceEnding(word: string, endings: readonly (readonly [string, string])[]): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const rest = word.slice(0, -found[0].length);
  return atLeastOne.test(rest) ? rest + found[1] : word;
}

function dropEnding(word: string): string {
  const found = fourthEndings.find((ending) => word.endsWith(ending));
  if (found !== undefined) {
    const rest = word.slice(0, -found.length);
    return moreThanOne.test(rest) ? rest : word;
  }
  if (!/[st]ion$/.test(word)) return word;
  return moreThanOne.test(word.slice(0, -3)) ? word.slice(0, -3) : word;
}

function dropLastE(word: string): string {
  let rest = word;
  if (rest.endsWith("e")) {
    const without = rest.slice(0, -1);
    if (moreThanOne.test(without) || (exactlyOne.test(without) && !endsShort.test(without))) rest = without;
  }
  return rest.endsWith("ll") && moreThanOne.test(rest) ? rest.slice(0, -1) : rest;
}
