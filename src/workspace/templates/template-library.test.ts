import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createSteppingClock } from "../../../test/fakes/stepping-clock.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createTemplateLibrary } from "./template-library.ts";

async function createSubject(t: TestContext) {
  const { dir, put } = await createTempFolder(t);
  const problems: string[] = [];
  const library = createTemplateLibrary({
    places: [
      { root: join(dir, "workspace"), folder: "prompts" },
      { root: join(dir, "prompts"), folder: "." },
    ],
    clock: createSteppingClock(),
    complain: (path, problem) => problems.push(`${path.slice(dir.length + 1)}: ${problem}`),
  });
  return { dir, put, library, problems };
}

test("names, descriptions and hints come from the file", async (t) => {
  const { dir, put, library, problems } = await createSubject(t);
  await put("workspace/prompts/b.md", "---\ndescription: Reviews\nargument-hint: <file> [how]\n---\n\nReview $1\n");
  await put("workspace/prompts/a.md", "# Say hello\n\nHello $1\n");
  await put("workspace/prompts/c.md", "---\ndescription: 7\nargument-hint: [file, how]\n---\nFirst line\nsecond");
  await put("workspace/prompts/d.md", `${"x".repeat(250)}\n`);
  await put("workspace/prompts/e.md", "no\u001b[2Jescape");
  const path = (name: string) => join(dir, "workspace/prompts", name);
  assert.deepEqual(await library.list(), [
    { template: { name: "a", description: "Say hello", path: path("a.md") }, body: "# Say hello\n\nHello $1" },
    {
      template: { name: "b", description: "Reviews", path: path("b.md"), argumentHint: "<file> [how]" },
      body: "Review $1",
    },
    {
      template: { name: "c", description: "First line", path: path("c.md"), argumentHint: "[file, how]" },
      body: "First line\nsecond",
    },
    { template: { name: "d", description: "x".repeat(200), path: path("d.md") }, body: "x".repeat(250) },
    { template: { name: "e", description: "no\\u001b[2Jescape", path: path("e.md") }, body: "no\u001b[2Jescape" },
  ]);
  assert.deepEqual(problems, []);
});

test("the first place wins, without regard to case; changes are seen", async (t) => {
  const { dir, put, library } = await createSubject(t);
  const bodies = async () => (await library.list()).map(({ template, body }) => `${template.name}=${body}`);
  assert.deepEqual(await bodies(), []);
  await put("prompts/review.md", "of the data directory");
  await put("prompts/only.md", "only here");
  assert.deepEqual(await bodies(), ["only=only here", "review=of the data directory"]);
  await put("workspace/prompts/Review.md", "of the workspace");
  assert.deepEqual(await bodies(), ["only=only here", "Review=of the workspace"]);
  await rm(join(dir, "workspace/prompts/Review.md"));
  await put("prompts/only.md", "changed");
  assert.deepEqual(await bodies(), ["only=changed", "review=of the data directory"]);
});

test("only files with a plain name and .md are templates", async (t) => {
  const { put, library, problems } = await createSubject(t);
  const good = ["a.md", "7.md", "a-b_c.md"];
  const bad = [
    "-a.md",
    "_a.md",
    "a b.md",
    "a.b.md",
    ".md",
    ".hidden.md",
    "ä.md",
    "a.txt",
    "a.md.bak",
    `${"x".repeat(65)}.md`,
  ];
  for (const name of [...good, ...bad]) await put(`prompts/${name}`, "text");
  await put("prompts/sub/below.md", "text");
  assert.deepEqual(
    (await library.list()).map(({ template }) => template.name),
    ["7", "a", "a-b_c"],
  );
  assert.deepEqual(problems, []);
});

test("what cannot be used is said, and keeps its name where its text is at fault", async (t) => {
  const { dir, put, library, problems } = await createSubject(t);
  await put("secret.md", "secret");
  await put("workspace/prompts/broken.md", "---\na: b: c\n---\nbody");
  await put("workspace/prompts/long.md", "x".repeat(65_537));
  await put("workspace/prompts/blank.md", "---\ndescription: x\n---\n\n");
  await symlink(join(dir, "secret.md"), join(dir, "workspace/prompts/link.md"));
  execFileSync("mkfifo", [join(dir, "workspace/prompts/pipe.md")]);
  await mkdir(join(dir, "workspace/prompts/folder.md"));
  const listed = (await library.list()).map(({ template, problem }) => `${template.name}: ${problem}`);
  assert.equal(listed.length, 3);
  assert.equal(listed[0], "blank: it is empty");
  assert.match(listed[1] ?? "", /^broken: it has frontmatter that is no plain YAML: .*\(line 2\)$/);
  assert.equal(listed[2], "long: it is longer than 65536 bytes");
  assert.deepEqual(problems.filter((problem) => /link|pipe|folder/.test(problem.split(":")[0] ?? "")).sort(), [
    "workspace/prompts/folder.md: it is not a regular file",
    "workspace/prompts/link.md: it leads out of its folder",
    "workspace/prompts/pipe.md: it is not a regular file",
  ]);
});

test("a folder that leads out of the workspace, or is none, has no templates", async (t) => {
  const { dir, put, library, problems } = await createSubject(t);
  await put("outside/a.md", "secret");
  await mkdir(join(dir, "workspace"));
  await symlink("../outside", join(dir, "workspace/prompts"));
  await put("prompts", "a file");
  assert.deepEqual(await library.list(), []);
  assert.deepEqual(problems.sort(), ["prompts: it is not a folder", "workspace/prompts: it leads out of its folder"]);
});

test("of a folder with very many entries some are left out, and it is said", async (t) => {
  const { put, library, problems } = await createSubject(t);
  await Promise.all(Array.from({ length: 1001 }, (_, n) => put(`prompts/t${n}.md`, "text")));
  assert.equal((await library.list()).length, 1000);
  assert.match(problems.join(), /more than 1000 entries/);
});
