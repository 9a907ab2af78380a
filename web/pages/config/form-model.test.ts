/** The form's reading of the real schema of the config: what is drawn how, what is refused while typing, what is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configSchema } from "../../../src/app/index.ts";
import { toJsonSchema } from "../../../src/config/index.ts";
import { checkName, checkValue } from "./check-value.ts";
import { describeField, fits, pickOption, startingValue } from "./field.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import { formatPath } from "./path.ts";
import { search } from "./search.ts";

const root: JsonSchema = toJsonSchema(configSchema);

/** The schema at a path of keys; `*` is any entry of a record or list. */
function at(path: string, schema: JsonSchema = root): JsonSchema {
  return path.split(".").reduce((current, key) => {
    const { shape, schema: own } = describeField(current, root);
    const variant = shape.type === "union" ? shape.variants.find(({ name }) => name === key)?.schema : undefined;
    if (variant) return variant;
    if (key === "*") return (shape.type === "list" ? own.items : (own.additionalProperties as JsonSchema)) ?? {};
    return own.properties?.[key] ?? assert.fail(`no ${key} in ${path}`);
  }, schema);
}
const shapeOf = (path: string) => describeField(at(path), root).shape;

test("every piece of the real schema is drawn by a field, none falls to the JSON editor", () => {
  const seen = new Map<string, number>();
  const walk = (schema: JsonSchema, path: string): void => {
    const { shape } = describeField(schema, root);
    assert.notEqual(shape.type, "json", path);
    seen.set(shape.type, (seen.get(shape.type) ?? 0) + 1);
    if (shape.type === "section") for (const { key, schema: inner } of shape.properties) walk(inner, `${path}.${key}`);
    if (shape.type === "record") walk(shape.values, `${path}.*`);
    if (shape.type === "list") walk(shape.items, `${path}.*`);
    if (shape.type === "union") for (const { name, schema: inner } of shape.variants) walk(inner, `${path}.${name}`);
    if (shape.type === "choice") for (const { schema: inner } of shape.options) if (inner) walk(inner, `${path}|`);
  };
  walk(root, "");
  for (const type of ["section", "record", "union", "choice", "list", "enum", "boolean", "number", "text", "secret"]) {
    assert.ok(seen.get(type), `no ${type}`);
  }
});

test("kinds of fields are told apart", () => {
  assert.equal(shapeOf("adapters").type, "record");
  const union = shapeOf("adapters.*");
  assert.ok(union.type === "union" && union.tag === "type" && union.variants.some(({ name }) => name === "telegram"));
  assert.equal(shapeOf("adapters.*.telegram.botToken").type, "secret");
  assert.deepEqual(shapeOf("logging.level").type, "enum");
  assert.equal(shapeOf("agents.*.budget").type, "list");
  const dm = shapeOf("adapters.*.slack.dm");
  assert.ok(dm.type === "choice");
  assert.deepEqual(
    dm.options.map(({ label }) => label),
    ["everyone", "none", "a list"],
  );
  assert.equal(pickOption(dm.options, "none", root), 1);
  assert.equal(pickOption(dm.options, ["U1"], root), 2);
  assert.equal(pickOption(dm.options, 7, root), undefined);
});

test("schemas that mom does not write today are read too", () => {
  const own: JsonSchema = { $defs: { level: { enum: ["a", "b"] }, loop: { $ref: "#/$defs/loop" } } };
  assert.deepEqual(describeField({ $ref: "#/$defs/level", description: "d" }, own).shape, {
    type: "enum",
    values: ["a", "b"],
  });
  assert.equal(describeField({ $ref: "#/$defs/loop" }, own).shape.type, "json");
  const nullable = describeField({ anyOf: [{ type: "string" }, { type: "null" }] }, own);
  assert.deepEqual([nullable.shape.type, nullable.isNullable], ["text", true]);
  assert.equal(describeField({ type: ["integer", "null"] }, own).shape.type, "number");
  assert.equal(describeField({ anyOf: [{ const: "x" }, { enum: ["y"] }] }, own).shape.type, "enum");
  assert.equal(describeField({ type: "object" }, own).shape.type, "json");
  assert.equal(describeField({ type: "array" }, own).shape.type, "json");
});

test("what does not fit its field is told, so that the JSON editor can take it", () => {
  assert.equal(fits(at("adapters.*.slack.botToken"), { $file: "token" }, root), false);
  assert.equal(fits(at("adapters.*.slack.botToken"), "***", root), true);
  assert.equal(fits(at("models.fallbacks"), "one", root), false);
  assert.equal(fits(at("logging"), { level: "info" }, root), true);
});

test("new entries begin as something that can be filled in", () => {
  assert.deepEqual(startingValue(at("adapters.*"), root), { type: "cli" });
  assert.deepEqual(startingValue(at("agents.*"), root), {});
  assert.equal(startingValue(at("models.aliases.*"), root), "");
  assert.deepEqual(startingValue(at("models.fallbacks"), root), []);
});

const slips = (value: unknown) =>
  checkValue(root, value, root).map(({ path, message }) => `${formatPath(path)}: ${message}`);

test("slips are said at their place", () => {
  assert.deepEqual(slips({}), []);
  assert.deepEqual(slips({ logging: { level: "loud" } }), ["logging.level: One of: debug, info, warn, error."]);
  assert.deepEqual(slips({ models: { retries: "many", timeoutMs: 0 } }), [
    "models.timeoutMs: More than 0.",
    "models.retries: This must be a whole number.",
  ]);
  assert.deepEqual(slips({ models: { retries: 11 } }), ["models.retries: At most 10."]);
  assert.deepEqual(slips({ models: { aliases: { fast: "no-slash" } } }), [
    "models.aliases.fast: This must look like ^[^/]+\\/.+$",
  ]);
  assert.deepEqual(slips({ models: { providers: { lab: { baseUrl: "nowhere" } } } }), [
    "models.providers.lab.baseUrl: This must be an address, such as https://example.org/v1.",
  ]);
  assert.deepEqual(slips({ adapters: { team: { type: "slack", appToken: "xapp-1" } } }), [
    "adapters.team.botToken: This is needed.",
  ]);
  assert.deepEqual(slips({ adapters: { team: { type: "carrier pigeon" } } }), ["adapters.team: Choose a type."]);
  assert.deepEqual(slips({ adapters: { "bad name": { type: "cli" } } }).length, 1);
  assert.deepEqual(slips({ agents: { main: { budget: [{ per: "agent" }] } } }), [
    "agents.main.budget.0.usd: This is needed.",
  ]);
});

test("hidden secrets and references are not judged here", () => {
  const team = { type: "slack", botToken: "***", appToken: "${SLACK_APP_TOKEN}" };
  assert.deepEqual(slips({ adapters: { team } }), []);
  assert.deepEqual(slips({ adapters: { team: { ...team, botToken: { $file: "secrets/bot" } } } }), []);
  assert.deepEqual(slips({ adapters: { t: { type: "telegram", botToken: "***" } } }), []);
});

test("names of entries are held to their pattern", () => {
  const { names } = shapeOf("adapters") as { names: JsonSchema };
  assert.equal(checkName(names, "work"), undefined);
  assert.match(checkName(names, "") ?? "", /needed/);
  assert.match(checkName(names, "no spaces here") ?? "", /does not fit/);
});

test("a search finds keys, descriptions and values, and shows the way to them", () => {
  const value = { adapters: { work: { type: "slack", botToken: "***", appToken: "***" } } };
  assert.equal(search(root, value, "  "), undefined);
  const found = search(root, value, "bot token");
  assert.ok(found?.isShown("adapters.work.botToken"));
  assert.ok(found?.isOpen("adapters"));
  assert.equal(found?.isShown("adapters.work.replies"), false);
  assert.equal(found?.isShown("models"), false);
  const whole = search(root, value, "sandbox.limits");
  assert.ok(whole?.isShown("sandbox.limits"));
  assert.ok(isObject(at("sandbox.limits").properties));
  const [inner] = Object.keys(at("sandbox.limits").properties ?? {});
  assert.ok(whole?.isShown(`sandbox.limits.${inner}`), "what is inside a find is shown");
  assert.ok(whole?.isOpen("sandbox.limits"), "one of few finds is unfolded");
  assert.ok(search(root, { ...value, oddKey: 1 }, "oddkey")?.isShown("oddKey"), "keys that the schema does not know");
  assert.equal(search(root, value, "nothing has this name")?.count, 0);
});
