/** The composed schema: an empty config and the default one start, and what is not known is refused or named. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/index.ts";
import { configSchema, defaultConfigText } from "./config-schema.ts";

const parse = (text: string) => parseConfig(text, { schema: configSchema, env: {}, readFile: async () => "" });

test("an empty config is valid and has every default", async () => {
  const result = await parse("{}");
  assert.ok(result.type === "ok");
  assert.deepEqual(result.config.adapters, {});
  assert.equal(result.config.logging.level, "info");
});

test("the default config is valid, without a warning, and opens the terminal", async () => {
  const result = await parse(defaultConfigText);
  assert.ok(result.type === "ok", JSON.stringify(result));
  assert.deepEqual(result.warnings, []);
  assert.equal(result.config.adapters["terminal"]?.type, "cli");
});

test("what the default config shows in comments is valid too", async () => {
  const uncommented = defaultConfigText.replace(/^ {4}\/\/ ( *(?:default|providers|lab|\}))/gm, "    $1");
  const result = await parseConfig(uncommented, {
    schema: configSchema,
    env: { LAB_KEY: "lab-secret" },
    readFile: async () => "",
  });
  assert.ok(result.type === "ok", JSON.stringify(result));
  assert.deepEqual(Object.keys(result.config.models.providers), ["lab"]);
  assert.deepEqual(result.secrets, ["lab-secret"]);
});

test("an adapter of an unknown type is refused, with the known types", async () => {
  const result = await parse('{ adapters: { team: { type: "slak" } } }');
  assert.ok(result.type === "invalid");
  assert.match(result.problems[0]?.message ?? "", /^adapters\.team\.type: found "slak", expected .*"cli"/);
});

test("a mistyped key is a warning in every slice", async () => {
  const result = await parse(`{
    adapters: { here: { type: "cli", tooloutput: "off" } }, models: { defualt: "x" }, tools: { denny: [] },
    sandbox: { root: [] }, queue: { mod: "steer" }, logging: { levl: "debug" },
  }`);
  assert.ok(result.type === "ok", JSON.stringify(result));
  assert.deepEqual(
    result.warnings.map(({ path, hint }) => `${path}: ${hint}`),
    [
      'adapters.here.tooloutput: Did you mean "toolOutput"?',
      'models.defualt: Did you mean "default"?',
      'tools.denny: Did you mean "deny"?',
      'sandbox.root: Did you mean "roots"?',
      'queue.mod: Did you mean "mode"?',
      'logging.levl: Did you mean "level"?',
    ],
  );
});
