/** `mom service`: what is written, what is left alone, and that odd paths arrive as they are. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { buildLaunchdPlan } from "../service/launchd.ts";
import { buildSystemdPlan } from "../service/systemd.ts";
import { buildServiceCommand } from "./service.ts";

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ service: buildServiceCommand });
});
afterEach(() => world.close());

const systemd = ["--for", "systemd"];
const unitPath = () => join(world.cwd, ".config/systemd/user/mom.service");

test("install writes the unit and says what to run; uninstall takes it away with its link", async () => {
  const installed = await world.run(["service", "install", ...systemd]);
  assert.equal(installed.code, 0);
  assert.match(installed.out, /systemctl --user daemon-reload\n {2}systemctl --user enable --now mom\.service\n/);
  assert.match(await readFile(unitPath(), "utf8"), /^Restart=on-failure$/m);

  const link = join(world.cwd, ".config/systemd/user/default.target.wants/mom.service");
  await mkdir(join(link, ".."));
  await symlink(unitPath(), link);
  const status = JSON.parse((await world.run(["service", "status", "--json", ...systemd])).out);
  assert.deepEqual([status.file, status.isEnabled, status.running], ["current", true, false]);
  const other = JSON.parse((await world.run(["service", "status", "--json", "--data", "elsewhere", ...systemd])).out);
  assert.equal(other.file, "old");

  const removed = await world.run(["service", "uninstall", ...systemd]);
  assert.match(removed.out, /^removed /);
  const after = JSON.parse((await world.run(["service", "status", "--json", ...systemd])).out);
  assert.deepEqual([after.file, after.isEnabled], ["missing", false]);
});

test("a file of somebody else's is neither overwritten nor removed", async () => {
  await mkdir(join(unitPath(), ".."), { recursive: true });
  await writeFile(unitPath(), "[Service]\nExecStart=/bin/true\n");
  for (const what of ["install", "uninstall"]) {
    const { code, err } = await world.run(["service", what, ...systemd]);
    assert.equal(code, 2);
    assert.match(err, /SERVICE_FILE_FOREIGN/);
  }
  assert.equal(await readFile(unitPath(), "utf8"), "[Service]\nExecStart=/bin/true\n");
});

const facts = {
  name: "mom",
  nodePath: "/opt/no de/$x/50%/node",
  programPath: '/opt/a "b"/mom.js',
  dataDir: "/home/ann/My $HOME/50% \\o\\ <&>",
  path: "/bin:/odd %h",
};

test("systemd gets every path as it is", () => {
  const { text } = buildSystemdPlan(facts, { configDir: "/home/ann/.config" });
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1];
  assert.equal(
    line,
    '"/opt/no de/$x/50%%/node" "/opt/a \\"b\\"/mom.js" "run" "/home/ann/My $$HOME/50%% \\\\o\\\\ <&>"',
  );
  assert.match(text, /^Environment="PATH=\/bin:\/odd %%h"$/m);
});

test("systemd itself finds nothing wrong with the unit", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const plain = { ...facts, nodePath: process.execPath, programPath: join(dir, "mom.js") };
  const unit = await put("mom.service", buildSystemdPlan(plain, { configDir: dir }).text);
  try {
    execFileSync("sh", ["-c", "command -v systemd-analyze"], { stdio: "ignore" });
  } catch {
    return t.skip("there is no systemd-analyze here");
  }
  const words = execFileSync("sh", ["-c", 'systemd-analyze --user --man=no verify "$1" 2>&1 || true', "sh", unit], {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: dir },
  });
  if (/Failed to (initialize|connect|setup)/.test(words)) return t.skip(words.trim());
  assert.doesNotMatch(words, /mom\.service/);
});

test("launchd gets every path as it is", () => {
  const { text, filePath, enable } = buildLaunchdPlan(facts, { home: "/Users/ann b", uid: 501 });
  assert.match(text, /<string>\/home\/ann\/My \$HOME\/50% \\o\\ &lt;&amp;&gt;<\/string>/);
  assert.equal(filePath, "/Users/ann b/Library/LaunchAgents/local.mom.plist");
  assert.deepEqual(enable[1], "launchctl bootstrap gui/501 '/Users/ann b/Library/LaunchAgents/local.mom.plist'");
  assert.equal(text.split("<dict>").length, text.split("</dict>").length);
});

test("a path that no file could hold is refused", async () => {
  const { code, err } = await world.run(["service", "print", "--data", "a\nb", ...systemd]);
  assert.equal(code, 2);
  assert.match(err, /SERVICE_PATH_UNUSABLE/);
});
