/** The built program on each platform: what works from the source must work from the bundle, SDKs and all. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { platformMakers } from "../flow/platform-world.ts";

const program = fileURLToPath(new URL("../../bin/mom.js", import.meta.url));

for (const [name, create] of Object.entries(platformMakers)) {
  test(`the built mom answers on ${name}`, { timeout: 60_000 }, async (t) => {
    const platform = await create();
    const dataDir = await mkdtemp(join(tmpdir(), "mom-built-"));
    const adapters = { [name]: { ...platform.config, admins: [platform.people.owner] } };
    await writeFile(join(dataDir, "config.json"), JSON.stringify({ adapters, models: { default: "mom/offline" } }));
    const child = spawn(process.execPath, [program, dataDir], {
      env: { PATH: process.env["PATH"], HOME: dataDir },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    const exited = once(child, "exit");
    t.after(async () => {
      child.kill("SIGKILL");
      await exited;
      await platform.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    const channelId = platform.chats.owner;
    platform.say({ channelId, userId: platform.people.owner, text: "hello" });
    const answered = platform.until(() => platform.posts(channelId).length > 0);
    await Promise.race([answered, exited.then(() => assert.fail(`mom ended: ${errors}`))]);
    child.kill("SIGTERM");
    const [code] = await exited;
    assert.equal(code, 0, errors);
    assert.equal(platform.posts(channelId).length, 1);
    assert.doesNotMatch(errors, /Warning/, "Node warns of nothing");
  });
}
