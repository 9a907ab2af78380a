/**
 * Names that the model writes (`@ann`, `#general`): those that the platform knows become its own mentions, those that would
 * call everybody are made inert. Only ever given plain words: code, addresses and labels of links are left alone.
 */
import type { Inline } from "./document.ts";

/** Gives the platform's own mention for a name, ready to be put in the rendered text; undefined when it knows nobody of that name. */
export interface MentionWriter {
  /** `name` as it was written, without the `@`. */
  user(name: string): string | undefined;
  channel(name: string): string | undefined;
}

/** Shows nothing and joins nothing: what it parts is no longer one name or one command. */
export const inertMark = "\u200b";

/** Not behind a letter (a mail address), another sign, or a path (`site.org/@ann`). Chats may have symbols in their names. */
const signed =
  /(?<![\p{L}\p{M}\p{N}_@#&]|\.\p{L}{1,24}\/)(?:@([\p{L}\p{M}\p{N}\p{Join_C}._-]{1,100})|#([\p{L}\p{M}\p{N}\p{So}\p{Join_C}._-]{1,100}))(?![\p{L}\p{M}\p{N}._@-]|\/[\p{L}\p{N}]|:[\p{L}\p{N}-]{1,63}\.\p{L})/gu;
/** Discord finds the first two in any row of letters. */
const everybody = /@(?=everyone|here|(?:everybody|channel|group|all|room)(?![a-z0-9]))/gi;
/** Enough for the stops at the end of a sentence; keeps a long row of dots from costing many look-ups. */
const maxGuesses = 8;

/** The words with every known name taken out of them as a mention. */
export function splitMentions(words: string, mentions: MentionWriter): Inline[] {
  if (!/[@#]/.test(words)) return [{ type: "text", words }];
  const nodes: Inline[] = [];
  let done = 0;
  for (const { index, 1: user, 2: channel } of words.matchAll(signed)) {
    const find = user === undefined ? mentions.channel : mentions.user;
    const found = findLongest(user ?? channel ?? "", (name) => find.call(mentions, name));
    if (!found) continue;
    const end = index + 1 + found.name.length;
    if (index > done) nodes.push({ type: "text", words: words.slice(done, index) });
    nodes.push({ type: "mention", written: found.written, words: words.slice(index, end) });
    done = end;
  }
  if (done < words.length) nodes.push({ type: "text", words: words.slice(done) });
  return nodes;
}

/** Names that would call everybody look the same afterwards and call nobody. */
export const breakMassMentions = (words: string): string =>
  words.includes("@") ? words.replace(everybody, `@${inertMark}`) : words;

/** The same for a web address, which stays the same address. */
export const encodeMassMentions = (url: string): string => url.replace(everybody, "%40");

function findLongest(written: string, find: (name: string) => string | undefined) {
  for (const name of listNames(written)) {
    const mention = find(name);
    if (mention !== undefined) return { name, written: mention };
  }
  return undefined;
}

/**
 * What in `ann.smith...` may be the name, longest first. Punctuation at the end may be the sentence's own, and so may be
 * everything behind a double one or a symbol. Half of a name is never guessed: `ann.smith` is not `ann`.
 */
function listNames(written: string): string[] {
  const characters = [...written];
  const isStop = (index: number) => /^[._-]$/.test(characters[index] ?? ".");
  const isSymbol = (index: number) => /^\p{So}$/u.test(characters[index] ?? "");
  const names = [written];
  for (let end = characters.length - 1; end > 0 && names.length < maxGuesses; end--) {
    if (isSymbol(end) || (isStop(end) && isStop(end + 1))) names.push(characters.slice(0, end).join(""));
  }
  return names;
}
