import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments } from "./parse-arguments.ts";

const cases: [text: string, expected: string[]][] = [
  ["", []],
  ["  \n\t ", []],
  ["a", ["a"]],
  ["  a  b\tc\nd ", ["a", "b", "c", "d"]],
  ["'a b' c", ["a b", "c"]],
  ['"a b" c', ["a b", "c"]],
  [`"it's" 'say "hi"'`, ["it's", 'say "hi"']],
  [`a"b c"d'e f'g`, ["ab cde fg"]],
  [`"" '' x`, ["", "", "x"]],
  [String.raw`a\ b c`, ["a b", "c"]],
  [String.raw`\"a \'b \\c`, ['"a', "'b", "\\c"]],
  [String.raw`"a \"b\" \\ \n c"`, [String.raw`a "b" \ \n c`]],
  [String.raw`'a \n \' b`, ["a \\n \\", "b"]],
  ["a\\", ["a\\"]],
  ["\\", ["\\"]],
  // Never closed: the rest is one argument.
  ['a "b c d', ["a", "b c d"]],
  ['a \'b "c" d ', ["a", 'b "c" d']],
  ["don't stop now", ["don't stop now"]],
  ['say 5" wide', ["say", '5" wide']],
  ['"', [""]],
  ["$1 ${@:2}", ["$1", "${@:2}"]],
  ["🦉 '🦉 🦉'", ["🦉", "🦉 🦉"]],
];

for (const [text, expected] of cases) {
  test(`arguments of ${JSON.stringify(text)}`, () => assert.deepEqual(parseArguments(text), expected));
}
