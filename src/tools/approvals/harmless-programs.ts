/**
 * Programs that only read and show, with the options that keep them so. Where a command of theirs is allowed for good, its
 * plain operands may be any plain path; an option that is not listed here makes the whole command one of exact words.
 */
import type { ArgumentShape } from "../../contracts/approval.ts";

interface Options {
  /** Letters of options that take no value. */
  flags?: string;
  /** Letters of options that take one, attached or as the next word. */
  valued?: string;
  /** Long options that take no value as a next word: `--name`, `--name=value`. */
  long?: string;
  /** Long options whose value must be attached: `--name=value`. */
  longValued?: string;
  /** `-5` for five lines. */
  hasCount?: true;
}

const lines: Options = { flags: "qvz", valued: "nc", long: "quiet verbose", longValued: "lines bytes", hasCount: true };
const sums: Options = { flags: "bctwz", long: "check quiet status" };
const plain: Options = {};

const programs = new Map<string, Options>([
  [
    "ls",
    {
      flags: "1AaBCcdFfGghHiklLmnNopqQrRsStuUvxXZ",
      long: "all almost-all human-readable recursive reverse size inode directory classify color full-time group-directories-first",
      longValued: "sort time time-style format",
    },
  ],
  ["cat", { flags: "AbeEnstTuv", long: "number show-all" }],
  ["head", lines],
  ["tail", lines],
  ["wc", { flags: "clmwL", long: "bytes chars lines words max-line-length" }],
  ["file", { flags: "bhiL", long: "brief mime mime-type mime-encoding dereference" }],
  ["stat", { flags: "Lft", valued: "c", long: "dereference terse", longValued: "format printf" }],
  [
    "du",
    {
      flags: "0abchHklLmsSx",
      valued: "d",
      long: "all bytes total human-readable summarize apparent-size",
      longValued: "max-depth exclude block-size",
    },
  ],
  [
    "grep",
    {
      flags: "abcEFGhHiIlLnoPqrRsTUvwxyzZ",
      valued: "ABCem",
      long: "ignore-case line-number recursive count files-with-matches files-without-match word-regexp fixed-strings extended-regexp invert-match only-matching no-messages with-filename no-filename color",
      longValued: "include exclude exclude-dir max-count context after-context before-context regexp",
    },
  ],
  [
    "rg",
    {
      flags: ".0cFHiIlLnNopqsSuUvwx",
      valued: "ABCegmMtT",
      long: "hidden files no-ignore ignore-case smart-case line-number no-line-number count files-with-matches files-without-match word-regexp fixed-strings invert-match only-matching multiline json stats no-heading heading no-messages color",
      longValued: "glob iglob type type-not max-count context after-context before-context max-depth sort regexp",
    },
  ],
  ["sort", { flags: "bcCdfghimMnrRsuVz", valued: "kt", long: "reverse unique numeric-sort human-numeric-sort check" }],
  ["diff", { flags: "abBdeinNqrstuwy", valued: "UC", long: "unified brief recursive color side-by-side" }],
  ["cmp", { flags: "bls" }],
  ["comm", { flags: "123z" }],
  ["cut", { flags: "nsz", valued: "bcdf", longValued: "fields delimiter characters bytes output-delimiter" }],
  ["nl", { flags: "p", valued: "bdfhilnsvw" }],
  ["tac", plain],
  ["rev", plain],
  ["fold", { flags: "bs", valued: "w" }],
  ["od", { flags: "abcdfhilosvx", valued: "AjNtw" }],
  ["strings", { flags: "af", valued: "net" }],
  ["md5sum", sums],
  ["sha1sum", sums],
  ["sha256sum", sums],
  ["sha512sum", sums],
  ["realpath", { flags: "eLmPqsz" }],
  ["readlink", { flags: "efmnqsvz" }],
  ["basename", { flags: "az", valued: "s" }],
  ["dirname", { flags: "z" }],
  ["tree", { flags: "aCdDfFhilnpsStux", valued: "IPL", long: "dirsfirst noreport du gitignore" }],
]);

/** Beside those above: they do nothing with their input but show it in another form. */
const filters: ReadonlySet<string> = new Set(["uniq", "tr", "jq", "base64", "column", "xxd", "echo", "true", "false"]);

/** Is what another program writes mere data to this one? To a shell it would be orders. */
export const isHarmlessReader = (name: string): boolean => programs.has(name) || filters.has(name);

/** The shape that a command of the program called `name` may have from now on. */
export function buildShapes(name: string, args: readonly string[]): ArgumentShape[] {
  const options = programs.get(name);
  return (options && widen(args, options)) ?? args.map(exact);
}

/** Undefined: it has an option that is not known. */
function widen(args: readonly string[], options: Options): ArgumentShape[] | undefined {
  const shapes: ArgumentShape[] = [];
  let isValue = false;
  let hasEnded = false;
  for (const word of args) {
    const isOption: boolean = !isValue && !hasEnded && word.length > 1 && word.startsWith("-");
    const kind: Kind | "operand" = isOption ? pickKind(word, options) : "operand";
    if (kind === "unknown") return undefined;
    shapes.push(isOption || isValue || !isPlainPath(word) ? exact(word) : { type: "path" });
    isValue = kind === "takes-next";
    hasEnded ||= kind === "end";
  }
  return shapes;
}

type Kind = "alone" | "takes-next" | "end" | "unknown";

function pickKind(word: string, { flags = "", valued = "", long = "", longValued = "", hasCount }: Options): Kind {
  if (word === "--") return "end";
  if (word.startsWith("--")) {
    const [name = "", value] = word.slice(2).split("=", 2);
    if (long.split(" ").includes(name)) return "alone";
    return value !== undefined && longValued.split(" ").includes(name) ? "alone" : "unknown";
  }
  if (hasCount && /^-\d+$/.test(word)) return "alone";
  const letters = [...word.slice(1)];
  for (const [at, letter] of letters.entries()) {
    if (valued.includes(letter)) return at === letters.length - 1 ? "takes-next" : "alone";
    if (!flags.includes(letter)) return "unknown";
  }
  return "alone";
}

/** A path below the working folder, with nothing in it that could mean more. */
export function isPlainPath(word: string): boolean {
  if (word === "" || /^[-~/]/.test(word) || /[*?[\]{}\\]|\p{C}/u.test(word)) return false;
  return !word.split("/").includes("..");
}

const exact = (text: string): ArgumentShape => ({ type: "exact", text });
