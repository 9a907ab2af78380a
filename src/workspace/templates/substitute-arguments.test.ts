import assert from "node:assert/strict";
import { test } from "node:test";
import { substituteArguments } from "./substitute-arguments.ts";

const twelve = Array.from({ length: 12 }, (_, n) => `a${n + 1}`);
const cases: [template: string, args: string[], expected: string][] = [
  ["plain", ["x"], "plain"],
  ["$1-$2", ["x", "y z"], "x-y z"],
  ["$1$2$3.", ["x"], "x."],
  ["$12 $1", twelve, "a12 a1"],
  ["[$99999999999999999999]", twelve, "[]"],
  ["$@", ["x", "y z"], "x y z"],
  ["$ARGUMENTS", ["x", "y z"], "x y z"],
  ["[$@][$ARGUMENTS]", [], "[][]"],
  ["$@x$ARGUMENTS.", ["1"], "1x1."],
  ["${@:2}", ["x", "y", "z"], "y z"],
  ["${@:1}|${@:0}", ["x", "y"], "x y|x y"],
  ["[${@:4}]", ["x", "y", "z"], "[]"],
  ["${@:2:1}", ["x", "y", "z"], "y"],
  ["${@:2:9}", ["x", "y", "z"], "y z"],
  ["${@:0:2}", ["x", "y", "z"], "x y"],
  ["[${@:2:0}]", ["x", "y", "z"], "[]"],
  // Everything else with a dollar is the template's own.
  [
    "$ $0 $01 $x $HOME ${1} ${@} ${@: 2} ${@:-1} ${@:1:} $ARGUMENTSX $ARGUMENT $arguments",
    ["q"],
    "$ $0 $01 $x $HOME ${1} ${@} ${@: 2} ${@:-1} ${@:1:} $ARGUMENTSX $ARGUMENT $arguments",
  ],
  ["$$1 \\$1", ["x"], "$x \\x"],
  // What comes in is never looked at again, nor taken for a pattern of replacement.
  ["$1 $2", ["$2", "$1 $@ ${@:1} $& $$"], "$2 $1 $@ ${@:1} $& $$"],
  ["$@", ["$", "1"], "$ 1"],
  ["$1$2", ["$", "1"], "$1"],
];

for (const [template, args, expected] of cases) {
  test(`${template.slice(0, 40)} of ${JSON.stringify(args.slice(0, 4))}`, () => {
    assert.equal(substituteArguments(template, args, 1000), expected);
  });
}

test("a result that would be too long is none, and is not built first", () => {
  assert.equal(substituteArguments("$1", ["x".repeat(1000)], 1000)?.length, 1000);
  assert.equal(substituteArguments("$1.", ["x".repeat(1000)], 1000), undefined);
  const startedAt = performance.now();
  assert.equal(substituteArguments("$@".repeat(30_000), ["x".repeat(100_000)], 200_000), undefined);
  assert.ok(performance.now() - startedAt < 500);
});
