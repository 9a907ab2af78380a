import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "../../test/fakes/log.ts";
import { createSteppingClock } from "../../test/fakes/stepping-clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { Skill } from "../contracts/workspace.ts";
import { createWorkspace, type WorkspaceDeps } from "./create-workspace.ts";
import { ensureWorkspace } from "./ensure-workspace.ts";

const buildSkill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `what ${name} does`,
  path: `/skills/${name}/SKILL.md`,
  source: "bundled",
  isModelInvocable: true,
  isUserInvocable: true,
  tags: [],
  isPinned: false,
  missing: [],
  warnings: [],
  ...more,
});

const skills: WorkspaceDeps["skills"] = {
  list: async (channelFolder) => ({
    skills: [
      buildSkill("weather"),
      buildSkill("hidden", { isUserInvocable: false }),
      buildSkill("video", {
        missing: [{ what: "program ffmpeg", install: "brew install ffmpeg" }, { what: "environment variable X_KEY" }],
      }),
      buildSkill("gone"),
      ...(channelFolder === undefined ? [] : [buildSkill("local")]),
    ],
    diagnostics: [],
  }),
  async readBody({ name }) {
    if (name === "gone") throw new Error('The skill "gone" is\ngone');
    return `body of ${name}`;
  },
};

async function createSubject(t: TestContext, withHome = true) {
  const { dir, put } = await createTempFolder(t);
  const workspaceDir = join(dir, "data/workspace");
  await ensureWorkspace(workspaceDir);
  const workspace = createWorkspace({
    workspaceDir,
    dataDir: join(dir, "data"),
    ...(withHome && { homeDir: join(dir, "home") }),
    skills,
    clock: createSteppingClock(),
    log: silentLog,
  });
  return { put, workspace };
}

test("templates come from the workspace, the data directory and the home, in this order", async (t) => {
  const { put, workspace } = await createSubject(t);
  await put("home/.pi/agent/prompts/a.md", "home");
  await put("home/.pi/agent/prompts/b.md", "home");
  await put("home/.pi/agent/prompts/c.md", "home");
  await put("data/prompts/a.md", "data");
  await put("data/prompts/b.md", "data");
  await put("data/workspace/prompts/a.md", "workspace");
  await put("data/workspace/prompts/z.md", "");
  assert.deepEqual(
    (await workspace.templates()).map(({ name, description }) => `${name} ${description}`),
    ["a workspace", "b data", "c home"],
  );
});

test("without a home its templates are not offered", async (t) => {
  const { put, workspace } = await createSubject(t, false);
  await put("home/.pi/agent/prompts/a.md", "home");
  assert.deepEqual(await workspace.templates(), []);
});

test("a template is called with its arguments", async (t) => {
  const { put, workspace } = await createSubject(t);
  await put("data/prompts/review.md", "---\ndescription: Reviews\n---\nReview $1 for ${@:2}.");
  const expand = async (text: string) => {
    const expanded = await workspace.expand(text);
    return expanded?.type === "template" ? [expanded.template.name, expanded.text] : expanded;
  };
  assert.deepEqual(await expand("/review 'my file.ts' speed and size"), [
    "review",
    "Review my file.ts for speed and size.",
  ]);
  assert.deepEqual(await expand("  /Review\nx\ty  "), ["review", "Review x for y."]);
  assert.deepEqual(await expand("/review"), ["review", "Review  for ."]);
});

test("what calls neither a template nor a skill is left alone", async (t) => {
  const { put, workspace } = await createSubject(t);
  await put("data/prompts/review.md", "Review");
  for (const text of [
    "",
    "/",
    "hello",
    "see /review",
    "/unknown x",
    "//review",
    "/review/x",
    "/review:x",
    "/-a",
    "/../review",
    "/etc/passwd",
  ]) {
    assert.equal(await workspace.expand(text), undefined, text);
  }
});

test("a template that cannot be used is refused with the reason", async (t) => {
  const { put, workspace } = await createSubject(t);
  await put("data/prompts/echo.md", "---\nargument-hint: <text>\n---\n$@");
  await put("data/prompts/empty.md", "");
  await put("data/prompts/many.md", "$@".repeat(30_000));
  const messages = [
    ["/echo", "/echo says nothing without arguments. Use: /echo <text>"],
    ["/empty x", "The template /empty cannot be used: it is empty."],
    ["/many 12345678", "/many would become longer than 200000 characters with these arguments."],
  ];
  for (const [text = "", message] of messages) {
    assert.deepEqual(await workspace.expand(text), { type: "refused", message });
  }
});

test("a skill is called with what follows it", async (t) => {
  const { workspace } = await createSubject(t);
  const expanded = await workspace.expand("/skill:weather  in 'Lisbon'\ntomorrow ");
  assert.deepEqual(expanded, {
    type: "skill",
    skill: buildSkill("weather"),
    body: "body of weather",
    args: "in 'Lisbon'\ntomorrow",
  });
  assert.equal((await workspace.expand("/Skill:Weather"))?.type, "skill");
  assert.equal((await workspace.expand("/skill:local", "channels/a/b"))?.type, "skill");
  assert.equal((await workspace.skills("channels/a/b")).skills.length, 5);
});

const refusals: [text: string, message: string][] = [
  ["/skill:wether x", 'There is no skill "wether". Did you mean /skill:weather?'],
  ["/skill:unheard-of", 'There is no skill "unheard-of". There are: weather, gone.'],
  ["/skill:a\u001b[2J", 'There is no skill "a\\u001b[2J". There are: weather, gone.'],
  ["/skill:", "Say which skill. There are: weather, gone."],
  ["/skill: weather", "Say which skill. There are: weather, gone."],
  ["/skill:hidden", 'The skill "hidden" is for mom\'s own use; it cannot be called with /skill:hidden.'],
  [
    "/skill:video",
    'The skill "video" cannot be used here, it needs: program ffmpeg (brew install ffmpeg), environment variable X_KEY.',
  ],
  ["/skill:gone", 'The skill "gone" is\\ngone'],
];

for (const [text, message] of refusals) {
  test(`${JSON.stringify(text)} is refused`, async (t) => {
    const { workspace } = await createSubject(t);
    assert.deepEqual(await workspace.expand(text), { type: "refused", message });
  });
}

test("a workspace knows its first run and ends it", async (t) => {
  const { workspace } = await createSubject(t);
  assert.equal(await workspace.isFirstRun(), true);
  await workspace.endFirstRun();
  assert.equal(await workspace.isFirstRun(), false);
});
