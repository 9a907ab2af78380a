/** The command line's frame: which command is meant, what is loaded, what is printed, and the exit code. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import { Command } from "commander";
import { ConfigError, StoreError } from "../base/errors.ts";
import type { CommandEntry } from "./catalog.ts";
import { commandCatalog } from "./catalog.ts";
import type { CliIo } from "./io.ts";
import { runProgram } from "./program.ts";

const cwd = mkdtempSync(join(tmpdir(), "mom-cli-"));
after(() => rmSync(cwd, { recursive: true }));

function openProgram(action: (args: string[], io: CliIo) => void | Promise<void> = () => undefined) {
  const loaded: string[] = [];
  const calls: string[][] = [];
  const entry = (name: string, build: (io: CliIo) => Command): CommandEntry => ({
    name,
    summary: `does ${name}`,
    group: "Commands:",
    load: async () => {
      loaded.push(name);
      return build;
    },
  });
  const buildOne = (name: string) => (io: CliIo) =>
    new Command(name)
      .argument("<data-dir>")
      .option("--port <n>", "a number")
      .action(async (folder: string, options: { port?: string }) => {
        calls.push([name, folder, options.port ?? ""]);
        await action([name, folder], io);
      });
  const buildNested = () =>
    new Command("sessions").addCommand(new Command("list").action(() => void calls.push(["sessions", "list"])));
  const commands: CommandEntry[] = [
    { ...entry("run", buildOne("run")), isDefault: true },
    entry("chat", buildOne("chat")),
    entry("sessions", buildNested),
  ];
  const run = async (...args: string[]) => {
    const out = new PassThrough();
    const err = new PassThrough();
    const io = {
      stdout: out,
      stderr: err,
      stdin: new PassThrough(),
      env: {},
      cwd,
      exit: assert.fail,
    } as unknown as CliIo;
    const code = await runProgram(args, { io, version: "1.2.3", commands });
    return { code, out: String(out.read() ?? ""), err: String(err.read() ?? "") };
  };
  return { run, loaded, calls };
}

test("only the command that is called is loaded", async () => {
  const { run, loaded, calls } = openProgram();
  assert.equal((await run("chat", "x")).code, 0);
  assert.deepEqual(loaded, ["chat"]);
  assert.deepEqual(calls, [["chat", "x", ""]]);
});

test("help loads nothing and names every command and its exit codes", async () => {
  const { run, loaded } = openProgram();
  const { code, out, err } = await run("--help");
  assert.equal(code, 0);
  assert.equal(err, "");
  for (const name of ["run", "chat", "sessions"]) assert.match(out, new RegExp(`^ {2}${name} +does ${name}$`, "m"));
  assert.match(out, /Examples:/);
  assert.deepEqual(loaded, []);
  assert.equal((await run("help")).out, out);
  assert.equal((await run("-V")).out, "1.2.3\n");
});

test("help for a command, asked either way", async () => {
  const { run } = openProgram();
  const asked = await run("chat", "--help");
  assert.equal(asked.code, 0);
  assert.match(asked.out, /Usage: mom chat \[options\] <data-dir>/);
  assert.equal((await run("help", "chat")).out, asked.out);
});

test("nothing at all is bad use, with the help on stderr", async () => {
  const { code, out, err } = await openProgram().run();
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /Usage: mom/);
});

test("a data directory runs mom, with options before or after it", async () => {
  const { run, calls } = openProgram();
  for (const args of [["data"], ["./chta"], ["--port", "1", "data"], ["data", "--port", "1"], ["run", "data"]]) {
    assert.equal((await run(...args)).code, 0, args.join(" "));
  }
  assert.deepEqual(calls, [
    ["run", "data", ""],
    ["run", "./chta", ""],
    ["run", "data", "1"],
    ["run", "data", "1"],
    ["run", "data", ""],
  ]);
});

test("a mistyped command is refused with the nearest one, and creates nothing", async () => {
  const { run, loaded } = openProgram();
  const { code, err } = await run("chta");
  assert.equal(code, 2);
  assert.match(
    err,
    /^mom: There is no command "chta"\. Did you mean "chat"\?\n {2}fix: .*\n {2}code: UNKNOWN_COMMAND\n$/,
  );
  assert.deepEqual(loaded, []);
});

test("a folder that exists is a data directory, whatever it is called", async () => {
  mkdirSync(join(cwd, "chats"));
  const { run, calls } = openProgram();
  assert.equal((await run("chats")).code, 0);
  assert.deepEqual(calls, [["run", "chats", ""]]);
});

test("bad use of a command exits with 2 and says where to look", async () => {
  const { run } = openProgram();
  const cases: [args: string[], message: RegExp][] = [
    [
      ["chat", "x", "--prot", "1"],
      /^mom: unknown option '--prot' \(Did you mean --port\?\)\n {2}fix: See `mom chat --help`/,
    ],
    [["chat"], /^mom: missing required argument 'data-dir'/],
    [["chat", "a", "b"], /^mom: too many arguments/],
    [["sessions", "lst"], /^mom: unknown command 'lst' \(Did you mean list\?\)/],
    [["--prot", "data"], /^mom: unknown option '--prot'/],
  ];
  for (const [args, message] of cases) {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, message);
  }
  const { code, err } = await run("sessions");
  assert.equal(code, 2);
  assert.match(err, /Usage: mom sessions/);
});

test("failures are shown as message, fix and code; 2 for the config, 1 otherwise", async () => {
  const broken = new ConfigError("CONFIG_INVALID", "2 problems:\nmodels: \u001b[31mno\nport: no", { hint: "Edit it." });
  const bad = await openProgram(() => Promise.reject(broken)).run("chat", "x");
  assert.equal(bad.code, 2);
  assert.equal(
    bad.err,
    "mom: 2 problems:\n    models: \\u001b[31mno\n    port: no\n  fix: Edit it.\n  code: CONFIG_INVALID\n",
  );
  const failed = await openProgram(() => Promise.reject(new StoreError("DISK_FULL", "Full."))).run("chat", "x");
  assert.deepEqual([failed.code, failed.err], [1, "mom: Full.\n  code: DISK_FULL\n"]);
});

test("a stack is shown with --debug only, which no command gets to see", async () => {
  const fail = () => {
    throw new TypeError("boom");
  };
  const quiet = await openProgram(fail).run("chat", "x");
  assert.equal(quiet.code, 1);
  assert.match(quiet.err, /^mom: unexpected failure: boom\n {2}fix: /);
  assert.doesNotMatch(quiet.err, /program\.test\.ts/);
  const loud = openProgram(fail);
  assert.match((await loud.run("--debug", "chat", "x")).err, /TypeError: boom\n {4}at .*program\.test\.ts/);
  assert.deepEqual(loud.calls, [["chat", "x", ""]]);
});

test("what follows -- belongs to the command", async () => {
  const { run, calls } = openProgram();
  assert.equal((await run("chat", "--", "--debug")).code, 0);
  assert.deepEqual(calls, [["chat", "--debug", ""]]);
});

test("every command of the catalogue builds under its own name", async () => {
  const io = { env: {}, cwd } as unknown as CliIo;
  for (const entry of commandCatalog) assert.equal((await entry.load())(io).name(), entry.name);
  assert.equal(commandCatalog.filter((entry) => entry.isDefault).length, 1);
});
