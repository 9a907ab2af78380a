/**
 * Glob patterns, matched in time proportional to pattern × path: a pattern from a model must not be able to stall mom, as
 * a translation into a regular expression could. `*` `?` `[a-z]` stay within a name, `**` spans folders, `{a,b}` chooses.
 * A pattern without a slash matches the name in any folder.
 */
const maxAlternatives = 64;

export function buildGlobMatcher(pattern: string): (path: string) => boolean {
  const rooted = pattern.replace(/^\.\//, "/");
  const alternatives = expandBraces(rooted).map((alternative) => {
    const segments: Segment[] = alternative.replace(/^\/+/, "").split("/").map(toSegment);
    return alternative.includes("/") ? segments : [anyFolders, ...segments];
  });
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchesPath(segments, names));
  };
}

const anyFolders = "**" as const;
type Segment = typeof anyFolders | CharacterTest[];
/** `*` within a name, or a test of one character. */
type CharacterTest = "*" | ((character: string) => boolean);

function toSegment(text: string): Segment {
  return text === anyFolders ? anyFolders : toCharacterTests(text);
}

function toCharacterTests(text: string): CharacterTest[] {
  const tests: CharacterTest[] = [];
  for (let rest = text; rest !== ""; ) {
    const token = /^(?:\\(?<escaped>.)|\[(?<negation>[!^]?)(?<set>\]?[^\]]*)\]|(?<plain>.))/su.exec(rest);
    if (token?.groups === undefined) break;
    rest = rest.slice(token[0].length);
    const { escaped, negation, set, plain } = token.groups;
    if (set !== undefined) tests.push(toSetTest(set, negation !== ""));
    else if (plain === "*") {
      if (tests.at(-1) !== "*") tests.push("*");
    } else if (plain === "?") tests.push(() => true);
    else tests.push((character) => character === (escaped ?? plain));
  }
  return tests;
}

function toSetTest(set: string, isNegated: boolean): (character: string) => boolean {
  const characters = [...set];
  const ranges: [string, string][] = [];
  for (let i = 0; i < characters.length; i++) {
    const from = characters[i] ?? "";
    const to = characters[i + 2];
    const isRange = characters[i + 1] === "-" && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) i += 2;
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated;
}

const matchesPath = (segments: Segment[], names: string[]): boolean =>
  matchesWithStars(
    segments,
    names,
    (segment) => segment === anyFolders,
    (segment, name) => segment !== anyFolders && matchesName(segment, name),
  );

const matchesName = (tests: CharacterTest[], name: string): boolean =>
  matchesWithStars(
    tests,
    [...name],
    (test) => test === "*",
    (test, character) => test !== "*" && test(character),
  );

/** A star takes as little as it can; on a mismatch only the last star needs to take one more. */
function matchesWithStars<P, I>(
  pattern: P[],
  items: I[],
  isStar: (part: P) => boolean,
  matches: (part: P, item: I) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let retry: { p: number; i: number } | undefined;
  while (i < items.length) {
    const part = pattern[p];
    const item = items[i];
    if (part !== undefined && isStar(part)) {
      retry = { p: p + 1, i };
      p++;
    } else if (part !== undefined && item !== undefined && matches(part, item)) {
      p++;
      i++;
    } else if (retry !== undefined) {
      retry.i++;
      ({ p, i } = retry);
    } else return false;
  }
  return pattern.slice(p).every(isStar);
}

/** `a{b,c}d` → `abd`, `acd`, nested ones too; what goes beyond the bound is left as it is written. */
function expandBraces(pattern: string): string[] {
  let found = [pattern];
  for (;;) {
    const next = found.flatMap(expandInnermost);
    if (next.length === found.length || next.length > maxAlternatives) return found;
    found = next;
  }
}

function expandInnermost(pattern: string): string[] {
  const braces = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (braces === null) return [pattern];
  const before = pattern.slice(0, braces.index);
  const after = pattern.slice(braces.index + braces[0].length);
  return (braces[1] ?? "").split(",").map((choice) => before + choice + after);
}
