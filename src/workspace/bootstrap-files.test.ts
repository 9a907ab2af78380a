import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createSteppingClock } from "../../test/fakes/stepping-clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { SessionType } from "../contracts/session.ts";
import { createBootstrapFiles } from "./bootstrap-files.ts";
import { createComplaints } from "./complaints.ts";

const names = ["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "HEARTBEAT", "MEMORY", "BOOTSTRAP"].map((n) => `${n}.md`);
const channelFolder = "channels/slack/C1";

async function createSubject(t: TestContext, workDir?: string) {
  const { dir, put } = await createTempFolder(t);
  const log = createRecordingLog();
  const workspaceDir = join(dir, "workspace");
  await mkdir(workspaceDir);
  const files = createBootstrapFiles({
    workspaceDir,
    clock: createSteppingClock(Date.now() + 3600_000),
    complain: createComplaints(log),
    ...(workDir !== undefined && { workDir: join(dir, workDir) }),
  });
  return {
    dir,
    workspaceDir,
    put: (path: string, data: string | Uint8Array) => put(join("workspace", path), data),
    putOutside: put,
    show: (sessionType: SessionType = "main", maxChars = 20_000, folder = channelFolder) =>
      files.bootstrapFiles({ sessionType, channelFolder: folder, maxChars }),
    overrides: files.promptOverrides,
    problems: () =>
      log.lines.map(
        ({ level, fields }) =>
          `${level} ${String(fields["path"]).slice(workspaceDir.length + 1)}: ${fields["problem"]}`,
      ),
  };
}

const amongOthers = "SOUL.md IDENTITY.md USER.md AGENTS.md TOOLS.md channels/slack/C1/MEMORY.md";
const columns: Record<SessionType, string> = {
  main: `SOUL.md IDENTITY.md USER.md AGENTS.md TOOLS.md HEARTBEAT.md MEMORY.md ${channelFolder}/MEMORY.md BOOTSTRAP.md`,
  cron: `SOUL.md IDENTITY.md USER.md AGENTS.md TOOLS.md MEMORY.md ${channelFolder}/MEMORY.md`,
  subagent: "AGENTS.md TOOLS.md",
  group: amongOthers,
  dm: amongOthers,
  topic: amongOthers,
};

test("each type of session is shown its column", async (t) => {
  const { put, show, problems } = await createSubject(t);
  for (const name of names) await put(name, `# ${name}\ntext of ${name}\n`);
  await put(`${channelFolder}/MEMORY.md`, "what this chat knows");
  await put("channels/slack/C2/MEMORY.md", "what another chat knows");
  for (const type of Object.keys(columns) as SessionType[]) {
    const files = await show(type);
    assert.equal(files.map(({ name }) => name).join(" "), columns[type], type);
    for (const { name, text } of files.filter((file) => !file.name.includes("/"))) {
      assert.equal(text, `# ${name}\ntext of ${name}`);
    }
  }
  assert.deepEqual(problems(), []);
});

test("the workspace's own memory is never shown to others, whatever stands for the channel", async (t) => {
  const { workspaceDir, put, show } = await createSubject(t);
  await put("MEMORY.md", "a secret of the owner");
  await put("channels/slack/C2/MEMORY.md", "a secret of another chat");
  await mkdir(join(workspaceDir, channelFolder), { recursive: true });
  await symlink("../../../MEMORY.md", join(workspaceDir, channelFolder, "MEMORY.md"));
  await symlink("C2", join(workspaceDir, "channels/slack/C3"));
  await symlink(".", join(workspaceDir, "self"));
  for (const folder of [
    "",
    ".",
    "./",
    "channels/..",
    "..",
    "../workspace",
    "/",
    "self",
    channelFolder,
    "channels/slack/C3",
  ]) {
    assert.deepEqual(await show("group", 20_000, folder), [], folder);
  }
});

test("a file over the limit keeps its start and its end", async (t) => {
  const { put, show } = await createSubject(t);
  await put("SOUL.md", `${"a".repeat(15_000)}${"b".repeat(5000)}${"c".repeat(5000)}`);
  const [soul] = await show();
  assert.equal(soul?.totalChars, 25_000);
  assert.equal(
    soul?.text,
    `${"a".repeat(14_000)}\n\n[… 7000 of 25000 characters are left out here; the whole text is in SOUL.md …]\n\n${"c".repeat(4000)}`,
  );
  const [whole] = await show("main", 30_000);
  assert.equal(whole?.text.length, 25_000);
});

test("a file of ten megabytes costs as little as a small one", async (t) => {
  const { put, show } = await createSubject(t);
  await put("SOUL.md", `start ${"🦉€ü".repeat(1_100_000)} end`);
  const startedAt = performance.now();
  const [soul] = await show();
  assert.ok(performance.now() - startedAt < 100);
  assert.equal(soul?.totalChars, 9_900_010);
  assert.ok(soul.text.isWellFormed() && soul.text.length < 18_200);
  assert.match(soul.text, /^start 🦉€ü[\s\S]* of 9900010 bytes are left out[\s\S]*🦉€ü end$/u);
});

test("comments are not shown, and a form that nobody has filled in is left out without a word", async (t) => {
  const { put, show, problems } = await createSubject(t);
  await put("SOUL.md", "# Soul\n<!-- how to fill this in -->\n");
  await put("USER.md", "# User\n<!-- how to fill this in -->\n- Call me Sam\n");
  assert.deepEqual(await show(), [{ name: "USER.md", text: "# User\n- Call me Sam", totalChars: 50 }]);
  assert.deepEqual(problems(), []);
});

test("what cannot be used is left out and said once", async (t) => {
  const { dir, workspaceDir, put, putOutside, show, problems } = await createSubject(t);
  await putOutside("config.json", "{ token: 1 }");
  await put("SOUL.md", Buffer.from([0x89, 0x50, 0, 1]));
  await put("IDENTITY.md", Buffer.from([0xff, 0xfe, 0x41]));
  await put("USER.md", "");
  await put("AGENTS.md", " \n\t\n");
  await mkdir(join(workspaceDir, "TOOLS.md"));
  execFileSync("mkfifo", [join(workspaceDir, "HEARTBEAT.md")]);
  await symlink(join(dir, "config.json"), join(workspaceDir, "MEMORY.md"));
  await symlink("BOOTSTRAP.md", join(workspaceDir, "BOOTSTRAP.md"));
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(await show(), []);
  assert.deepEqual(problems().sort(), [
    "warn AGENTS.md: it is empty",
    "warn BOOTSTRAP.md: it cannot be read (ELOOP)",
    "warn HEARTBEAT.md: it is not a regular file",
    "warn IDENTITY.md: it is not UTF-8 text",
    "warn MEMORY.md: it leads out of its folder",
    "warn SOUL.md: it is not text (it has NUL bytes)",
    "warn TOOLS.md: it is not a regular file",
    "warn USER.md: it is empty",
  ]);
  await put("USER.md", "Sam");
  assert.deepEqual(
    (await show()).map(({ text }) => text),
    ["Sam"],
  );
});

test("rules of the work folder and of the folders above it come from the top down, AGENTS.md before CLAUDE.md", async (t) => {
  const { dir, put, putOutside, show } = await createSubject(t, "code/app/core");
  await put("TOOLS.md", "tools");
  await put("MEMORY.md", "memory");
  await putOutside("code/AGENTS.md", "of code");
  await putOutside("code/CLAUDE.md", "not shown");
  await putOutside("code/app/AGENTS.md", "# Only a heading");
  await putOutside("code/app/CLAUDE.md", "of app");
  await putOutside("code/app/core/CLAUDE.md", "of core");
  await putOutside("code/app/core/deeper/AGENTS.md", "below");
  const rules = [
    [join(dir, "code/AGENTS.md"), "of code"],
    [join(dir, "code/app/CLAUDE.md"), "of app"],
    [join(dir, "code/app/core/CLAUDE.md"), "of core"],
  ];
  const shown = (await show()).map(({ name, text }) => [name, text]);
  assert.deepEqual(shown, [["TOOLS.md", "tools"], ...rules, ["MEMORY.md", "memory"]]);
  assert.deepEqual(
    (await show("subagent")).map(({ name, text }) => [name, text]),
    [["TOOLS.md", "tools"], ...rules],
  );
});

test("a work folder inside the workspace is not followed out of it", async (t) => {
  const { workspaceDir, putOutside, show, problems } = await createSubject(t, "workspace/project");
  await putOutside("elsewhere/AGENTS.md", "not for the model");
  await symlink("../elsewhere", join(workspaceDir, "project"));
  assert.deepEqual(await show(), []);
  assert.deepEqual(problems(), ["warn project/AGENTS.md: it leads out of its folder"]);
});

test("without a work folder no rules from outside the workspace are shown", async (t) => {
  const { putOutside, show } = await createSubject(t);
  await putOutside("AGENTS.md", "above the workspace");
  assert.deepEqual(await show(), []);
});

test("of many rules the ten nearest are shown, and the workspace's own not twice", async (t) => {
  const deep = Array.from({ length: 12 }, (_, n) => `d${n}`).join("/");
  const { put, show } = await createSubject(t, `workspace/${deep}`);
  await put("AGENTS.md", "of the workspace");
  for (let n = 1; n <= 12; n++) await put(`${deep.split("/").slice(0, n).join("/")}/AGENTS.md`, `level ${n}`);
  assert.deepEqual(
    (await show()).map(({ text }) => text),
    ["of the workspace", ...Array.from({ length: 10 }, (_, n) => `level ${n + 3}`)],
  );
});

test("SYSTEM.md and APPEND_SYSTEM.md are read when they are there, and cut like the rest", async (t) => {
  const { workspaceDir, put, overrides } = await createSubject(t);
  assert.deepEqual(await overrides(), {});
  await put("SYSTEM.md", "You are a librarian.\n<!-- not shown -->\n");
  await put("APPEND_SYSTEM.md", "x".repeat(30_000));
  const { system, append } = await overrides();
  assert.equal(system, "You are a librarian.");
  assert.match(append ?? "", /^x{14000}\n\n\[… 12000 of 30000 characters .* APPEND_SYSTEM\.md …\]\n\nx{4000}$/);
  await rm(join(workspaceDir, "SYSTEM.md"));
  assert.deepEqual(Object.keys(await overrides()), ["append"]);
});
