/** `mom migrate` as people use it: which adapter the channels go to, what is said, and where the old logs may lie. */
import assert from "node:assert/strict";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { buildMigrateCommand } from "./migrate.ts";

const fixtures = join(import.meta.dirname, "../../../test/fixtures/slack-logs");
let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ migrate: buildMigrateCommand });
  await mkdir(world.dataDir);
});
afterEach(() => world.close());

const run = (...args: string[]) => world.run(["migrate", "--from", fixtures, ...args]);
const writeConfig = (adapters: object) => writeFile(join(world.dataDir, "config.json"), JSON.stringify({ adapters }));

test("a dry run says what would be done and which lines cannot be read", async () => {
  const { code, out } = await run("--dry-run");
  assert.equal(code, 0);
  assert.match(
    out,
    /^C0AAA: would add 5 lines, 3 files → workspace\/channels\/slack\/C0AAA\n {2}line 4 of its log\.jsonl is skipped: not JSON$/m,
  );
  await assert.rejects(access(join(world.dataDir, "workspace")));
});

test("the channels go to the only slack adapter of the config, or to the one that is named", async () => {
  await writeConfig({ terminal: { type: "cli" }, "slack-acme": { type: "slack" } });
  const { out } = await run();
  assert.match(out, /^D0BBB: added 1 line → workspace\/channels\/slack-acme\/D0BBB$/m);
  assert.match((await run()).out, /^D0BBB: added 0 lines \(1 there already\)/m);
  await writeConfig({ one: { type: "slack" }, two: { type: "slack" } });
  assert.equal(JSON.parse((await run("--dry-run", "--json")).out).adapter, "slack");
  assert.equal(JSON.parse((await run("--dry-run", "--json", "--adapter", "two")).out).adapter, "two");
});

test("nothing to migrate is said, and a folder that is not there is an error", async () => {
  const nothing = await world.run(["migrate"]);
  assert.deepEqual([nothing.code, nothing.out], [0, ""]);
  assert.match(nothing.err, /there are no old logs in/);
  assert.match((await world.run(["migrate", "--from", "nowhere"])).err, /MIGRATION_SOURCE_MISSING/);
});
