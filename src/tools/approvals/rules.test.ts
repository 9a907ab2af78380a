/** What a rule covers, and what it never does. */
import assert from "node:assert/strict";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { AllowRule } from "../../contracts/approval.ts";
import { createProgramFinder } from "./find-program.ts";
import { isPlainPath } from "./harmless-programs.ts";
import { parseCommand } from "./parse-command.ts";
import { buildRules, matchRules, type ResolvedCommand, resolveCommands } from "./rules.ts";

const findProgram = async (name: string) => (/^[a-z][a-z0-9.]*$/.test(name) ? `/usr/bin/${name}` : undefined);

async function resolve(source: string): Promise<ResolvedCommand[]> {
  const parsed = parseCommand(source, "bash");
  assert.equal(parsed.type, "simple", source);
  const resolved = await resolveCommands(parsed.type === "simple" ? parsed.commands : [], findProgram);
  assert.equal(resolved.type, "resolved", source);
  return resolved.type === "resolved" ? resolved.commands : [];
}
const rulesOf = async (source: string) => buildRules(await resolve(source));
const show = (rules: AllowRule[]) =>
  rules.map(({ program, args }) =>
    [program.slice(9), ...args.map((arg) => (arg.type === "path" ? "<path>" : arg.text))].join(" "),
  );

const built: [source: string, ...rules: string[]][] = [
  ["ls", "ls"],
  ["ls -la notes", "ls -la <path>"],
  ["ls -la /etc", "ls -la /etc"],
  ["ls ../x", "ls ../x"],
  ["ls --color=always a b", "ls --color=always <path> <path>"],
  ["ls -I x a", "ls -I x a"],
  ["cat a/b.md 'c d'", "cat <path> <path>"],
  ["cat -- a", "cat -- <path>"],
  ["cat -- -n", "cat -- -n"],
  ["cat '*' '~x' a", "cat * ~x <path>"],
  ["head -n 20 a", "head -n 20 <path>"],
  ["head -20 a", "head -20 <path>"],
  ["head --lines=3 a", "head --lines=3 <path>"],
  ["head --lines 3 a", "head --lines 3 a"],
  ["tail -f a", "tail -f a"],
  ["grep -rn foo src", "grep -rn <path> <path>"],
  ["grep -e foo src", "grep -e foo <path>"],
  ["grep -f pats src", "grep -f pats src"],
  ["rg -n foo src", "rg -n <path> <path>"],
  ["rg --pre cat foo src", "rg --pre cat foo src"],
  ["rg --pre=cat foo", "rg --pre=cat foo"],
  ["rg -z foo", "rg -z foo"],
  ["sort -o out in", "sort -o out in"],
  ["sort --compress-program=sh in", "sort --compress-program=sh in"],
  ["du -sh a", "du -sh <path>"],
  ["git status -s", "git status -s"],
  ["git log --oneline -5 src", "git log --oneline -5 src"],
  ["git diff --output=x a", "git diff --output=x a"],
  ["git diff --ext-diff a", "git diff --ext-diff a"],
  ["git -c core.pager=id log a", "git -c core.pager=id log a"],
  ["git st a", "git st a"],
  ["git push origin main", "git push origin main"],
  ["python3 script.py a", "python3 script.py a"],
  ["sh -c 'rm -rf x'", "sh -c rm -rf x"],
  ["find . -name x", "find . -name x"],
  ["xargs rm", "xargs rm"],
  ["env ls a", "env ls a"],
  ["awk p a", "awk p a"],
  ["sed -n 1p a", "sed -n 1p a"],
  ["ssh host ls", "ssh host ls"],
  ["sudo ls a", "sudo ls a"],
  ["npm test", "npm test"],
  ["uniq a b", "uniq a b"],
  ["ls a && cat b; ls c", "ls <path>", "cat <path>"],
  ["cat a | sort | uniq -c | head -n 3", "cat <path>", "sort", "uniq -c", "head -n 3"],
  ["cat a | sh"],
  ["echo x | python3"],
  ["echo x | xargs rm"],
  ["echo x | tee a"],
];

test("`always` widens only plain operands of programs that just read", async () => {
  for (const [source, ...rules] of built) assert.deepEqual(show(await rulesOf(source)), rules, source);
});

const matched: [rules: string, source: string, isCovered: boolean][] = [
  ["ls a", "ls b", true],
  ["ls a", "ls sub/dir", true],
  ["ls a", "ls ''", false],
  ["ls a", "ls -R", false],
  ["ls a", "ls /etc", false],
  ["ls a", "ls ../b", false],
  ["ls a", "ls b/../../c", false],
  ["ls a", "ls '~'", false],
  ["ls a", "ls 'b*'", false],
  ["ls a", "ls 'b\nc'", false],
  ["ls a", "ls a b", false],
  ["ls a", "ls", false],
  ["ls a", "'l's \"b\"", true],
  ["ls a", "cat a", false],
  ["ls a; cat a", "cat x && ls y || cat z", true],
  ["ls a; cat a", "cat x && rm y", false],
  ["ls a; cat a", "cat x | ls", false],
  ["sh; cat a", "cat x | sh", false],
  ["sh; cat a", "sh && cat x", true],
  ["python3 a.py", "python3 a.py", true],
  ["python3 a.py", "python3 b.py", false],
  ["python3 a.py", "python3 a.py -x", false],
  ["git log a", "git log b", false],
  ["git log a", "git log --output=x", false],
  ["git log a", "git show b", false],
];

test("a command is covered when each of its programs is, word by word", async () => {
  for (const [from, source, isCovered] of matched) {
    assert.equal(matchRules(await resolve(source), await rulesOf(from)), isCovered, `${from} / ${source}`);
  }
  assert.equal(matchRules([], [{ program: "/usr/bin/ls", args: [] }]), false);
  assert.equal(matchRules(await resolve("ls"), []), false);
});

test("property: what a rule was made of is covered by it, unless it must be asked every time", async () => {
  for (const [source, ...rules] of built) {
    assert.equal(matchRules(await resolve(source), await rulesOf(source)), rules.length > 0, source);
  }
});

test("a plain path stays below the folder it is read in", () => {
  for (const word of ["a", "a/b", ".git", "a..b", "...", "a b", "é", "a:b", "a/./b"])
    assert.ok(isPlainPath(word), word);
  for (const word of [
    "",
    "-a",
    "/a",
    "~",
    "~a",
    "..",
    "../a",
    "a/..",
    "a/../b",
    "a*",
    "a?",
    "[a]",
    "{a}",
    "a\\b",
    "a\nb",
  ])
    assert.ok(!isPlainPath(word), word);
});

test("a program is a file that only the operator can change", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const program = async (path: string) => {
    const file = await put(path, "#!/bin/sh\n");
    await chmod(file, 0o755);
    return file;
  };
  const own = await program("bin/tool");
  await put("bin/text", "no program");
  await program("work/bin/mine");
  await program("work/bin/tool");
  await symlink("../work/bin/mine", join(dir, "bin/sly"));
  await symlink("tool", join(dir, "bin/other-name"));
  await program("open/free");
  await chmod(join(dir, "open"), 0o777);
  const writable = () => [join(dir, "work")];
  const find = createProgramFinder({ path: join(dir, "bin"), writable });
  assert.equal(await find("tool"), own);
  assert.equal(await find(own), own);
  assert.equal(await find("other-name"), join(dir, "bin/other-name"), "a link keeps its name");
  for (const name of ["sly", "text", "nothing", "./tool", "bin/tool", "../bin/tool", join(dir, "work/bin/mine"), ""])
    assert.equal(await find(name), undefined, name);
  assert.equal(await find(join(dir, "open/free")), undefined);
  // What is searched before the real place must not be the agent's either.
  for (const first of [join(dir, "work/bin"), join(dir, "work/not-yet"), join(dir, "open"), ".", ""]) {
    const hijacked = createProgramFinder({ path: `${first}:${join(dir, "bin")}`, writable });
    assert.equal(await hijacked("tool"), undefined, first);
  }
  const missing = createProgramFinder({ path: `${join(dir, "gone")}:${join(dir, "bin")}`, writable });
  assert.equal(await missing("tool"), own);
});
