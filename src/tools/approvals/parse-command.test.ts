/** What is judged simple is exactly what a real bash runs; everything that depends on something else is not simple. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { parseCommand } from "./parse-command.ts";

const argvOf = (source: string) => {
  const parsed = parseCommand(source, "bash");
  return parsed.type === "simple" ? parsed.commands.map(({ argv }) => argv) : parsed.why;
};

/**
 * The words that bash gives to a program called `p`, per command of each source; in a folder and with variables that would
 * change a word if it were expanded.
 */
async function askBash(context: TestContext, sources: readonly string[]): Promise<string[][][]> {
  const { dir, put } = await createTempFolder(context);
  for (const name of ["a", "ab", "-n", "b c", "x1", "{", "é"]) await put(name, "");
  const loop = `p() { printf '%s\\0' p "$@"; printf '\\1\\0'; }
    while IFS= read -r -d '' source; do (eval "$source"); printf '\\2\\0'; done`;
  const { stdout, status } = spawnSync("/bin/bash", ["--norc", "-c", loop], {
    cwd: dir,
    env: { PATH: "/usr/bin:/bin", HOME: "/home/of/ann", a: "A", x: "X", LC_ALL: "C.UTF-8" },
    input: sources.map((source) => `${source}\0`).join(""),
    encoding: "utf8",
  });
  assert.equal(status, 0);
  const results = stdout.split("\x02\0").slice(0, -1);
  return results.map((result) =>
    result
      .split("\x01\0")
      .slice(0, -1)
      .map((words) => words.split("\0").slice(0, -1)),
  );
}

const simple = [
  "p",
  "p a b  c",
  "  p\ta\t",
  "p 'a b' \"c d\" e\\ f",
  "p '' \"\" x''y",
  "p 'it'\\''s'",
  'p "a\\"b\\\\c\\$d\\`e\\x"',
  'p "a\\\nb" c\\\nd',
  "p 'a\nb' \"c\nd\"",
  "p $'a\\nb\\t\\x41\\101\\e\\'\\\"\\\\\\?'",
  "p $'\\x4z' $'\\1012'",
  "p a=b --x=y -a",
  "p a#b # the rest is a comment; rm -rf /",
  "# first\np a",
  "p a && p b || p c; p d\np e",
  "p a;",
  "p a &&\n p b",
  "'p' a",
  "\\p a",
  'p""p a',
  "p 'ä ö' é日本 😀 \"“quoted”\"",
  "p a! '!' !x",
  "p @ % ^ + , : / . .. - -- =",
  "p '$x' \\$x '`id`' '$(id)' \\* '*' \\~ '~' '{a,b}' \\{a,b\\}",
  "p 'a' \\\n  'b'",
];

test("the corpus: each word is what bash makes of it", async (context) => {
  const heard = await askBash(context, simple);
  for (const [at, source] of simple.entries()) {
    const expected = heard[at] ?? [];
    const read = argvOf(source);
    assert.ok(Array.isArray(read), `${source}: ${read}`);
    // bash runs only one side of an `or`, and "pp" is no program there.
    if (/\|\||""/.test(source)) continue;
    assert.deepEqual(read, expected, source);
  }
  assert.deepEqual(
    argvOf("p a && p b || p c; p d\np e"),
    [..."abcde"].map((word) => ["p", word]),
  );
});

const complex: [source: string, why: RegExp][] = [
  ["A=1 p", /sets a variable/],
  ["A=1", /sets a variable/],
  ["A+=1 p", /sets a variable/],
  ["A[0]=1 p", /sets a variable/],
  ["A=(1 2) p", /sets a variable/],
  ["p $x", /a variable/],
  ["p ${x}", /a variable/],
  ['p "a $x"', /a variable/],
  ["p ${x:-y}", /a variable/],
  ["p $1 $@ $? $$", /a variable/],
  ["p $(id)", /a command inside a command/],
  ["p `id`", /a command inside a command/],
  ['p "$(id)"', /a command inside a command/],
  ['p "`id`"', /a command inside a command/],
  ["$(echo p)", /a command inside a command/],
  ["p $((1+1))", /arithmetic/],
  ["p <(id)", /process substitution|redirection/],
  ["p >(id)", /process substitution|redirection/],
  ["p > f", /redirection/],
  ["p 2>/dev/null", /redirection/],
  ["p < f", /redirection/],
  ["p >> f", /redirection/],
  ["p &> f", /redirection/],
  ["> f", /redirection/],
  ["p <<< x", /redirection/],
  ["p <<E\nx\nE", /redirection/],
  ["p |& p", /redirection/],
  ["{ p; } > f", /redirection/],
  ["p *", /file name pattern/],
  ["p a?", /file name pattern/],
  ["p [ab]", /file name pattern/],
  ["p @(a|b)", /pattern|parsed/],
  ["p {a,b}", /brace expansion/],
  ["p {1..3}", /brace expansion/],
  ["p {}", /special character/],
  ["p ~", /home folder/],
  ["p ~/x", /home folder/],
  ["p a=~/x", /home folder/],
  ["p x:~", /home folder/],
  ["p &", /background/],
  ["p & p", /background/],
  ["(p)", /control flow or a group/],
  ["{ p; }", /control flow or a group/],
  ["if p; then p; fi", /control flow or a group/],
  ["for x in a; do p; done", /control flow or a group/],
  ["while p; do p; done", /control flow or a group/],
  ["case a in a) p;; esac", /control flow or a group/],
  ["[[ -f a ]]", /control flow or a group/],
  ["((1))", /control flow or a group/],
  ["coproc p", /control flow or a group/],
  ["f() { p; }", /defines a function/],
  ["function f { p; }", /defines a function/],
  ["! p", /in front/],
  ["time p", /in front/],
  ["eval p", /`eval` is a command of the shell/],
  ["'eval' p", /`eval` is a command of the shell/],
  ["exec p", /command of the shell/],
  [". ./f", /command of the shell/],
  ["source f", /command of the shell/],
  ["cd /; p", /command of the shell/],
  ["command p", /command of the shell/],
  ["builtin echo", /command of the shell/],
  ["alias p=rm", /sets a variable|command of the shell/],
  ["trap 'id' EXIT", /command of the shell/],
  ["export A=b", /sets a variable|command of the shell/],
  ["declare A=b", /sets a variable|command of the shell/],
  ["printf -v PATH x; p", /sets a variable/],
  ["printf -vPATH x", /sets a variable/],
  ["p $'\\xff'", /no plain character/],
  ["p $'\\0'", /no plain character/],
  ["p $'\\200'", /no plain character/],
  ["p $'\\u00e9'", /locale/],
  ["p $'\\cA'", /locale/],
  ['p $"x"', /language/],
  ["p 'a", /cannot be parsed/],
  ["p )", /cannot be parsed/],
  ["p (\n", /besides programs and their words|cannot be parsed/],
  ["p a\\", /backslash at the very end/],
  ["p\u00a0a", /special character/],
  ["p \u200ba", /special character/],
  ["p a\rb", /control characters/],
  ["p a\0b", /control characters/],
  ["p \u001b[2J", /control characters/],
  ["p \ud800", /control characters/],
  ["", /runs nothing/],
  ["# p", /runs nothing/],
  ["''", /names no program/],
  [`p ${"x".repeat(20_000)}`, /very long/],
];

test("whatever depends on something else is not simple, and says why", () => {
  for (const [source, why] of complex) {
    const parsed = parseCommand(source, "bash");
    assert.equal(parsed.type, "complex", source);
    if (parsed.type === "complex") assert.match(parsed.why, why, source);
  }
});

test("a pipe gives programs that read one another, and sh reads fewer quotes than bash", () => {
  const parsed = parseCommand("cat f | head -n 1 && ls", "bash");
  assert.deepEqual(parsed, {
    type: "simple",
    commands: [
      { argv: ["cat", "f"], isPiped: false },
      { argv: ["head", "-n", "1"], isPiped: true },
      { argv: ["ls"], isPiped: false },
    ],
  });
  assert.equal(parseCommand("p $'a'", "bash").type, "simple");
  assert.equal(parseCommand("p $'a'", "sh").type, "complex");
});

/** Small, seeded: a failure can be had again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pieces = [
  ..."abx1",
  ..." \t\n'\"\\$`~*?[]{}()<>|&;!#=:,.-/%@^+",
  ...[
    "''",
    '""',
    "$'",
    "\\n",
    "\\x41",
    "\\'",
    '\\"',
    "\\\n",
    "p ",
    " p ",
    "é",
    "\u00a0",
    "-n",
    "{a,b}",
    "&&",
    "||",
    "$x",
  ],
];

test("property: of random lines, those judged simple are run by bash word for word as they were read", async (context) => {
  const random = createRandom(20_260_101);
  const found = new Set<string>();
  while (found.size < 400) {
    const length = 1 + random(12);
    const source = `p ${Array.from({ length }, () => pieces[random(pieces.length)]).join("")}`;
    const parsed = parseCommand(source, "bash");
    // bash would run one side of an `or` only, and know no other program than p.
    if (parsed.type === "simple" && parsed.commands.every(({ argv: [name], isPiped }) => name === "p" && !isPiped))
      if (!source.includes("||")) found.add(source);
  }
  const sources = [...found];
  const heard = await askBash(context, sources);
  for (const [at, source] of sources.entries()) assert.deepEqual(argvOf(source), heard[at], JSON.stringify(source));
});
