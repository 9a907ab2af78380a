/** `mom doctor` on good and on broken directories: what it says, that it names the fix, and that it changes nothing. */
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import type { Finding } from "../doctor/finding.ts";
import { buildAgentCommand } from "./agent.ts";
import { buildDoctorCommand } from "./doctor.ts";

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ doctor: buildDoctorCommand, agent: buildAgentCommand });
});
afterEach(() => world.close());

const examine = async (...more: string[]) => {
  const { code, out, err } = await world.run(["doctor", "--json", ...more]);
  assert.equal(err, "");
  const findings: Finding[] = JSON.parse(out).findings;
  return { code, find: (check: string) => findings.filter((finding) => finding.check === check) };
};

test("a directory that has been used is well, and looking at it leaves no trace", async () => {
  await world.run(["agent", "--message", "hello"]);
  const list = async () => (await readdir(world.dataDir, { recursive: true })).sort();
  const before = await list();
  const { code, find } = await examine();
  assert.equal(code, 0);
  const checks = [
    "node",
    "sandbox",
    "terminal",
    "data directory",
    "disk",
    "config",
    "model",
    "running",
    "database",
    "files",
  ];
  for (const check of checks) assert.deepEqual([check, find(check)[0]?.level], [check, "ok"]);
  assert.match(find("model")[0]?.detail ?? "", /mom\/offline/);
  assert.deepEqual(await list(), before);
  const { out } = await world.run(["doctor"]);
  assert.match(out, /^ok {4}database: sound/m);
  assert.match(out, /all is well\n$/);
});

test("event files that could not be used, hooks without a secret and scripts that agents can write are named", async () => {
  await mkdir(join(world.dataDir, "workspace/events/failed"), { recursive: true });
  await mkdir(join(world.dataDir, "workspace/channels/slack/C1/events"), { recursive: true });
  await writeFile(join(world.dataDir, "workspace/events/failed/a.json.reason.txt"), "why");
  await writeFile(join(world.dataDir, "workspace/channels/slack/C1/events/b.json"), "{}");
  const script = join(world.dataDir, "workspace/x.sh");
  await writeFile(script, "");
  const hooks = { mappings: { git: { text: "x" } }, scripts: [{ on: ["compaction"], run: [script] }] };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ hooks }));
  const { find } = await examine("--offline");
  assert.deepEqual(
    find("events").map(({ level, detail }) => [level, detail]),
    [
      ["ok", "1 file waits"],
      ["warn", "events/failed has 1 that could not be used"],
    ],
  );
  const [closed, refused] = find("hooks");
  assert.match(closed?.detail ?? "", /\/hooks\/git stays closed/);
  assert.match(refused?.detail ?? "", /x\.sh lies in a folder that agents can write/);
});

test("a missing directory fails with the fix and is not made", async () => {
  const { code, out } = await world.run(["doctor", "--data", "nowhere"]);
  assert.equal(code, 1);
  assert.match(out, /^FAIL {2}data directory: there is no .*nowhere\n {6}fix: .*mom .*nowhere$/m);
  assert.deepEqual(await readdir(world.cwd), []);
});

test("a broken config is shown with every problem, and the rest is looked at all the same", async () => {
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), "{ models: { retries: 'x' }, logging: { level: 'loud' } }");
  const { code, find } = await examine();
  assert.equal(code, 1);
  assert.deepEqual(
    find("config").map(({ level }) => level),
    ["fail", "fail"],
  );
  assert.deepEqual(find("model"), []);
  assert.equal(find("database")[0]?.level, "ok");
});

test("oddities are warnings: an unknown key, a config that others can read, no adapters, a crash", async () => {
  await world.run(["agent", "--message", "hello"]);
  const config = join(world.dataDir, "config.json");
  await writeFile(config, "{ loging: {} }");
  await chmod(config, 0o644);
  const crashed = { pid: 123, host: "h", startedAt: "2026-01-01T00:00:00.000Z" };
  await writeFile(join(world.dataDir, "state/running.json"), JSON.stringify(crashed));
  const log = join(world.dataDir, "workspace/channels/cli-agent/main/log.jsonl");
  await writeFile(log, `${await readFile(log, "utf8")}{"id":`);
  const { code, find } = await examine();
  assert.equal(code, 0);
  assert.deepEqual(
    find("config").map(({ level }) => level),
    ["ok", "warn", "warn", "warn"],
  );
  assert.match(find("running")[0]?.detail ?? "", /process 123.* did not end in order/);
  assert.match(find("files")[0]?.detail ?? "", /log\.jsonl ends in half a line/);
});

test("a damaged database fails", async () => {
  await world.run(["agent", "--message", "hello"]);
  const path = join(world.dataDir, "state/mom.db");
  const bytes = await readFile(path);
  bytes.fill(0x5a, 4096);
  await writeFile(path, bytes);
  const { code, find } = await examine();
  assert.equal(code, 1);
  assert.deepEqual([find("database")[0]?.level, find("files")[0]?.level], ["fail", "ok"]);
  assert.match(find("database")[0]?.fix ?? "", /Start mom/);
});

test("a directory that cannot be written fails", { skip: process.getuid?.() === 0 }, async () => {
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), "{}");
  await chmod(world.dataDir, 0o500);
  const { code, find } = await examine();
  await chmod(world.dataDir, 0o700);
  assert.equal(code, 1);
  assert.match(find("data directory")[0]?.detail ?? "", /cannot be written/);
});

test("a model that cannot be reached fails, unless it is not to be asked", async () => {
  await mkdir(world.dataDir);
  const lab = {
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:1/v1",
    apiKey: "k-secret-1",
    models: [{ id: "m1" }],
  };
  const config = { models: { default: "lab/m1", providers: { lab } }, adapters: { terminal: { type: "cli" } } };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config));
  const asked = await examine();
  assert.equal(asked.code, 1);
  assert.match(asked.find("model")[0]?.detail ?? "", /^lab\/m1: /);
  assert.doesNotMatch(asked.find("model")[0]?.detail ?? "", /k-secret-1/);
  assert.equal((await examine("--offline")).code, 0);
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ models: { default: "lab/m2" } }));
  const { find } = await examine("--offline");
  assert.match(find("model")[0]?.detail ?? "", /no model provider "lab"/);
});

test("names in one part of the config that mean nothing in another are found", async () => {
  await mkdir(world.dataDir, { recursive: true });
  const config = {
    adapters: { terminal: { type: "cli" } },
    models: { fallbacks: ["lab/x"] },
    agents: {
      main: { tools: { deny: ["bahs"] }, workDir: "/nonexistent" },
      Main: {},
      work: { model: "nope", budget: [{ usd: 1, action: "fallback", model: "zz" }] },
    },
    routes: [{ adapter: "gone", agent: "work" }],
    queue: { byChannel: { gone: "steer" } },
    auth: { order: { lab: ["openai:x"] } },
  };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const { code, find } = await examine("--offline");
  assert.equal(code, 1);
  const found = find("agents").map(({ level, detail }) => `${level} ${detail.split(/[:;] /)[0]}`);
  assert.deepEqual(found, [
    "fail models.fallbacks",
    "fail agents.work.model",
    "fail agents.work.budget",
    "fail agents.main.workDir",
    "warn routes",
    "warn queue.byChannel",
    "warn auth.order.lab",
    "warn agents",
  ]);
  assert.ok(find("config").some(({ detail }) => /^agents\.main\.tools\.deny: "bahs" means no tool; /.test(detail)));
});

test("custom tools are looked at and not run, wherever an agent could write them", async () => {
  await mkdir(join(world.dataDir, "tools", "fine"), { recursive: true });
  await writeFile(join(world.dataDir, "tools", "fine", "index.ts"), "throw new Error('must not be loaded');");
  for (const folder of ["open", "work", "extra"]) {
    await mkdir(join(world.cwd, folder), { recursive: true });
    await writeFile(join(world.cwd, folder, "index.ts"), "");
    await symlink(join(world.cwd, folder), join(world.dataDir, "tools", folder));
  }
  const config = {
    agents: { main: { workDir: join(world.cwd, "work") }, other: { workspace: join(world.cwd, "open") } },
    sandbox: { mode: "host", roots: [join(world.cwd, "extra")] },
    tools: { deny: ["weather"] },
  };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const { find } = await examine("--offline");
  const [fine, ...refused] = find("custom tools");
  assert.deepEqual([fine?.level, fine?.detail], ["ok", "1 found"]);
  assert.deepEqual(refused.map(({ detail }) => basename(detail)).sort(), ["extra", "open", "work"]);
  for (const { fix } of refused) assert.match(fix ?? "", /folder that the agent can write/);
  assert.ok(find("config").some(({ detail }) => detail.endsWith("means no tool, unless a custom tool is called so")));
});
