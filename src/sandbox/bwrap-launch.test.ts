/** A start that fails half-way leaves nothing open. What a start that works looks like is in test/escape. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createSystemClock } from "../base/clock.ts";
import { createBwrapLauncher } from "./bwrap-launch.ts";
import { sandboxConfig } from "./config.ts";
import { createSandboxUser } from "./sandbox-user.ts";
import { createFolderFinder } from "./scope-folders.ts";

const skip = process.platform === "linux" ? false : "bubblewrap needs Linux";
const countDescriptors = () => readdirSync("/proc/self/fd").length;

test("what was opened for a start that fails is closed", { skip }, async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("chat/notes", "");
  const folders = createFolderFinder();
  const launcher = createBwrapLauncher(
    {
      clock: createSystemClock(),
      environment: {},
      tools: { bwrap: "/usr/bin/bwrap", setpriv: "/usr/bin/setpriv" },
      architecture: "x64",
      rg: "/bin/true",
      privateDirs: [],
      user: createSandboxUser({ log: silentLog, uid: 65_534, folders }),
      folders,
    },
    sandboxConfig.parse({}),
  );
  const cwd = join(dir, "chat");
  const request = { command: { shell: "true" }, env: {}, mark: "m", signal: new AbortController().signal };
  const prepared = await launcher.prepare(request, { cwd, roots: [cwd], hidden: [], agentFolders: [dir] }, cwd);
  const [pin] = prepared.command.pins;
  assert.deepEqual(pin, { source: cwd, below: dir });
  const before = countDescriptors();
  const pins = [...prepared.command.pins, { source: join(dir, "gone"), below: dir }];
  const failing = launcher.toLaunch({ ...prepared, command: { ...prepared.command, pins } });
  await assert.rejects(failing, { code: "SANDBOX_FAILED" });
  // One is closed in the background.
  for (let n = 0; n < 1000 && countDescriptors() > before; n++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(countDescriptors(), before);
  const temporary = process.env["TMPDIR"];
  context.after(() => {
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
  });
  process.env["TMPDIR"] = join(dir, "missing");
  await assert.rejects(launcher.toLaunch(prepared), { code: "SANDBOX_FAILED" });
  assert.equal(countDescriptors(), before);
});
