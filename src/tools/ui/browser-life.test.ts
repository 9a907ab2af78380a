/** How browsers begin and end: idle, killed, orphaned, locked out, without their sandbox. With real processes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type BrowserSite, createBrowserSite } from "../../../test/fakes/browser-site.ts";
import { createBrowserStage, noChromium, type StageOptions } from "../../../test/fakes/browser-stage.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Clock } from "../../contracts/clock.ts";
import { findChromium } from "./find-chromium.ts";

const isRoot = process.getuid?.() === 0;
const idleMs = 10 * 60_000;

/** The real clock, but for the wait of an idle browser: that one ends when the test says so. */
function createIdleClock(): Clock & { endIdle(): void } {
  const clock = createSystemClock();
  const waiting = new Set<() => void>();
  return {
    ...clock,
    after(delayMs, run) {
      if (delayMs !== idleMs) return clock.after(delayMs, run);
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    endIdle() {
      for (const run of [...waiting]) run();
    },
  };
}

/** Process ids of browsers that work on this folder. */
async function browsersOn(stateDir: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (command.includes(`--user-data-dir=${stateDir}/`) && !command.includes("--type=")) found.push(Number(name));
  }
  return found;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const skip = noChromium || (process.platform === "linux" ? false : "looks into /proc");

describe("the browser's life", { skip }, () => {
  let site: BrowserSite;
  let url = "";
  /** Removed at the very end: a browser writes into its folder while it closes. */
  const folders: string[] = [];
  before(async () => {
    site = await createBrowserSite({
      "/": (request, response) => {
        response.setHeader("set-cookie", "seen=yes; max-age=1000");
        response.setHeader("content-type", "text/html");
        response.end(`<title>${request.headers.cookie ?? "first visit"}</title>`);
      },
    });
    url = `http://site.test:${site.port}/`;
  });
  after(async () => {
    await site.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const setUp = async (test: TestContext, options: Partial<StageOptions> = {}) => {
    const stage = await createBrowserStage({ allow: [`site.test:${site.port}`], ...options });
    test.after(() => stage.close());
    return stage;
  };

  it("ends when nobody used it for a while, and comes back with its cookies", async (test) => {
    const clock = createIdleClock();
    const { stateDir, say, run, browser } = await setUp(test, { clock });
    assert.deepEqual(await browsersOn(stateDir), [], "nothing runs before it is needed");
    assert.match(await say({ action: "open", url }), /first visit/);
    assert.equal((await browsersOn(stateDir)).length, 1);
    clock.endIdle();
    await until(async () => (await browsersOn(stateDir)).length === 0);
    await assert.rejects(run({ action: "snapshot" }), { code: "BROWSER_NO_PAGE" });
    assert.match(await say({ action: "open", url }), /seen=yes/);
    await browser.close();
    assert.deepEqual(await browsersOn(stateDir), []);
    await assert.rejects(run({ action: "open", url }), { code: "BROWSER_CLOSED" });
  });

  it("is started anew when it was killed, in the middle of a call too", async (test) => {
    const { stateDir, say, run } = await setUp(test);
    await run({ action: "open", url });
    const waiting = run({ action: "wait", text: "never" });
    const [pid] = await browsersOn(stateDir);
    process.kill(pid ?? 0, "SIGKILL");
    await assert.rejects(waiting, { code: "BROWSER_ENDED" });
    await assert.rejects(run({ action: "snapshot" }), { code: "BROWSER_NO_PAGE" });
    assert.match(await say({ action: "open", url }), /Page: /);
  });

  it("is told by check, which leaves nothing behind", async (test) => {
    const { browser, stateDir } = await setUp(test);
    const { ok, detail } = await browser.check();
    assert.ok(ok, detail);
    assert.match(detail, /^Chromium \d+\.\S+ \(\/.*\), as .*, its own sandbox on$/);
    assert.deepEqual(await readdir(join(stateDir, "browser")), []);
    const absent = await setUp(test, { config: { executablePath: "/nowhere/chromium" } });
    assert.match(JSON.stringify(await absent.browser.check()), /^\{"ok":false,.*nowhere.*"hint":/);
  });

  it("runs without its sandbox only where it has none and mom is root", async (test) => {
    const program = await findChromium({
      executablePath: undefined,
      path: process.env["PATH"] ?? "",
      platform: "linux",
    });
    const dir = await mkdtemp(join(tmpdir(), "mom-fake-"));
    test.after(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o755);
    const executablePath = join(dir, "chromium");
    const script = `#!/bin/sh\ncase " $* " in *" --no-sandbox "*) exec ${program} "$@";; esac\necho "No usable sandbox!" >&2; exit 1\n`;
    await writeFile(executablePath, script, { mode: 0o755 });
    const { browser } = await setUp(test, { config: { executablePath } });
    const { ok, detail, hint } = await browser.check();
    assert.equal(ok, isRoot, detail);
    assert.match(
      `${detail} ${hint}`,
      isRoot ? /sandbox off .*user namespaces/ : /is not run without .*user namespaces/,
    );
  });

  it("says that it did not start, and how to find out why", async (test) => {
    const { run } = await setUp(test, { config: { executablePath: "/bin/false" } });
    await assert.rejects(run({ action: "open", url }), { code: "BROWSER_START_FAILED" });
  });

  /** A mom in a process of its own; resolves when its page is open. */
  const startMom = async (stateDir: string, what: string, uid?: number) => {
    const child = spawn(process.execPath, ["test/fakes/browser-child.ts", stateDir, what], {
      stdio: ["ignore", "pipe", "inherit"],
      // A killed one cannot tidy up.
      env: { ...process.env, TMPDIR: dirname(stateDir) },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const [line] = await once(child.stdout, "data");
    return { child, line: String(line) };
  };

  const stateFolder = async (uid?: number) => {
    const dir = await mkdtemp(join(tmpdir(), "mom-state-"));
    folders.push(dir);
    if (uid !== undefined) await chown(dir, uid, uid);
    return join(dir, "state");
  };

  it("ends with a mom that is killed, and its profile is free for the next", async (test) => {
    const stateDir = await stateFolder();
    const { child, line } = await startMom(stateDir, url);
    assert.match(line, /^ready first visit/);
    const [pid] = await browsersOn(stateDir);
    child.kill("SIGKILL");
    await until(async () => (await browsersOn(stateDir)).length === 0);
    // As after a power cut, or in a container that got another name.
    const lock = join(stateDir, "browser/main/profile/SingletonLock");
    await rm(lock, { force: true });
    await symlink(`another-host-${pid}`, lock);
    const { say } = await setUp(test, { stateDir });
    assert.match(await say({ action: "open", url }), /Page: /);
    assert.doesNotMatch(await readlink(lock), /another-host/);
  });

  it("runs with its sandbox for an ordinary user", {
    skip: isRoot ? false : "only root can become one",
  }, async () => {
    const uid = 12345;
    const { line } = await startMom(await stateFolder(uid), "check", uid);
    assert.match(line, /"ok":true.*as mom's own user, its own sandbox on/);
  });

  it("gets nothing of mom's environment, is not root, and sees of mom's files only its own", async (test) => {
    const stateDir = await stateFolder();
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await writeFile(join(stateDir, "auth.json"), "secret", { mode: 0o644 });
    const { run } = await setUp(test, { stateDir, environment: { ...process.env, SECRET_KEY: "sk-123" } });
    await run({ action: "open", url });
    const [pid] = await browsersOn(stateDir);
    assert.doesNotMatch(await readFile(`/proc/${pid}/environ`, "utf8"), /sk-123/);
    assert.ok(!(await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("--no-sandbox"));
    const { uid } = await stat(`/proc/${pid}`);
    if (!isRoot) return assert.equal(uid, process.getuid?.());
    assert.ok(uid !== 0 && uid !== 65534);
    assert.deepEqual(await readdir(join(`/proc/${pid}/root`, stateDir)), ["browser"]);
    assert.deepEqual(await readdir(stateDir), ["auth.json", "browser"]);
  });
});
