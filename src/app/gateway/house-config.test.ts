/** Edits of the config through the gateway: all or none, secrets unseen and kept, and a way back. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createHouseConfig } from "./house-config.ts";

const written = `{
  // The lab's own endpoint.
  models: {
    default: "lab/m1",
    providers: { lab: { api: "openai-completions", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-very-secret", models: [{ id: "m1" }] } },
  },
  queue: { maxConcurrent: 4 },
}
`;

async function openConfig(t: TestContext, outcomes: { type: "applied" | "rolled-back"; reasons?: string[] }[] = []) {
  const { dir: dataDir } = await createTempFolder(t);
  const path = join(dataDir, "config.json");
  await writeFile(path, written);
  let reloads = 0;
  const config = createHouseConfig({
    dataDir,
    env: {},
    async reload() {
      reloads++;
      const next = outcomes.shift() ?? { type: "applied" };
      return next.type === "applied" ? { type: "applied" } : { type: "rolled-back", reasons: next.reasons ?? [] };
    },
  });
  return {
    config,
    text: () => readFile(path, "utf8"),
    write: (text: string) => writeFile(path, text),
    reloads: () => reloads,
  };
}

test("a secret is not shown, neither as it is read nor in a diff", async (t) => {
  const { config } = await openConfig(t);
  const { value } = await config.read("models.providers.lab");
  assert.deepEqual((value as { apiKey: string }).apiKey, "***");
  const outcome = await config.edit([{ path: "models.providers.lab.apiKey", value: "sk-another-secret" }], {});
  assert.equal(outcome.type, "applied");
  assert.ok(outcome.type === "applied");
  assert.equal(outcome.diff, "Only secrets differ.");
  assert.doesNotMatch(JSON.stringify(outcome), /sk-/);
});

test("several changes are one, and what is still hidden stays as it was", async (t) => {
  const { config, text, reloads } = await openConfig(t);
  const { value, hash } = await config.read("models.providers.lab");
  const lab = { ...(value as object), baseUrl: "http://127.0.0.1:10/v1" };
  const changes = [
    { path: "models.providers.lab", value: lab },
    { path: "queue.maxConcurrent", value: 8 },
    { path: "queue.mode" },
  ];
  const outcome = await config.edit(changes, { hash });
  assert.equal(outcome.type, "applied", JSON.stringify(outcome));
  assert.equal(reloads(), 1);
  const after = await text();
  assert.match(after, /sk-very-secret/);
  assert.match(after, /127\.0\.0\.1:10/);
  assert.match(after, /maxConcurrent: 8/);
  assert.match(after, /The lab's own endpoint/, "comments stay");
});

test("one wrong change of several writes nothing, and says where", async (t) => {
  const { config, text, reloads } = await openConfig(t);
  const changes = [
    { path: "queue.maxConcurrent", value: 8 },
    { path: "tools.profile", value: "everything" },
  ];
  const outcome = await config.edit(changes, {});
  assert.ok(outcome.type === "invalid");
  assert.deepEqual(
    outcome.problems.map(({ path }) => path),
    ["tools.profile"],
  );
  assert.equal(await text(), written);
  assert.equal(reloads(), 0);
});

test("a dry run shows the diff and writes nothing", async (t) => {
  const { config, text } = await openConfig(t);
  const outcome = await config.edit([{ path: "queue.maxConcurrent", value: 8 }], { dryRun: true });
  assert.ok(outcome.type === "would-apply");
  assert.match(outcome.diff, /-\s+queue: \{ maxConcurrent: 4 \}[\s\S]*\+\s+queue: \{ maxConcurrent: 8 \}/);
  assert.equal(await text(), written);
});

test("somebody else was faster: a conflict, and nothing is lost", async (t) => {
  const { config, text, write } = await openConfig(t);
  const { hash } = await config.read();
  await write(written.replace("maxConcurrent: 4", "maxConcurrent: 5"));
  const outcome = await config.edit([{ path: "queue.maxConcurrent", value: 8 }], { hash });
  assert.equal(outcome.type, "conflict");
  assert.match(await text(), /maxConcurrent: 5/);
});

test("what does not work is taken back, in the file too", async (t) => {
  const { config, text } = await openConfig(t, [{ type: "rolled-back", reasons: ["slack: wrong token"] }]);
  const outcome = await config.edit([{ path: "queue.maxConcurrent", value: 8 }], {});
  assert.ok(outcome.type === "rolled-back");
  assert.deepEqual(outcome.reasons, ["slack: wrong token"]);
  assert.equal(await text(), written);
});

test("a hidden value where there is no secret is refused by name", async (t) => {
  const { config } = await openConfig(t);
  const edit = config.edit([{ path: "models.providers.other.apiKey", value: "***" }], {});
  await assert.rejects(edit, /models\.providers\.other\.apiKey/);
});

test("edits at the same time wait for each other", async (t) => {
  const { config, text } = await openConfig(t);
  await Promise.all([
    config.edit([{ path: "queue.maxConcurrent", value: 8 }], {}),
    config.edit([{ path: "tools.deny", value: ["browser"] }], {}),
  ]);
  const after = await text();
  assert.match(after, /maxConcurrent: 8/);
  assert.match(after, /browser/);
});

test("a file with mistakes in it gives no secret away", async (t) => {
  const { config, write } = await openConfig(t);
  const broken = {
    gateway: { auth: { password: "hunter2hunter2", passwd: "hunter3hunter3" }, maxConnections: 1 },
    models: {
      providers: { lab: { api: "nonsense", baseUrl: "https://me:pw-secret@lab.example/v1", apiKey: 4711_4711 } },
    },
    logging: { level: "${LEVEL_THAT_IS_NOT_SET}" },
    apikey: "sk-misspelt-secret",
  };
  await write(JSON.stringify(broken));
  const { value, warnings } = await config.read();
  assert.ok(warnings.length > 0);
  assert.doesNotMatch(JSON.stringify(value), /hunter|pw-secret|47114711|misspelt/);
  assert.match(JSON.stringify(value), /LEVEL_THAT_IS_NOT_SET/, "a reference is no secret");
  assert.equal((await config.read("gateway.auth.password")).value, "***");
  const outcome = await config.edit([{ path: "gateway.maxConnections", value: 100 }], { dryRun: true });
  assert.doesNotMatch(JSON.stringify(outcome), /hunter|pw-secret|47114711|misspelt/);
});
