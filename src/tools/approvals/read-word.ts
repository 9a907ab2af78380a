/**
 * One word of a parsed command line as the text that the program will get. Only what means the same whatever the folder, the
 * variables and the locale are is read; everything else is named and left to a person.
 */
import type { Word, WordPart } from "unbash";

export type Shell = "bash" | "sh";
export type ReadWord = { type: "text"; text: string } | { type: "unread"; why: string };

/** Characters that mean something to some shell when no quote is around them, or that pass for a space. */
const specialBare = /[\s$`"'*?[\]{}~()<>|&;\\]|\p{Z}|\p{C}/u;

export function readWord(word: Word, shell: Shell): ReadWord {
  let text = "";
  for (const part of partsOf(word)) {
    const read = readPart(part, shell);
    if (read.type === "unread") return read;
    text += read.text;
  }
  // Two readings that were made apart: where they differ, one of them is wrong.
  return text === word.value ? { type: "text", text } : unread("a word that can be read in two ways");
}

/** A word without parts is all bare. */
const partsOf = ({ parts, text, value, pos, end }: Word): readonly WordPart[] =>
  parts ?? [{ type: "Literal", text, value, pos, end }];

function readPart(part: WordPart, shell: Shell): ReadWord {
  switch (part.type) {
    case "Literal":
      return readBare(part.text);
    case "SingleQuoted":
      return toText(part.text.slice(1, -1));
    case "DoubleQuoted": {
      const inner = part.parts.find(({ type }) => type !== "Literal");
      if (inner) return readPart(inner, shell);
      return toText(part.text.slice(1, -1).replace(/\\(?:\n|([$`"\\]))/g, "$1"));
    }
    case "AnsiCQuoted":
      return shell === "bash" ? readAnsiC(part.text.slice(2, -1)) : unread("$'…', which sh reads differently");
    default:
      return unread(reasons[part.type]);
  }
}

const reasons: Record<
  Exclude<WordPart["type"], "Literal" | "SingleQuoted" | "DoubleQuoted" | "AnsiCQuoted">,
  string
> = {
  Glob: "a file name pattern",
  ExtendedGlob: "a file name pattern",
  BraceExpansion: "a brace expansion",
  LocaleString: '$"…", which depends on the language',
  SimpleExpansion: "a variable",
  ParameterExpansion: "a variable",
  CommandExpansion: "a command inside a command",
  ArithmeticExpansion: "arithmetic",
  ProcessSubstitution: "a process substitution",
};

function readBare(source: string): ReadWord {
  let text = "";
  let isEscaped = false;
  for (const character of source) {
    if (!isEscaped && character !== "\\" && specialBare.test(character)) return unread(nameBare(character));
    if (isEscaped ? character !== "\n" : character !== "\\") text += character;
    isEscaped = !isEscaped && character === "\\";
  }
  return isEscaped ? unread("a backslash at the very end") : toText(text);
}

function nameBare(character: string): string {
  if (character === "~") return "a ~, which means a home folder";
  return /[*?[\]]/.test(character) ? reasons.Glob : "a special character outside quotes";
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/**
 * What stands inside `$'…'`. Escapes beyond ASCII give bytes, or a text that depends on the locale; a zero ends the word.
 */
function readAnsiC(source: string): ReadWord {
  let text = "";
  for (let at = 0; at < source.length; ) {
    const found = /^\\(?:([abeEfnrtv\\'"?])|x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/.exec(source.slice(at, at + 4));
    if (!found) {
      if (source[at] === "\\") return unread("an escape in $'…' that depends on the locale");
      text += source[at++];
      continue;
    }
    const [whole, simple, hex, octal] = found;
    const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
    if (simple === undefined && !(code > 0 && code < 128))
      return unread("an escape in $'…' that is no plain character");
    text += simple === undefined ? String.fromCharCode(code) : (simpleEscapes[simple] ?? "");
    at += whole.length;
  }
  return toText(text);
}

const toText = (text: string): ReadWord => ({ type: "text", text });
const unread = (why: string): ReadWord => ({ type: "unread", why });
