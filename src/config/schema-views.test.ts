/** How a config and its schema are shown: secrets as stars, the schema as JSON Schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { redactConfig, secret, toJsonSchema } from "./index.ts";

test("secrets are replaced by their value, whole or as a part", () => {
  const shown = redactConfig(
    { token: "abcdef", url: "https://u:abcdef@h/abcdefgh", list: ["eu", "europe", 1, null], on: true },
    ["abcdef", "abcdefgh", "eu"],
  );
  assert.deepEqual(shown, { token: "***", url: "https://u:***@h/***", list: ["***", "europe", 1, null], on: true });
});

test("the JSON Schema describes what may be written, with descriptions, and marks secrets", () => {
  const schema = z.object({
    token: secret().min(1).describe("The bot's token."),
    key: secret().optional().describe("A key."),
    retries: z.int().default(3).describe("Tries."),
    adapters: z.record(z.string(), z.discriminatedUnion("type", [z.object({ type: z.literal("cli") })])).prefault({}),
    size: z.string().transform((text) => text.length),
  });
  const json = JSON.parse(JSON.stringify(toJsonSchema(schema)));
  assert.deepEqual(json.required, ["token", "size"]);
  assert.deepEqual(json.properties.token, {
    type: "string",
    minLength: 1,
    description: "The bot's token.",
    writeOnly: true,
  });
  assert.deepEqual(json.properties.key, { type: "string", description: "A key.", writeOnly: true });
  assert.equal(json.properties.retries.default, 3);
  assert.equal(json.properties.retries.writeOnly, undefined);
  assert.equal(json.properties.size.type, "string");
  assert.match(JSON.stringify(json.properties.adapters), /"const":"cli"/);
  assert.equal(JSON.stringify(json).includes('"secret"'), false);
});
