/** `mom config` as people use it: what is printed where, what is written, and the exit code. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, test } from "node:test";
import type { CliIo } from "../io.ts";
import { runProgram } from "../program.ts";
import { buildConfigCommand } from "./config.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mom-cli-config-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Runs `mom config …` in `cwd`, which is the data directory unless `env` says otherwise. */
async function run(args: string[], env: Record<string, string> = { MOM_DATA: "." }) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const exits: number[] = [];
  const io = { stdout: out, stderr: err, env, cwd, exit: (code: number) => exits.push(code) } as unknown as CliIo;
  const entry = { name: "config", summary: "", group: "", load: async () => buildConfigCommand };
  const code = await runProgram(["config", ...args], { io, version: "0", commands: [entry] });
  return { code: exits[0] ?? code, out: String(out.read() ?? ""), err: String(err.read() ?? "") };
}

const write = (text: string) => writeFile(join(cwd, "config.json"), text);
const read = () => readFile(join(cwd, "config.json"), "utf8");
const secretConfig = `{
  models: { providers: { lab: { api: "openai-completions", baseUrl: "http://127.0.0.1:9/v1",
    apiKey: "written-secret", headers: { auth: "Bearer \${LAB_KEY}" }, models: [{ id: "m" }] } } },
}`;

test("get prints the config in use with its defaults, secrets as stars", async () => {
  await write(secretConfig);
  const { code, out, err } = await run(["get"], { MOM_DATA: ".", LAB_KEY: "env-secret" });
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  const shown = JSON.parse(out);
  assert.equal(shown.logging.level, "info");
  assert.deepEqual(shown.models.providers.lab.apiKey, "***");
  assert.deepEqual(shown.models.providers.lab.headers, { auth: "***" });
  assert.doesNotMatch(out, /written-secret|env-secret/);
});

test("get prints one key, plain or as JSON", async () => {
  await write("{ adapters: { 'a.b': { type: 'cli' } } }");
  assert.equal((await run(["get", "logging.level"])).out, "info\n");
  assert.equal((await run(["get", "logging.level", "--json"])).out, '"info"\n');
  assert.equal((await run(["get", 'adapters."a.b".type'])).out, "cli\n");
  assert.deepEqual(JSON.parse((await run(["get", "tools.deny"])).out), []);
});

test("get of a key that is not set fails and names the nearest", async () => {
  await write("{}");
  const { code, out, err } = await run(["get", "logging.levle"]);
  assert.deepEqual({ code, out }, { code: 1, out: "" });
  assert.equal(err, 'mom: logging.levle is not set. Did you mean "level"?\n');
});

test("set keeps comments, never prints the value, and the file stays private", async () => {
  await write("{\n  // mine\n  logging: { level: 'info' }, // loud\n}\n");
  const { code, out, err } = await run(["set", "logging.level", "debug"]);
  assert.deepEqual({ code, out, err }, { code: 0, out: "set logging.level\n", err: "" });
  assert.equal(await read(), '{\n  // mine\n  logging: { level: "debug" }, // loud\n}\n');
});

test("set reads JSON5, and takes it as text where the schema wants text", async () => {
  await write("{}");
  assert.equal((await run(["set", "models.retries", "5"])).code, 0);
  assert.equal((await run(["set", "tools.deny", "['exec', \"write\"]"])).code, 0);
  assert.equal((await run(["set", "models.default", "123456789012345678"])).code, 0);
  assert.equal((await run(["get", "models.default"])).out, "123456789012345678\n");
  assert.deepEqual(JSON.parse((await run(["get", "tools.deny"])).out), ["exec", "write"]);
  assert.equal((await run(["get", "models.retries"])).out, "5\n");
});

test("set refuses what would be wrong, and writes nothing", async () => {
  await write("{ /* mine */ }");
  const { code, err } = await run(["set", "models.retries", "many"]);
  assert.equal(code, 2);
  assert.match(err, /models\.retries: found "many", expected a number/);
  const asJson = await run(["set", "models.retries", "99", "--json"]);
  assert.equal(asJson.code, 2);
  assert.equal(JSON.parse(asJson.out).problems[0].path, "models.retries");
  assert.equal(await read(), "{ /* mine */ }");
});

test("set on a new directory starts from the default config", async () => {
  const { code } = await run(["set", "logging.level", "warn", "--data", "new"]);
  assert.equal(code, 0);
  const path = join(cwd, "new", "config.json");
  assert.match(await readFile(path, "utf8"), /terminal: \{ type: "cli" \}[\s\S]*level: "warn"/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("set warns about a key that nobody knows", async () => {
  await write("{}");
  const { code, err } = await run(["set", "logging.levle", "warn"]);
  assert.equal(code, 0);
  assert.match(err, /warning: logging\.levle: unknown key, ignored\. Did you mean "level"\?/);
});

test("unset removes a key; without one it fails", async () => {
  await write("{ logging: { level: 'debug' }, queue: {} }");
  assert.equal((await run(["unset", "logging"])).out, "removed logging\n");
  assert.equal(await read(), "{ queue: {} }");
  const again = await run(["unset", "logging"]);
  assert.deepEqual(again, { code: 1, out: "", err: "mom: logging is not in the file.\n" });
});

test("validate says that the config is fine, or everything that is not", async () => {
  await write("{}");
  assert.deepEqual(await run(["validate"]), { code: 0, out: `${join(cwd, "config.json")} is valid\n`, err: "" });
  await write("{ logging: { level: 'loud' }, models: { retries: '1' } }");
  const { code, out, err } = await run(["validate"]);
  assert.deepEqual({ code, out }, { code: 2, out: "" });
  assert.match(err, /models\.retries: found "1"[\s\S]*logging\.level: found "loud"/);
  const asJson = JSON.parse((await run(["validate", "--json"])).out);
  assert.deepEqual([asJson.valid, asJson.problems.length], [false, 2]);
});

test("a missing config, a bad path and a missing argument are bad use", async () => {
  const missing = await run(["validate", "--data", "nowhere"]);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /There is no .*nowhere.config\.json/);
  await write("{}");
  assert.equal((await run(["get", "a..b"])).code, 2);
  assert.equal((await run(["set", "a"])).code, 2);
});

test("schema needs no data directory", async () => {
  const { code, out } = await run(["schema"], {});
  assert.equal(code, 0);
  const schema = JSON.parse(out);
  assert.equal(schema.properties.logging.properties.level.default, "info");
  assert.match(out, /"writeOnly": true/);
});

test("validate warns of a tool name that means nothing, because a slip in deny would leave it open", async () => {
  await write('{ tools: { deny: ["bahs"] } }');
  const { code, err } = await run(["validate"]);
  assert.equal(code, 0);
  assert.match(err, /warning: tools\.deny: "bahs" means no tool; did you mean "bash"\?/);
});

test("validate does not call a name wrong that a custom tool may have", async () => {
  await mkdir(join(cwd, "tools", "new"), { recursive: true });
  await writeFile(join(cwd, "tools", "new", "index.ts"), "throw new Error('must not be loaded');");
  await write('{ tools: { deny: ["weather"] } }');
  const { code, err } = await run(["validate"], { MOM_DATA: ".", HOME: cwd });
  assert.equal(code, 0);
  assert.equal(err, 'mom: warning: tools.deny: "weather" means no tool, unless a custom tool is called so\n');
});
