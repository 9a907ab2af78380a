/** Walks the channel folders: every platform has the same shape, so that adding one is a recipe. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { channelCatalog } from "./catalog.ts";
import type { Gates } from "./kit/channel-settings.ts";

const required = ["index.ts", "config.ts", "adapter.ts", "inbound.ts", "outbound.ts", "format.ts", "README.md"];
const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "kit")
  .map((entry) => entry.name);

test("the catalogue has one entry per folder", () => {
  assert.ok(folders.length > 0);
  assert.deepEqual(Object.keys(channelCatalog).sort(), folders.sort());
});

for (const folder of folders) {
  describe(`channels/${folder}`, () => {
    const files = readdirSync(join(import.meta.dirname, folder));
    for (const file of required) test(`has ${file}`, () => assert.ok(files.includes(file)));

    test("its README has set-up steps and quirks", () => {
      const readme = readFileSync(join(import.meta.dirname, folder, "README.md"), "utf8");
      assert.match(readme, /^## Set-up$/m);
      assert.match(readme, /^## Quirks$/m);
    });
  });
}

for (const [type, entry] of Object.entries(channelCatalog)) {
  describe(`the catalogue's ${type}`, () => {
    test("loads a definition of that type", async () => assert.equal((await entry.load()).type, type));
    test("the tools behind its gates are those that it has", async () => {
      const definition: { type: string; tools?: readonly { name: string; gate: string }[] } = await entry.load();
      const gates: Gates = entry.gates;
      const declared = Object.entries(gates).flatMap(([gate, { tools = [] }]) => tools.map((name) => [name, gate]));
      const present = (definition.tools ?? []).map(({ name, gate }) => [name, gate]);
      assert.deepEqual(declared.toSorted(), present.toSorted());
    });
    test("has a schema that knows the type and refuses unknown keys", () => {
      assert.equal(entry.configSchema.safeParse({ type, nonsense: true }).success, false);
      assert.equal(entry.configSchema.safeParse({ type: "other" }).success, false);
    });
  });
}

test("the terminal channel without a terminal says what to do", async () => {
  const { createAdapter } = await channelCatalog.cli.load();
  const config = channelCatalog.cli.configSchema.parse({ type: "cli" });
  assert.deepEqual(config, { type: "cli", toolOutput: "summary" });
  assert.throws(() => createAdapter("cli", config, { clock: createFakeClock(), log: silentLog }), {
    code: "TERMINAL_MISSING",
  });
});
