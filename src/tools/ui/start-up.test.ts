/** Before a browser runs: which program it is, as which user, in which folder. */
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createSystemClock } from "../../base/clock.ts";
import { buildLauncher, findClosedFolder, pickBrowserUser } from "./browser-user.ts";
import { findChromium } from "./find-chromium.ts";
import { ensureProfileFolder, releaseProfile } from "./profile-folder.ts";

const coded = (code: string) => ({ code });

describe("finding Chromium", () => {
  it("looks through PATH, in the order of names, and takes only programs", async (test) => {
    const { dir, put } = await createTempFolder(test);
    await chmod(await put("a/google-chrome", ""), 0o755);
    await put("a/chromium", "not to be run");
    await mkdir(join(dir, "b/chromium"), { recursive: true });
    await chmod(await put("c/chromium-browser", ""), 0o755);
    const find = (path: string) => findChromium({ executablePath: undefined, path, platform: "linux" });
    assert.equal(await find(`${dir}/a:${dir}/b:${dir}/c`), join(dir, "c/chromium-browser"));
    assert.equal(await find(`${dir}/a`), join(dir, "a/google-chrome"));
    await assert.rejects(find(`${dir}/b:.:a`), coded("BROWSER_MISSING"));
  });

  it("takes the configured one or nothing", async (test) => {
    const { dir, put } = await createTempFolder(test);
    await chmod(await put("chromium", ""), 0o755);
    const find = (executablePath: string) => findChromium({ executablePath, path: dir, platform: "linux" });
    assert.equal(await find(join(dir, "chromium")), join(dir, "chromium"));
    await assert.rejects(find(join(dir, "absent")), /executablePath/);
  });
});

describe("the browser's user", () => {
  it("is another one only where mom is root on Linux", () => {
    assert.equal(pickBrowserUser("linux", 1000), undefined);
    assert.equal(pickBrowserUser("darwin", 0), undefined);
    const uid = pickBrowserUser("linux", 0);
    assert.ok(uid !== undefined && uid !== 0 && uid !== 65534);
  });

  it("finds the first door on the way that is closed to others", async (test) => {
    const { dir } = await createTempFolder(test);
    await mkdir(join(dir, "open/closed/deep/box"), { recursive: true });
    await chmod(dir, 0o755);
    await chmod(join(dir, "open/closed"), 0o750);
    assert.equal(await findClosedFolder(join(dir, "open/closed/deep/box")), join(dir, "open/closed"));
    await chmod(join(dir, "open/closed"), 0o711);
    assert.equal(await findClosedFolder(join(dir, "open/closed/deep/box")), undefined);
  });

  it("gets paths as single words, whatever is in them", () => {
    const script = buildLauncher({ uid: 7, program: "/opt/it's $(x)/c", folder: "/f", closed: undefined });
    assert.ok(script.endsWith(`exec setpriv --reuid 7 --regid 7 --clear-groups -- '/opt/it'\\''s $(x)/c' "$@"\n`));
  });
});

describe("the profile folder", () => {
  it("keeps the profile and empties the rest", async (test) => {
    const { dir } = await createTempFolder(test);
    const first = await ensureProfileFolder(dir, "main", undefined);
    for (const folder of [first.profile, first.downloads, first.home]) await writeFile(join(folder, "x"), "");
    const again = await ensureProfileFolder(dir, "main", undefined);
    assert.deepEqual(await readdir(again.profile), ["x"]);
    assert.deepEqual([...(await readdir(again.downloads)), ...(await readdir(again.home))], []);
    for (const name of ["..", "a/b", ""]) {
      await assert.rejects(ensureProfileFolder(dir, name, undefined), coded("BROWSER_PROFILE"));
    }
  });

  it("is freed from a browser that is gone, on this machine or another", async (test) => {
    const { dir } = await createTempFolder(test);
    const folder = await ensureProfileFolder(dir, "main", undefined);
    for (const holder of [`elsewhere-${process.pid}`, `${hostname()}-${process.pid}`, "nonsense"]) {
      await symlink(holder, join(folder.profile, "SingletonLock"));
      await symlink("/nowhere", join(folder.profile, "SingletonSocket"));
      await releaseProfile(folder, createSystemClock());
      assert.deepEqual(await readdir(folder.profile), [], holder);
    }
  });
});
