/** A platform's SDK is loaded when an adapter of it is configured, and only then: watched from inside the real program. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTelegramPlatform } from "../fakes/telegram/index.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** Tells of every file that is loaded from the packages of a platform. */
const watch = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) {
  const found = /node_modules\\/(@slack|@discordjs|grammy|@grammyjs)\\//.exec(url);
  if (found) process.stderr.write("loaded " + found[1] + "\\n");
  return next(url, context);
} });`;

/** Starts mom from its source, says hello at the terminal, and gives the SDKs that were loaded until the reply was there. */
async function listLoaded(adapters: object): Promise<string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "mom-sdk-"));
  await writeFile(
    join(dataDir, "config.json"),
    JSON.stringify({ adapters: { terminal: { type: "cli" }, ...adapters } }),
  );
  const preload = `data:text/javascript,${encodeURIComponent(watch)}`;
  const child = spawn(process.execPath, ["--import", preload, main, dataDir], {
    env: { PATH: process.env["PATH"], HOME: dataDir },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  const hasReply = () => output.trim().split("\n").length > 1;
  child.stdout.on("data", (chunk) => {
    output += chunk;
    // With other adapters mom goes on when the terminal has nothing more to say.
    if (hasReply()) child.kill("SIGTERM");
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdin.end("hello\n");
  try {
    await once(child, "exit");
    assert.match(output, /mom ready/, errors);
    assert.ok(hasReply(), `there was no reply: ${output}`);
    return [...new Set([...errors.matchAll(/^loaded (\S+)$/gm)].map(([, name = ""]) => name))].sort();
  } finally {
    child.kill("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  }
}

test("with the terminal alone no platform's SDK is loaded", { timeout: 60_000 }, async () => {
  assert.deepEqual(await listLoaded({}), []);
});

test("with Telegram, Telegram's alone", { timeout: 60_000 }, async () => {
  const platform = await createTelegramPlatform();
  try {
    const loaded = await listLoaded({ telegram: platform.config });
    assert.ok(loaded.includes("grammy"), `loaded: ${loaded.join(", ")}`);
    assert.deepEqual(
      loaded.filter((name) => !name.startsWith("gram") && !name.startsWith("@gram")),
      [],
    );
  } finally {
    await platform.close();
  }
});
