/** auth.json on a real disk: kept private, written in one piece, shared between processes, never overwritten when broken. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createSystemClock } from "../base/clock.ts";
import { MomError } from "../base/errors.ts";
import type { AuthData } from "../contracts/auth.ts";
import { createAuthFile } from "./auth-file.ts";
import { takeFileLock } from "./file-lock.ts";

let folder: string;
let path: string;
const clock = createSystemClock();
const log = createRecordingLog();
const open = (lockWaitMs?: number) =>
  createAuthFile({ path, clock, log, ...(lockWaitMs !== undefined && { lockWaitMs }) });
const key = (secret: string) => ({ type: "api_key", provider: "p", key: secret }) as const;

const addKey = (id: string, secret: string) => (data: AuthData) => {
  data.profiles[id] = key(secret);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mom-auth-"));
  path = join(folder, "auth.json");
  log.lines.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof MomError, String(error));
  assert.ok(error.message.includes(path) && error.hint);
  return error.code;
}

describe("the file", () => {
  test("that is not there is empty, and looking makes none", async () => {
    assert.deepEqual(await open().load(), { profiles: {}, usageStats: {} });
    assert.deepEqual(await readdir(folder), []);
  });
  test("is written private and in one piece", async () => {
    await open().update((data) => {
      data.profiles["p:a"] = key("s");
    });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await readFile(path, "utf8")).profiles, { "p:a": key("s") });
    assert.deepEqual((await readdir(folder)).sort(), ["auth.json", "auth.json.lock"]);
  });
  test("keeps what mom does not know", async () => {
    const strange = { type: "passkey", blob: 1 };
    const before = {
      version: 7,
      profiles: { "p:a": { ...key("s"), note: "mine" }, "p:z": strange },
      usageStats: { "p:a": { lastUsed: 3, mood: "good" } },
      order: { p: ["p:a"] },
    };
    await writeFile(path, JSON.stringify(before), { mode: 0o600 });
    const file = open();
    assert.deepEqual(Object.keys((await file.load()).profiles), ["p:a"]);
    await file.update((data) => {
      data.usageStats["p:a"] = { ...data.usageStats["p:a"], errorCount: 1 };
    });
    const after = JSON.parse(await readFile(path, "utf8"));
    assert.deepEqual(after, { ...before, usageStats: { "p:a": { lastUsed: 3, mood: "good", errorCount: 1 } } });
    assert.equal(log.lines.filter(({ fields }) => fields["profile"] === "p:z").length, 1, "said once");
  });
  test("may leave the provider to the profile's id, and figures that make no sense are none", async () => {
    const text = { profiles: { "p:a": { type: "api_key", key: "s" } }, usageStats: { "p:a": { lastUsed: "soon" } } };
    await writeFile(path, JSON.stringify(text), { mode: 0o600 });
    const data = await open().load();
    assert.equal(data.profiles["p:a"]?.provider, "p");
    assert.deepEqual(data.usageStats, { "p:a": {} });
  });
  test("is not written when nothing changed, nor when the change failed", async () => {
    await open().update(addKey("p:a", "s"));
    const before = await stat(path, { bigint: true });
    await open().update(() => undefined);
    await assert.rejects(
      open().update((data) => {
        data.profiles = {};
        throw new Error("no");
      }),
      /no/,
    );
    assert.equal((await stat(path, { bigint: true })).ino, before.ino);
    assert.deepEqual(Object.keys((await open().load()).profiles), ["p:a"]);
  });
  test("loses what a killed process left half-written", async () => {
    await writeFile(`${path}.0badcafe.tmp`, "secret");
    await open().update(() => undefined);
    assert.deepEqual(await readdir(folder), ["auth.json.lock"]);
  });
});

describe("refused", () => {
  const broken: [name: string, text: string][] = [
    ["what is no JSON", '{ "profiles": { "p:a": { "key": sk-very-secret } } }'],
    ["a list", "[]"],
    ["profiles that are none", '{ "profiles": "sk-very-secret" }'],
  ];
  for (const [name, text] of broken) {
    test(`${name}, without a word of it, and left as it is`, async () => {
      await writeFile(path, text, { mode: 0o600 });
      assert.equal(await codeOf(open().load()), "AUTH_FILE_BROKEN");
      assert.equal(
        await codeOf(
          open().update((data) => {
            data.profiles = {};
          }),
        ),
        "AUTH_FILE_BROKEN",
      );
      const error = await open()
        .load()
        .catch((thrown: MomError) => thrown);
      assert.doesNotMatch(JSON.stringify([String(error), Object(error).hint, Object(error).cause]), /very-secret/);
      assert.equal(await readFile(path, "utf8"), text);
    });
  }
  test("a link, also one that leads nowhere", async () => {
    await writeFile(join(folder, "elsewhere"), "{}", { mode: 0o600 });
    for (const target of ["elsewhere", "nowhere"]) {
      await rm(path, { force: true });
      await symlink(join(folder, target), path);
      assert.equal(await codeOf(open().load()), "AUTH_FILE_UNSAFE");
      assert.equal(await codeOf(open().update(() => undefined)), "AUTH_FILE_UNSAFE");
    }
  });
  test("a pipe, without waiting for it", async () => {
    await promisify(execFile)("mkfifo", [path]);
    assert.equal(await codeOf(open().load()), "AUTH_FILE_UNSAFE");
  });
});

test("bits that let others in are taken away, and that is said", async () => {
  await writeFile(path, "{}");
  await chmod(path, 0o644);
  await open().load();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields["was"]]),
    [["warn", "0644"]],
  );
});

test("what was read is remembered until the file changes", async () => {
  const file = open();
  await file.update(addKey("p:a", "s"));
  const past = new Date(clock.now() - 10_000);
  await utimes(path, past, past);
  const first = await file.load();
  assert.equal(await file.load(), first, "the same object");
  assert.throws(() => {
    first.profiles["p:b"] = key("t");
  }, TypeError);
  await open().update(addKey("p:b", "t"));
  assert.deepEqual(Object.keys((await file.load()).profiles), ["p:a", "p:b"]);
});

test("a lock that is not given back is waited for only so long", async () => {
  const lock = await takeFileLock({ path: `${path}.lock`, clock, waitMs: 0 });
  assert.equal(await codeOf(open(60).update(() => undefined)), "AUTH_FILE_LOCKED");
  lock.release();
  await open(60).update(() => undefined);
});

test("changes of two processes and of many calls are all kept", async () => {
  const script = `
    import { createAuthFile } from ${JSON.stringify(new URL("./auth-file.ts", import.meta.url).href)};
    import { createSystemClock } from ${JSON.stringify(new URL("../base/clock.ts", import.meta.url).href)};
    const log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };
    const file = createAuthFile({ path: process.argv[1], clock: createSystemClock(), log });
    await Promise.all(Array.from({ length: 15 }, () => file.update((data) => {
      const stats = (data.usageStats["p:a"] ??= {});
      stats.errorCount = (stats.errorCount ?? 0) + 1;
    })));`;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, path]);
  await Promise.all([run(), run()]);
  assert.equal((await open().load()).usageStats["p:a"]?.errorCount, 30);
});

test("a lock ends with the process that held it", async () => {
  const script = `
    import { takeFileLock } from ${JSON.stringify(new URL("./file-lock.ts", import.meta.url).href)};
    import { createSystemClock } from ${JSON.stringify(new URL("../base/clock.ts", import.meta.url).href)};
    await takeFileLock({ path: process.argv[1], clock: createSystemClock(), waitMs: 0 });
    process.kill(process.pid, "SIGKILL");`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, `${path}.lock`]).catch(
    () => undefined,
  );
  await open(0).update(addKey("p:a", "s"));
});
