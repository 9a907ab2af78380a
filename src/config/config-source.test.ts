/** The config of a running mom: edits are taken over, refused or taken back; what runs always works. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { z } from "zod";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createSystemClock } from "../base/clock.ts";
import type { Clock } from "../contracts/clock.ts";
import { type ConfigSource, createConfigSource } from "./config-source.ts";
import { secret } from "./secret.ts";

const schema = z.object({ name: z.string().default("mom"), token: secret().optional() });
type Config = z.output<typeof schema>;

let dir: string;
let source: ConfigSource<Config> | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mom-source-"));
});
afterEach(async () => {
  await source?.close();
  source = undefined;
  await rm(dir, { recursive: true, force: true });
});

const write = (text: string) => writeFile(join(dir, "config.json"), text);
const readLastGood = () => readFile(join(dir, "state", "config.last-good.json"), "utf8");

/** A source over `dir`, with an app that remembers what it was told and works unless a test says otherwise. */
async function createWorld(options: { clock?: Clock } = {}) {
  const log = createRecordingLog();
  const clock = createFakeClock();
  const applied: string[] = [];
  const secrets: string[] = [];
  const app = {
    apply: async (_next: Config, _previous: Config): Promise<void> => {},
    checkHealth: async (): Promise<readonly string[]> => [],
  };
  const created = await createConfigSource({
    dir,
    schema,
    env: { TOKEN: "token-from-env" },
    defaultText: "{}\n",
    apply: async (next, previous) => {
      applied.push(`${previous.name} → ${next.name}`);
      await app.apply(next, previous);
    },
    checkHealth: () => app.checkHealth(),
    learnSecrets: (list) => secrets.push(...list),
    clock: options.clock ?? clock,
    log,
  });
  source = created;
  return { source: created, app, applied, secrets, log, clock };
}

/** Moves the clock until the reload has ended: it may be asleep, waiting for the file to become whole. */
async function settle<T>(clock: ReturnType<typeof createFakeClock>, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(100);
  return done;
}

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

describe("at the start", () => {
  test("an invalid config refuses it, with all problems and nothing applied", async () => {
    await write('{ name: 1, token: "${NO_SUCH}" }');
    await assert.rejects(createWorld(), (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, "CONFIG_INVALID");
      assert.ok(error.message.startsWith(`${join(dir, "config.json")} has 2 problems:`));
      assert.match(error.message, /name: found 1, expected a string/);
      assert.match(error.message, /token: the environment variable NO_SUCH is not set/);
      assert.doesNotMatch(error.hint ?? "", /last-good/);
      return true;
    });
  });

  test("the refusal names the last good copy if there is one", async () => {
    const { source } = await createWorld();
    await source.start();
    await source.close();
    await write("{ name: ");
    await assert.rejects(createWorld(), (error: Error & { hint?: string }) => {
      assert.match(error.message, /not valid JSON5/);
      assert.ok(error.hint?.includes(join(dir, "state", "config.last-good.json")));
      return true;
    });
  });

  test("unknown keys are logged and secrets learnt", async () => {
    await write('{ nam: "x", token: "${TOKEN}" }');
    const { source, log, secrets } = await createWorld();
    assert.deepEqual(secrets, ["token-from-env"]);
    assert.equal(source.warnings.length, 1);
    assert.match(log.lines[0]?.text ?? "", /nam: unknown key, ignored\. Did you mean "name"\?/);
  });

  test("the config counts as good only when the app says that it works", async () => {
    await write("{ name: 'one' } // mine");
    const { source } = await createWorld();
    await assert.rejects(readLastGood(), { code: "ENOENT" });
    await source.start();
    assert.equal(await readLastGood(), "{ name: 'one' } // mine");
    assert.equal((await stat(join(dir, "state", "config.last-good.json"))).mode & 0o777, 0o600);
  });
});

describe("an edit", () => {
  test("is applied and becomes the last good one", async () => {
    const { source, applied, secrets } = await createWorld();
    await write("{ name: 'two', token: 'written-here' }");
    assert.deepEqual(await source.reload(), { type: "applied" });
    assert.equal(source.current.name, "two");
    assert.deepEqual(applied, ["mom → two"]);
    assert.deepEqual(secrets, ["written-here"]);
    assert.equal(await readLastGood(), "{ name: 'two', token: 'written-here' }");
  });

  test("of comments only applies nothing", async () => {
    const { source, applied } = await createWorld();
    await write("{ /* new */ }");
    assert.deepEqual(await source.reload(), { type: "unchanged" });
    assert.deepEqual(applied, []);
    assert.equal(await readLastGood(), "{ /* new */ }");
  });

  test("that is invalid changes nothing and is left for its author", async () => {
    const { source, applied, log, clock } = await createWorld();
    await write("{ name: 7 }");
    const outcome = await settle(clock, source.reload());
    assert.equal(outcome.type, "invalid");
    assert.equal(source.current.name, "mom");
    assert.deepEqual(applied, []);
    assert.equal(await readFile(join(dir, "config.json"), "utf8"), "{ name: 7 }");
    assert.match(JSON.stringify(log.lines.at(-1)), /last good one stays in use.*name: found 7, expected a string/);
  });

  test("that is half written is read again before anything is said", async () => {
    const { source, applied, log, clock } = await createWorld();
    await write("{ name: 'tw");
    const reload = source.reload();
    await waitUntil(() => clock.pending === 1);
    await write("{ name: 'two' }");
    await clock.advance(500);
    assert.deepEqual(await reload, { type: "applied" });
    assert.deepEqual(applied, ["mom → two"]);
    assert.deepEqual(
      log.lines.filter(({ level }) => level === "error"),
      [],
    );
  });

  test("that removes the file keeps the running config", async () => {
    const { source, log, clock } = await createWorld();
    await rm(join(dir, "config.json"));
    assert.equal((await settle(clock, source.reload())).type, "invalid");
    assert.match(JSON.stringify(log.lines.at(-1)), /found no file/);
    await assert.rejects(stat(join(dir, "config.json")), { code: "ENOENT" });
  });

  test("whose apply fails is taken back, with the reason", async () => {
    const { source, app, applied, log } = await createWorld();
    await source.start();
    app.apply = async (next) => {
      if (next.name === "bad") throw new Error("port 80 is taken");
    };
    await write("{ name: 'bad' }");
    const outcome = await source.reload();
    assert.deepEqual(outcome, { type: "rolled-back", reasons: ["port 80 is taken"], restored: true });
    assert.deepEqual(applied, ["mom → bad", "bad → mom"]);
    assert.equal(source.current.name, "mom");
    assert.equal(await readLastGood(), "{}\n");
    assert.equal(await readFile(join(dir, "config.json"), "utf8"), "{ name: 'bad' }");
    const line = log.lines.at(-1);
    assert.equal(line?.level, "error");
    assert.match(line?.text ?? "", /did not work; the last good one is in use again/);
    assert.deepEqual(line?.fields["reasons"], ["port 80 is taken"]);
  });

  test("that leaves the app unhealthy is taken back, with the reasons", async () => {
    const { source, app, applied } = await createWorld();
    app.checkHealth = async () => ["slack: invalid_auth", "no model answers"];
    await write("{ name: 'bad' }");
    const reasons = ["slack: invalid_auth", "no model answers"];
    assert.deepEqual(await source.reload(), { type: "rolled-back", reasons, restored: true });
    assert.deepEqual(applied, ["mom → bad", "bad → mom"]);
    assert.equal(source.current.name, "mom");
  });

  test("that can neither be applied nor taken back says so", async () => {
    const { source, app, log } = await createWorld();
    app.apply = async () => {
      throw new Error("stuck");
    };
    await write("{ name: 'bad' }");
    assert.deepEqual(await source.reload(), { type: "rolled-back", reasons: ["stuck"], restored: false });
    assert.match(log.lines.at(-1)?.text ?? "", /restart mom/);
  });

  test("that mends a rolled-back one is applied", async () => {
    const { source, app } = await createWorld();
    app.checkHealth = async () => ["down"];
    await write("{ name: 'bad' }");
    assert.equal((await source.reload()).type, "rolled-back");
    app.checkHealth = async () => [];
    await write("{ name: 'good' }");
    assert.deepEqual(await source.reload(), { type: "applied" });
    assert.equal(source.current.name, "good");
  });

  test("that comes during an apply is applied after it", async () => {
    const { source, app, applied } = await createWorld();
    const { promise: release, resolve } = Promise.withResolvers<void>();
    let running = 0;
    app.apply = async () => {
      running += 1;
      assert.equal(running, 1);
      await release;
      running -= 1;
    };
    await write("{ name: 'two' }");
    const first = source.reload();
    await waitUntil(() => applied.length === 1);
    await write("{ name: 'three' }");
    const second = source.reload();
    await write("{ name: 'four' }");
    const third = source.reload();
    resolve();
    assert.deepEqual(await Promise.all([first, second, third]), Array(3).fill({ type: "applied" }));
    assert.deepEqual(applied, ["mom → two", "two → four"]);
  });
});

test("a started source follows the file: written in place, replaced, made anew", { timeout: 20_000 }, async () => {
  const { source, applied } = await createWorld({ clock: createSystemClock() });
  await source.start();
  await write("{ name: 'in-place' }");
  await waitUntil(() => source.current.name === "in-place");
  await writeFile(join(dir, "new.json"), "{ name: 'replaced' }");
  await rename(join(dir, "new.json"), join(dir, "config.json"));
  await waitUntil(() => source.current.name === "replaced");
  await rm(join(dir, "config.json"));
  await write("{ name: 'anew' }");
  await waitUntil(() => source.current.name === "anew");
  assert.deepEqual(applied, ["mom → in-place", "in-place → replaced", "replaced → anew"]);
});

test("closing ends a wait for a half-written file at once, and nothing is read after it", async () => {
  const { source, clock, log } = await createWorld();
  await write("{ name: ");
  const reload = source.reload();
  await waitUntil(() => clock.pending === 1);
  await source.close();
  assert.deepEqual(await reload, { type: "closed" });
  assert.deepEqual(await source.reload(), { type: "closed" });
  assert.deepEqual(log.lines, []);
});
