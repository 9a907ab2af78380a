/** The scripts of `mom completion`, asked by a real shell where there is one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { commandCatalog } from "../catalog.ts";
import type { CliIo } from "../io.ts";
import { buildCompletionCommand } from "./completion.ts";

const scripts = new Map<string, string>();
before(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    let out = "";
    const stdout = { write: (text: string) => (out += text) };
    // Of the outside world the command needs only where to write.
    const io = { stdout, stderr: stdout, env: {}, cwd: "/" } as unknown as CliIo;
    await buildCompletionCommand(io, commandCatalog).parseAsync([shell], { from: "user" });
    scripts.set(shell, out);
  }
});

function hasShell(name: string): boolean {
  try {
    execFileSync(name, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
}

async function complete(test: TestContext, words: string[], folders: string[] = []): Promise<string[]> {
  const { dir, put } = await createTempFolder(test);
  const script = await put("mom.bash", scripts.get("bash") ?? "");
  for (const folder of folders) mkdirSync(join(dir, "in", folder), { recursive: true });
  writeFileSync(
    join(dir, "ask"),
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mom; printf "%s\\n" "${COMPREPLY[@]}"',
  );
  mkdirSync(join(dir, "in"), { recursive: true });
  const out = execFileSync("bash", [join(dir, "ask"), script, "mom", ...words], {
    cwd: join(dir, "in"),
    encoding: "utf8",
  });
  return out.split("\n").filter((line) => line !== "");
}

test("bash completes commands, subcommands, options and their values", async (t) => {
  if (!hasShell("bash")) return t.skip("there is no bash here");
  assert.deepEqual(await complete(t, ["gat"]), ["gateway"]);
  assert.deepEqual(await complete(t, ["gateway", ""]), ["status", "call", "schema", "link", "token", "--help"]);
  assert.deepEqual(await complete(t, ["gateway", "status", "--j"]), ["--json"]);
  assert.deepEqual(await complete(t, ["--debug", "devices", "re"]), ["reject", "revoke"]);
  assert.deepEqual(await complete(t, ["service", "print", "--for", "l"]), ["launchd"]);
  assert.deepEqual(await complete(t, ["completion", "f"]), ["fish"]);
  assert.deepEqual(await complete(t, ["agent", "--message", ""]), []);
});

test("a data directory is completed where one may stand, spaces and all", async (t) => {
  if (!hasShell("bash")) return t.skip("there is no bash here");
  const folders = ["my data", "my other"];
  assert.deepEqual((await complete(t, ["my"], folders)).sort(), folders);
  assert.deepEqual(await complete(t, ["status", "--data", "my d"], folders), ["my data"]);
  assert.deepEqual(await complete(t, ["run", "my o"], folders), ["my other"]);
});

test("every command is in every script, and none can end a quote", () => {
  for (const [shell, script] of scripts) {
    for (const { name } of commandCatalog) assert.match(script, new RegExp(`\\b${name}\\b`), `${shell} ${name}`);
    for (const line of script.split("\n")) {
      if (line.startsWith("#")) continue;
      assert.equal(line.split("'").length % 2, 1, `${shell}: ${line}`);
    }
  }
});

for (const shell of ["zsh", "fish"]) {
  test(`${shell} can read its script`, async (t) => {
    if (!hasShell(shell)) return t.skip(`there is no ${shell} here`);
    const { put } = await createTempFolder(t);
    execFileSync(shell, ["-n", await put("script", scripts.get(shell) ?? "")]);
  });
}
